# --jsonl: an object a line for every event, and nothing else on standard output.
. "$LIB"
printf '%s\n' a b >list
tidemill each --jsonl --progress none -j 1 --backoff 1ms --files-from list --shell -- \
  'echo "out $1"; test $1 = a || { echo bad >&2; exit 75; }' >events 2>/dev/null || echo "exit status $?"
fields <events | sort
fields event task name state attempts attempt cure step reason exit stdout stderr done failed <events | sort
echo "-- more output than is kept"
echo x | tidemill each -q --jsonl --keep-output 10 --files-from - --shell -- "seq 100" | fields event stdout stdoutBytes
echo "-- a signal"
(echo x | tidemill each -q --jsonl --files-from - --shell -- 'kill -KILL $$' 2>/dev/null || true) | fields event exit signal
