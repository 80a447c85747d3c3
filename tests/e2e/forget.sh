# forget and check: a run is looked over, and removed with everything that was kept of it.
. "$LIB"
touch f
tidemill each -q f -- true
tidemill each -q f -- false 2>/dev/null || true
size() { sed -E 's/[0-9.,]+ ?([kKMG]i?B|B|bytes)/SIZE/g'; }
echo "-- check"
status tidemill check last 2>&1
tidemill check last --quick --json | fields state clean findings inFlightLog spillFiles
echo "-- only complete ones, and first without doing it"
status tidemill forget --complete -n 2>&1 | size
status tidemill forget --complete 2>&1 | size
ls "$TIDEMILL_STATE/runs" | wc -l
echo "-- by name"
status tidemill forget last 2>&1 | size
ls -A "$TIDEMILL_STATE/runs" | wc -l
echo "-- one that is worked on stays"
tidemill each -q f --shell -- 'echo >started; exec hang' 2>/dev/null &
wait_until test -e started
status tidemill forget last 2>&1 | size
kill -TERM $!
wait $! || true
status tidemill forget last -q 2>&1 | size
test -e f && echo "the files are untouched"
