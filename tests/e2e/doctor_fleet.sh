# doctor --fleet: what the user of Redis may do, with the lines of the guide; the clock; the key.
. "$LIB"
. "${LIB%/*}/../../batch/e2e.sh"
guide=${LIB%/*}/../../../docs/guide/fleet.md
# of CHECK FIELDS [WORD...]: what doctor has to say about it, for programs.
of() {
  local check=$1 fields=$2
  shift 2
  tidemill doctor --json --fleet redis:films "$@" | jq -rc ".findings[] | select(.check == \"$check\") | $fields" || true
}
start_redis
ask acl setuser admin on '>word' '~*' +@all >/dev/null
# become RULE...: the rights of the user that connects through the socket.
become() { ask --user admin --pass word --no-auth-warning acl setuser default reset on nopass "$@" >/dev/null; }
# rules USER: those of the guide, without its name and password.
rules() { sed -n "s/^user $1 on >[^ ]* //p" "$guide"; }
echo "-- a user with all rights"
tidemill doctor --fleet redis:films --redis "$url" 2>/dev/null | grep -o -E '^fleet-(acl .*|clock *ok .* that of Redis|key .*)'
REDIS_URL=$url of fleet-acl .facts
echo "-- the users of the guide"
become $(rules worker)
of fleet-acl '[.status, .found, .advice]' --redis "$url"
of fleet-acl '.facts | [.mayCoordinate, .mayWork, .missingToWork]' --redis "$url"
of redis '[.status, .facts.version != null]' --redis "$url"
become $(rules coordinator)
of fleet-acl '[.status, .found, .advice, .facts]' --redis "$url"
echo "-- users who lack something"
become $(rules worker) -xadd
of fleet-acl '[.status, .found, .advice]' --redis "$url"
become $(rules coordinator) -xsetid
of fleet-acl '.facts.missingToCoordinate' --redis "$url"
become $(rules worker)
status tidemill doctor --fleet redis:songs --redis "$url" 2>/dev/null | grep -A1 -E '^fleet-acl|^exit'
become -@all
of fleet-acl '[.status, .found, .facts]' --redis "$url"
of fleet-clock '[.status, .found]' --redis "$url"
become '~*' +@all
echo "-- settings: an eviction policy matters to a fleet, a disk does not"
ask config set maxmemory-policy allkeys-lru >/dev/null
of redis '[.status, .found, .advice] | select(.[0] != "ok")' --redis "$url"
echo "-- the key"
tidemill fleet key >/dev/null 2>&1
of fleet-key '[.status, .found]' --redis "$url"
chmod 640 "$XDG_CONFIG_HOME/tidemill/fleet.key"
of fleet-key '[.status, .found, .advice]' --redis "$url"
TIDEMILL_FLEET_KEY=none.key of fleet-key '[.status, .found, .advice]' --redis "$url"
echo "-- nothing was written"
ask dbsize
stop_redis
echo "-- no server; what is not a fleet"
tidemill doctor --json --fleet redis:films --redis "$url" | jq -rc '.findings[-2:][] | [.check, .status]' || true
tidemill doctor --json --redis "$url" | jq -rc '[.findings[].check] | map(select(startswith("fleet")))' || true
status tidemill doctor --fleet films
status tidemill doctor --fleet redis://x
