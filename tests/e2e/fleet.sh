# fleet: the key, what is on the board, and what pauses and drains.
. "$LIB"
. "${LIB%/*}/../../batch/e2e.sh"
start_redis
packed() {
  python3 -c '
import sys
def text(value): return bytes([len(value)]) + value
out = b"\1"
for field in sys.argv[1:]:
    name, value = field.encode().split(b"=", 1)
    out += text(name) + text(bytes([int(value)]) if name in (b"pid", b"places", b"busy") else value)
sys.stdout.buffer.write(out)' "$@"
}
# publish NAME FIELD...: a run without a signature.
publish() {
  { printf '\0'; packed "name=$1" "${@:2}"; } | ask -x hset '{films}:runs' "$1" >/dev/null
}
announce() {
  { printf '%s ' "$(ask time | { read -r seconds; echo "${seconds}000"; })"; packed "consumer=$1" "${@:2}"; } |
    ask -x hset '{films}:hosts' "$1" >/dev/null
}
ages() { sed -E 's/[0-9]+ s ago/TIME ago/; s/ +/ /g'; }
fleet() { status tidemill fleet "$@" --redis "$url" 2>&1 | ages; }
echo "-- invalid command lines"
status tidemill fleet
status tidemill fleet statsu redis:films
status tidemill fleet status
status tidemill fleet status films
status tidemill fleet status redis://127.0.0.1
status tidemill fleet status 'redis:a}b'
status tidemill fleet pause redis:films
status tidemill fleet status redis:films --redis "unix://$DIR/nowhere"
echo "-- a board with nothing on it"
fleet status redis:films
fleet runs redis:films --json
fleet hosts redis:films --json
echo "-- without a key nothing is verified"
publish nas1-7 id=20261119-0331-each host=nas1
publish nas2-7 id=7 host=nas2
publish nas3-7 id=7 host=nas3
announce nas4:17:x host=nas4 pid=17 version=0.1.0 places=8 busy=3
fleet status redis:films
fleet runs redis:films --json
echo "-- with a key, what is not signed is named"
tidemill fleet key 2>&1
stat -c %a "$HOME/.config/tidemill/fleet.key"
fleet runs redis:films
echo "-- a key is never overwritten, and never one that others can read"
status tidemill fleet key
status tidemill fleet key films.key
chmod 644 films.key
fleet runs redis:films --fleet-key films.key
fleet runs redis:films --fleet-key missing.key
echo "-- pause"
rm "$HOME/.config/tidemill/fleet.key"
fleet pause redis:films 20261119-0331-each
ask smembers '{films}:paused'
fleet pause redis:films nas2-7 20261119-0331-eech
fleet pause redis:films 7
ask smembers '{films}:paused'
fleet unpause redis:films nas1-7
ask exists '{films}:paused'
echo "-- drain"
fleet drain redis:films nas4 nas9
fleet hosts redis:films
fleet undrain redis:films nas4 nas5
ask smembers '{films}:drained'
echo "-- keys of something else"
ask set '{other}:runs' x >/dev/null
fleet status redis:other
stop_redis
