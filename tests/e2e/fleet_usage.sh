# each --fleet, resume --fleet and worker: what is refused before anything is done, and without a key.
. "$LIB"
. "${LIB%/*}/../../batch/e2e.sh"
start_redis
mkdir tree
touch tree/a tree/b
run() {
  echo "-- ${*/#$url/URL}"
  status tidemill "$@" 2>&1
}
echo "== no key"
run each tree --fleet redis:films --redis "$url" -- true
run worker --fleet redis:films --redis "$url"
run each tree --fleet redis:films --redis "$url" --fleet-key missing.key -- true
run each tree --fleet redis:films --redis "$url" --fleet-key missing.key --insecure-fleet -- true
echo "not a key" >bad.key
chmod 600 bad.key
run each tree --fleet redis:films --redis "$url" --fleet-key bad.key -- true
tidemill fleet key open.key 2>/dev/null
chmod 640 open.key
run worker --fleet redis:films --redis "$url" --fleet-key open.key
echo "== names of fleets"
tidemill fleet key >/dev/null 2>&1
run each tree --fleet films --redis "$url" -- true
run each tree --fleet redis: --redis "$url" -- true
run each tree --fleet 'redis:a b' --redis "$url" -- true
run each tree --fleet "redis:$(printf 'x%.0s' {1..65})" --redis "$url" -- true
run each tree --fleet redis://127.0.0.1 -- true
run each tree --fleet redis:films --redis http://127.0.0.1 -- true
run worker --redis "$url"
run worker --fleet 'redis:{a}' --redis "$url"
echo "== no server"
run each tree --fleet redis:films --redis unix:///nowhere -- true
run worker --fleet redis:films --redis unix:///nowhere
echo "== workers"
run worker --fleet redis:films --redis "$url" --map
run worker --fleet redis:films --redis "$url" --map data
run worker --fleet redis:films --redis "$url" --map =/data
run worker --fleet redis:films --redis "$url" --map data=here
run worker --fleet redis:films --redis "$url" --map data=/a --map data=/b
run worker --fleet redis:films --redis "$url" --only films
run worker --fleet redis:films --redis "$url" --until-idle soon
run worker --fleet redis:films --redis "$url" -j 2000
run worker --fleet redis:films --redis "$url" tree
echo "== runs"
run each tree --fleet redis:films --redis "$url" --fleet-term 10ms -- true
run each missing --fleet redis:films --redis "$url" -- true
run each tree --fleet redis:films --redis "$url"
run each tree --fleet redis:films --redis "$url" -n -- true
run dupes tree --fleet redis:films
run resume last --fleet films
run failures last retry --all --fleet films
ask keys '*' | sed 's/-[0-9a-f]\{8\}\b/-MARK/'
echo "== without a key, when that is asked for"
(tidemill worker --fleet redis:films --redis "$url" --insecure-fleet --until-idle 3s -j 2 --progress none 2>&1 || true) >worker.txt &
status tidemill each tree -k --order name --fleet redis:films --redis "$url" --insecure-fleet --progress none -- echo
wait $!
cat worker.txt
echo "== runs of another version"
printf '\0\1\4name\3old\6recipe\24\4name\4each\7version\1\2' | ask -x hset '{films}:runs' old >/dev/null
printf '\0\1\4name\3new\6recipe\13\4name\5films' | ask -x hset '{films}:runs' new >/dev/null
status tidemill worker --fleet redis:films --redis "$url" --insecure-fleet --until-idle 1s --progress none 2>&1
stop_redis
