# runs and show: what was run, how it stands, each task.
. "$LIB"
status tidemill runs
touch a 'b c'
tidemill each -q a 'b c' -- true
tidemill each -q -w 1 a 'b c' --shell -- 'echo out; test "$1" = a' >/dev/null 2>&1 || true
echo "-- runs"
tidemill runs | sed -E 's/  +/ /g; s/^ +//'
tidemill runs -n 1 2>&1 | sed -E 's/  +/ /g; s/^ +//'
tidemill runs --json | fields v count
tidemill runs --json | python3 -c 'import json, sys
for run in json.load(sys.stdin)["runs"]: print(sorted(run)); print(run["state"], run["done"], run["failed"], run["letters"])'
echo "-- show"
tidemill show last | sed -E 's/([0-9.]+|<1) m?s\b/TIME/g; s/[0-9.]+ [kKM]i?B/SIZE/'
tidemill show last --json | fields
echo "-- no such run"
status tidemill show 1999
echo "-- in a pipe nothing is cut short, unless COLUMNS says so"
long=$(printf 'x%.0s' {1..150})
touch $long
tidemill each $long -q -- false 2>/dev/null || true
for verb in 'runs -q -n 1' 'show last' 'show last --tasks' 'letters last'; do
  echo "$verb: $(tidemill $verb | grep -c $long) whole, $(COLUMNS=70 tidemill $verb | awk 'length > 200' | wc -l) with COLUMNS"
done
{ tidemill each $long --progress none -- false || true; } 2>&1 | grep -c $long
printf '%s\n' "{\"$long\":1}" "{\"$long\":x}" >$long.jsonl
{ tidemill import $long.jsonl --into db --progress none || true; } 2>&1 | grep -c "$long.jsonl$"
{ COLUMNS=70 tidemill import $long.jsonl --into db --replace --progress none || true; } 2>&1 | grep -c "$long.jsonl$" || true
