# CLEANUP: kill -9 leaves files only in the run's own folder, and none of them once the run is
# resumed or forgotten. Nothing is ever written to the folder for temporary files.
. "$LIB"
printf '%s\n' a b >list
start() {
  rm -f started
  tidemill each -q -j 2 --keep-output 1K --files-from list --shell -- \
    'head -c 100000 /dev/zero; test -e finish || { echo $$ >>started; exec hang; }' >/dev/null 2>&1 &
  wait_until lines 2 started
  spilled() { [[ $(find "$TIDEMILL_STATE" -path '*spill*' -type f -size +90k | wc -l) == 2 ]]; }
  wait_until spilled
  kill_hard $! 2>/dev/null
}
files() { (cd "$TIDEMILL_STATE/runs" && find . -type f | sed -E 's/^\.\///; s/[^/]*-each[^/]*/RUN/' | sort); }
start
echo "-- after kill -9"
files
find "$TMPDIR" -mindepth 1
touch finish
tidemill resume last -q >out 2>/dev/null
echo "-- after resume: $(wc -c <out) bytes of output"
files
rm finish
start
pids=$(cat started)
echo "-- after kill -9 and forget"
tidemill forget last -q
files
# Nobody resumed that one, so its commands are still there.
gone $pids || kill $pids
find "$TMPDIR" -mindepth 1
