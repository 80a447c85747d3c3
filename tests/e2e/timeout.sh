# --timeout ends the command, its children, and what left its group by setsid.
. "$LIB"
touch f
cat >tree <<'END'
#!/bin/bash
trap '' TERM
hang & echo $! >>pids
(trap '' TERM; exec hang) & echo $! >>pids
setsid bash -c 'echo $$ >>pids; exec hang' &
echo $$ >>pids
wait
wait
END
chmod +x tree
# Long enough for all of them to begin, also when the machine stands still for a moment.
status tidemill each --progress none -a 1 -t 5s --grace 50ms f -- ./tree 2>&1
wc -l <pids
wait_until gone $(cat pids)
echo "all gone"
echo "-- a timeout may pass by itself: tried again"
status tidemill each --progress none -a 2 --backoff 1ms -t 5s --grace 50ms f --shell -- \
  'test $TIDEMILL_ATTEMPT = 2 || exec hang' 2>&1
echo "-- a command that ends in time is left alone"
status tidemill each -q -t 1m f -- true
