# import: killed or interrupted, it leaves the old database; in other modes the same command goes on.
. "$LIB"
. "${LIB%/*}/../../import/e2e.sh"
mkdir data
python3 - <<'END'
for number in range(40):
    with open(f"data/t{number:02}.jsonl", "w") as file:
        for key in range(3000):
            file.write('{"_key":%d,"v":"%s"}\n' % (key, str(number * key) * 40))
END
echo '{"_key":1,"v":"old"}' >old.jsonl
tidemill import old.jsonl --into a.db -q
cp a.db before.db
mkfifo never.jsonl # nobody writes to it: the import waits there, with all that was before it in a.db.tidemill.part
reached() { [[ -s a.db.tidemill.part ]]; }
for writer in pages sql; do
  echo "-- kill -9, $writer"
  rm -f a.db.tidemill.part*
  tidemill import data never.jsonl --into a.db --replace --writer $writer -q &
  wait_until reached
  kill_hard $! 2>/dev/null
  cmp a.db before.db && ls a.db*
done
echo "-- Ctrl-C"
rm -f a.db.tidemill.part*
tidemill import data never.jsonl --into a.db --replace -q &
wait_until reached
kill -INT $!
code=0
wait $! || code=$?
echo "exit status $code"
cmp a.db before.db && ls a.db*
echo "-- the next one does not mind what is left"
head -c 100000 /dev/urandom >a.db.tidemill.part
code data --into a.db --replace
ls a.db*
sql a.db "select count(*) from sqlite_schema where type = 'table' and name like 't%'"
echo "-- two at once"
tidemill import data never.jsonl --into c.db -q &
wait_until test -s c.db.tidemill.part
run old.jsonl --into c.db
kill -TERM $!
wait $! || echo "exit status $?"
ls c.db* 2>/dev/null || echo "there is no c.db"
echo "-- in a database that is there, the same command goes on: no file twice, none missing"
mkdir later
mv data/t3*.jsonl later
# Commits are a second apart: the end of this file is one, if there was none before.
slow=1.5
python3 - $slow 2>/dev/null <<'END' &
import signal, sys
with open("never.jsonl", "w") as pipe:
    signal.sigtimedwait([], float(sys.argv[1]))
    pipe.write('{"_key":1}\n')
END
writer=$!
# With a write-ahead log others can look into it meanwhile.
python3 -c 'import sqlite3; sqlite3.connect("b.db").execute("pragma journal_mode = wal")'
files() { [[ $(sql b.db "select count(*) from _tidemill_files" 2>/dev/null) -ge $1 ]]; }
mkfifo stop.jsonl
tidemill import data never.jsonl later stop.jsonl --into b.db --incremental -q 2>/dev/null &
wait_until files 1
kill_hard $! 2>/dev/null
kill_hard $writer 2>/dev/null || true # it is still there when the machine was slow
rm never.jsonl stop.jsonl
echo '{"_key":1}' | tee never.jsonl >stop.jsonl
told data never.jsonl later stop.jsonl --into b.db --incremental | fields notes
sql b.db "select count(*), sum(rows) from _tidemill_files"
python3 - <<'END'
import sqlite3
a, b = sqlite3.connect("a.db"), sqlite3.connect("b.db")
for number in range(40):
    query = f"select * from t{number:02} order by _key"
    assert a.execute(query).fetchall() == b.execute(query).fetchall(), number
print("the same rows")
END
sql b.db "pragma integrity_check"
