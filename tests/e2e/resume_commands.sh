# Commands that keep no journal are runs all the same: listed while they work and when they did not
# come to their end, and resumed by running them again where they were started.
. "$LIB"
mkdir here
cd here
touch a
echo "-- a run that is older, and has work left"
tidemill each . -g a -w 1 --halt now,fail=1 -q --shell -- 'echo each >>../ran; false' >/dev/null 2>&1 || echo "exit status $?"

mkfifo pipe.jsonl # nobody writes to it: the import waits there
echo '{"_key":1}' >one.jsonl
started() { tidemill show last --json | grep -q "\"state\":\"running\".*\"job\":\"$1\""; }
states() { tidemill runs --json | jq -r '.runs[] | [.run, .state, .job, .journal, .found] | @tsv'; }

echo "-- import, killed"
tidemill import one.jsonl pipe.jsonl --into db --progress none &
pid=$!
wait_until started import
states
status tidemill resume last 2>&1 | sed 's/ since .*//; s/the lock is .*/the lock is .../'
kill_hard $pid 2>/dev/null
states
status tidemill check last 2>&1
for verb in "failures" "show --tasks" "undo" "check --quick" "failures retry --all"; do
  set -- $verb
  status tidemill "$1" last "${@:2}" 2>&1
done
tidemill show last | grep -v "^[vfs]"
status tidemill resume last --rate 5/s 2>&1
status tidemill resume last --dry-run 2>&1
echo "-- from another folder, with another number of workers"
(echo '{"_key":2}' >pipe.jsonl) &
cd ..
tidemill resume last -j 1 --progress none 2>&1 | head -n 2 | sed 's/ B in .*/ B .../; s/--workers/--jobs/'
cd here
states
ls ../ran db
wc -l <../ran

echo "-- import, interrupted, and completed by the same command"
tidemill import one.jsonl pipe.jsonl --into db2 -q &
pid=$!
wait_until started import
kill -INT $pid
wait $pid || echo "exit status $?"
states
(echo '{"_key":2}' >pipe.jsonl) &
tidemill import one.jsonl pipe.jsonl --into db2 --progress none 2>/dev/null
states

echo "-- import, failed: the newest of the same command is listed, with the cause"
for time in 1 2; do status tidemill import none.jsonl --into db3 -q 2>&1; done
states
tidemill show last | grep cause
tidemill forget last 2>/dev/null

echo "-- standard input cannot be read again"
exec 3<>pipe.jsonl
tidemill import - --into db4 --table t -q <&3 &
pid=$!
wait_until started import
kill_hard $pid 2>/dev/null
exec 3>&-
status tidemill resume last 2>&1
tidemill forget last 2>/dev/null

echo "-- what comes to its end leaves nothing, whatever it found"
mkdir books
echo no book >books/a.epub
for command in "import one.jsonl --into db5" "books check books" "books repair books" "dupes ." \
  "dupes . --action hardlink" "catalogue verify" "tokens one.jsonl" "batch one.jsonl --max-tokens 9 --dry-run"; do
  code=0
  tidemill $command -q >/dev/null 2>&1 || code=$?
  echo "$command: $code"
done
states

echo "-- a state folder that cannot be written: one warning, and the work is done"
touch file
TIDEMILL_STATE=$PWD/file/state status tidemill import one.jsonl --into db6 --progress none 2>&1 | sed 's/ B in .*/ B .../' | head -n 2
ls db6
