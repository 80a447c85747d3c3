# runs and show: what was run, its state, each task.
. "$LIB"
status tidemill runs
touch a 'b c'
tidemill each -q a 'b c' -- true
tidemill each -q a 'b c' --shell -- 'echo out; test "$1" = a' >/dev/null 2>&1 || true
table() { sed -E 's/ [0-9]+[sm] / AGE /; s/  +/ /g; s/^ +//'; }
echo "-- runs"
tidemill runs | table
tidemill runs --limit 1 2>&1 | table
status tidemill runs -n 1
tidemill runs --json | fields v count
tidemill runs --json | python3 -c 'import json, sys
for run in json.load(sys.stdin)["runs"]: print(sorted(run)); print(run["state"], run["done"], run["failed"], run["retryable"])'
echo "-- show"
tidemill show last | sed -E 's/([0-9.]+|<1) m?s\b/TIME/g; s/[0-9.]+ [kKM]i?B/SIZE/'
tidemill show last --json | fields
echo "-- names of runs"
tidemill runs --names
tidemill show last-each --json | fields run
TIDEMILL_STATE=$PWD/none status tidemill runs --names
echo "-- no such run"
status tidemill show 1999
status tidemill show last-foo
status tidemill show each
status tidemill show 20
echo "-- in a pipe nothing is cut short, unless COLUMNS says so"
long=$(printf 'x%.0s' {1..150})
touch $long
tidemill each $long -q -- false 2>/dev/null || true
for verb in 'runs -q --limit 1' 'show last' 'show last --tasks' 'failures last'; do
  echo "$verb: $(tidemill $verb | grep -c $long) whole, $(COLUMNS=70 tidemill $verb | awk 'length > 200' | wc -l) with COLUMNS"
done
{ tidemill each $long --progress none -- false || true; } 2>&1 | grep -c $long
printf '%s\n' "{\"$long\":1}" "{\"$long\":x}" >$long.jsonl
{ tidemill import $long.jsonl --into db --progress none || true; } 2>&1 | grep -c "$long.jsonl$"
{ COLUMNS=70 tidemill import $long.jsonl --into db --replace --progress none || true; } 2>&1 | grep -c "$long.jsonl$" || true
echo "-- 80 columns"
for id in 20261115-0431-each 20261115-0431-each-2; do mkdir -m 700 "$TIDEMILL_STATE/runs/$id"; done
COLUMNS=80 tidemill runs | awk 'length > 82'  # the bytes of an ellipsis are three
COLUMNS=80 tidemill runs --limit 1 2>/dev/null | table | sed 's/x*…$/.../'
echo "-- a run that has not written its journal yet is starting"
python3 - "$TIDEMILL_STATE/runs/20261115-0431-each" <<'END'
import fcntl, os, struct, subprocess, sys
lock = os.open(sys.argv[1] + "/lock", os.O_RDWR | os.O_CREAT, 0o600)
F_OFD_SETLK = 37
fcntl.fcntl(lock, F_OFD_SETLK, struct.pack("hhqqixxxx", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0))
open(sys.argv[1] + "/journal.db", "w").close()
subprocess.run("tidemill runs --limit 0 | grep -- '0431-each ' | tr -s ' '; tidemill show 20261115-0431-each 2>&1", shell=True)
END
tidemill runs --limit 0 | grep -c 'unreadable'
