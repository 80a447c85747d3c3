# A list from standard input that was cut short by kill -9 is given again, and only the rest runs.
. "$LIB"
seq 500 >list
mkfifo pipe
exec 3<>pipe
head -n 200 list >&3
tidemill each -q -w 2 --files-from - --shell -- 'echo "$1" >>ran' <pipe &
pid=$!
found() { tidemill show last --json | grep -q '"found":200,'; }
wait_until lines 50 ran
wait_until found
kill_hard $pid 2>/dev/null
exec 3>&-
tidemill runs --json | python3 -c 'import json, sys; r = json.load(sys.stdin)["runs"][0]; print(r["state"], r["foundAll"])'
echo "-- without the list: what was read is run, and it says what is missing"
status tidemill resume last --progress none </dev/null 2>&1 | sed -E 's/Recovered [0-9]+ finished tasks?(; [0-9]+ tasks? w(as|ere) running and will be run again)?/Recovered N finished tasks/'
sort -nu ran | wc -l
echo "-- with it"
status tidemill resume last --progress none --files-from list 2>&1
sort -nu ran | cmp - list && echo "all of them"
# Run twice is only what was running when it was killed: at most one for each worker.
test $(($(wc -l <ran) - 500)) -le 2 && echo "at most two twice"
echo "-- what is suggested is what works"
mkfifo again
exec 3<>again
head -n 3 list >&3
tidemill each --progress none --files-from - -- hang <again 2>said &
pid=$!
running() { tidemill show last --json | grep -q '"found":3,'; }
wait_until running
kill -INT $pid
wait $pid || true
exec 3>&-
suggested() { grep -A 1 -E "(go on|resume): " | sed -E "s/^ *(go on|resume): +//; s/^ +//"; }
suggested <said
tidemill show last | suggested
