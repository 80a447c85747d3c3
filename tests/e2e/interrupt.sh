# Ctrl-C: running commands have a moment to finish; a second one kills them. resume continues.
. "$LIB"
seq 5 >list
tidemill each --progress none -j 1 --files-from list --shell -- \
  'test $1 -lt 3 || test -e again || { echo >started; trap "" TERM; exec python3 -c "import signal; signal.pause()"; }' 2>errors &
pid=$!
wait_until test -e started
kill -INT $pid
wait_until grep -q Stopping errors
# Signals of a process within a second of the first are the same request; a later one is the second.
ask_again() {
  kill -INT $pid
  grep -q Killing errors
}
wait_until ask_again
status wait $pid
cat errors
touch again
status tidemill resume last --progress none 2>&1
echo "-- a reader of the output that goes with the same Ctrl-C makes no failure of it"
{
  code=0
  tidemill each --progress none -j 1 --files-from list --shell -- \
    'kill -INT $PPID; until test -e left; do :; done; echo $1' 2>said || code=$?
  echo "exit status $code" >code
} | {
  wait_until test -e said
  wait_until grep -q Stopping said
  exec <&-
  touch left
}
wait_until test -s code
grep -o '^each [a-z]*' said
cat code
tidemill runs --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["runs"][0]["state"])'
