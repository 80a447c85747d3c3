# import: into a database that is there: more rows, changed rows, changed files.
. "$LIB"
. "${LIB%/*}/../../import/e2e.sh"
rows() { sql "$1" "select * from $2 order by _key"; }
mkdir data
printf '{"_key":1,"a":"one","b":1}\n{"_key":2,"a":"two","b":2}\n' >data/t.jsonl
printf '{"_key":1}\n' >data/other.jsonl
tidemill import data --into a.db -q
echo "-- append: columns come and widen; a key that is there is no row"
mkdir more
printf '{"_key":3,"a":3,"c":"new column"}\n{"_key":2,"a":"key is there"}\n\n{"_key":4,"b":0.5}\n{"_key":\n' >more/t.jsonl
run more --into a.db --append
rows a.db t
sql a.db "select line, offset, reason, text from _rejects order by line"
sql a.db "select lines, rows, blank, rejected from _tidemill_files where name like '%more%'"
echo "-- upsert: what a record does not give stays, null is NULL"
printf '{"_key":1,"b":10}\n{"_key":2,"a":null,"d":1.5}\n{"_key":5,"a":"five"}\n{"a":"no key"}\n' >up.jsonl
run up.jsonl --table t --into a.db --upsert
rows a.db t
run up.jsonl --table t --into a.db --upsert
rows a.db t
echo "-- upsert needs a key"
echo '{"x":1}' >nokey.jsonl
run nokey.jsonl --into a.db --upsert
sql a.db "select count(*) from sqlite_schema where name = 'nokey'"
echo "-- incremental: only what changed"
tidemill import data --into b.db -q
run data --into b.db --incremental
printf '{"_key":2,"a":"zwei","b":2}\n{"_key":5,"a":"five"}\n' >data/t.jsonl
printf '{"_key":9}\n' >data/new.jsonl
rm data/other.jsonl
run data --into b.db --incremental
for table in t new other; do rows b.db $table; done
told data --into b.db --incremental | fields found done skipped failed rows
run data/t.jsonl --into b.db --incremental
echo "-- touched, not changed"
touch data/t.jsonl
told data --into b.db --incremental | fields found done skipped failed rows
echo "-- a table that is not ours: what its columns declare stays"
python3 -c 'import sqlite3
with sqlite3.connect("c.db") as db:
    db.execute("create table t (_key integer primary key, a text not null, b integer)")
    db.execute("insert into t values (1, \"mine\", 0)")'
printf '{"_key":7,"b":1}\n{"_key":8,"a":"x","b":"no number"}\n{"_key":9,"a":"x","b":"5"}\n{"_key":10,"a":5,"z":1}\n' >foreign.jsonl
run foreign.jsonl --table t --into c.db --append
rows c.db t
sql c.db "select line, reason from _rejects"
sql c.db "select sql from sqlite_schema where name = 't'"
echo "-- a mode needs no database: it makes one"
code data --into d.db --append
rows d.db t
for database in a b c d; do sql $database.db "pragma integrity_check"; done
