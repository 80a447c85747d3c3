# kill -9 in the middle: resume ends what was left running, and runs only what is not done.
. "$LIB"
seq 40 >list
tidemill each -q -w 2 --files-from list --shell -- \
  'echo "$1" >>ran; if test "$1" = 20 && test ! -e killed; then setsid hang & echo $! >pid; exec hang; fi' &
pid=$!
wait_until test -s pid
wait_until lines 40 ran
kill_hard $pid 2>/dev/null
touch killed
status tidemill check last 2>/dev/null
# The one that hangs was running, and perhaps the last one: it has said so, but may not have ended.
status tidemill resume last -q 2>&1 |
  sed -E 's/Recovered [0-9]+ finished tasks?/Recovered N finished tasks/; s/[12] tasks? w(as|ere) running/1 or 2 tasks were running/'
wait_until gone "$(cat pid)"
sort -nu ran | cmp - list && echo "all of them"
test "$(wc -l <ran)" -le 42 && echo "at most two twice"
status tidemill check last -q
