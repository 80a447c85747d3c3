# import: what lies there already is not lost by accident.
. "$LIB"
. "${LIB%/*}/../../import/e2e.sh"
echo '{"_key":1,"v":"old"}' >t.jsonl
tidemill import t.jsonl --into a.db -q
echo '{"_key":1,"v":"new"}' >t.jsonl
echo "-- it is there"
run t.jsonl --into a.db
sql a.db "select * from t"
echo "-- replaced"
chmod 640 a.db
code t.jsonl --into a.db --replace
sql a.db "select * from t"
stat -c %a a.db
echo "-- nothing but rejects does not replace"
printf 'no json\n\n{"a":\n' >bad.jsonl
run bad.jsonl --into a.db --replace
sql a.db "select * from t"
ls a.db*
run bad.jsonl --into new.db --replace
echo "-- no database, a folder, an empty file"
echo "a letter to somebody" >letter
mkdir folder
: >empty.db
for target in letter folder empty.db; do
  for mode in '' --append --replace; do status tidemill import t.jsonl --into $target $mode -q; done
done
cat letter
echo "-- through a symlink"
ln -s a.db link.db
code t.jsonl --into link.db --replace
stat -c %F link.db
echo "-- the write-ahead log of the old one does not come to the new one"
python3 - <<'END'
import os, sqlite3
db = sqlite3.connect("wal.db")
db.execute("pragma journal_mode=wal")
db.execute("create table old(x)")
db.execute("insert into old values ('kept in the log')")
db.commit()
os._exit(0)  # the log stays
END
ls wal.db*
code t.jsonl --into wal.db --replace
ls wal.db*
schema wal.db
sql wal.db "pragma integrity_check"
echo "-- somebody else has it"
mkfifo let_go
python3 - <<'END' &
import sqlite3
db = sqlite3.connect("held.db", isolation_level=None)
db.execute("create table x(y)")
db.execute("begin immediate")
open("holding", "w").close()
open("let_go").close()  # waits for who opens it, too
END
wait_until test -e holding
run t.jsonl --into held.db --append
: >let_go
wait
code t.jsonl --into held.db --append
