# Each exit status once.
. "$LIB"
touch a b
begins='echo >started; exec hang'
echo "-- 0: done"
status tidemill each -q a b -- true
echo "-- 1: it could not start, or ended early"
status tidemill each -q a -- ./no-such-command
status tidemill each -q a b --halt soon -- false 2>/dev/null
echo "-- 2: invalid command line"
status tidemill each
echo "-- 3: some failed"
status tidemill each -q a b -- test {} = a 2>/dev/null
echo "-- 4: another process works on this run"
tidemill each -q a --shell -- "$begins" 2>/dev/null &
wait_until test -e started
status tidemill resume last
echo "-- 130: interrupted"
kill -INT $!
status wait $!
echo "-- 143: by SIGTERM"
rm started
tidemill each -q b --shell -- "$begins" 2>/dev/null &
wait_until test -e started
kill -TERM $!
status wait $!
