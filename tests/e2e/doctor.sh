# doctor: the state folder, limits, runs that are left, parts, a Redis. Nothing is left behind.
. "$LIB"
. "${LIB%/*}/../../batch/e2e.sh"
# of CHECK FIELDS [WORD...]: what doctor has to say about it, for programs.
of() {
  local check=$1 fields=$2
  shift 2
  tidemill doctor --json "$@" | jq -rc ".findings[] | select(.check == \"$check\") | $fields" || true
}
echo "-- what is looked at"
tidemill doctor --json | jq -rc '.v, .event, ([.findings[].check] | join(" "))'
tidemill doctor 2>/dev/null | grep -E '^(CHECK|state|locale|terminal|runs)'
find "$DIR" -name '.tidemill-doctor*'
test -e "$TIDEMILL_STATE" || echo "no state folder was made"
echo "-- no state folder, one that is a file, one that is open to others"
status env -u HOME -u XDG_STATE_HOME -u TIDEMILL_STATE tidemill doctor
echo >file
TIDEMILL_STATE=$PWD/file status tidemill doctor 2>/dev/null | grep -A1 -E '^state|^exit'
mkdir open && chmod 777 open
TIDEMILL_STATE=$PWD/open of state '[.status, .found, .advice, .facts.mode]'
echo "-- limits"
(ulimit -Sn 64 && ulimit -Hn 512 && of open-files '[.status, .found, .advice, .facts]')
(ulimit -f 16 && of file-size '[.status, .advice, .facts.limitBytes]' && of state .found)
echo "-- a run that did not come to its end, a configuration, no tables"
seq 3 >list
status tidemill each -q -w 1 --files-from list --halt now,fail=1 -- false >/dev/null 2>&1
of runs '[.status, .found, .advice, .facts.unfinished]'
mkdir -p "$XDG_CONFIG_HOME/tidemill"
echo 'quiet = true' >"$XDG_CONFIG_HOME/tidemill/tidemill.toml"
of config '[.status, .found]'
bound=()  # root without the right to read everything
if [[ $(id -u) == 0 ]]; then bound=(setpriv --bounding-set=-dac_override,-dac_read_search); fi
chmod 0 "$XDG_CONFIG_HOME/tidemill"
status "${bound[@]}" tidemill doctor
chmod 700 "$XDG_CONFIG_HOME/tidemill"
TIDEMILL_TOKENS=/nowhere of tokens '[.status, .found]'
echo "-- a Redis"
start_redis --maxmemory-policy allkeys-lru
of redis '.facts.server // [.status, .advice]' --redis "$url"
REDIS_URL=$url of redis '.facts.server // .status'
stop_redis
status tidemill doctor --redis "$url" 2>/dev/null | grep -A1 -E '^redis|^exit'
REDIS_URL=quark://x of redis '[.status, .advice]'
status tidemill doctor --redis redis://:word@x
echo word >password
chmod 644 password
status tidemill doctor --redis "$url" --password-file password
REDIS_URL=$url status tidemill doctor --password-file password
