# import: a file that cannot be read to its end is not in at all; the others are.
. "$LIB"
. "${LIB%/*}/../../import/e2e.sh"
mkdir data
python3 -c 'for i in range(50000): print("{\"_key\":%d,\"v\":\"value %d\"}" % (i, i * i))' | gzip -n >data/whole.jsonl.gz
printf '{"_key":1}\nrefused\n' >data/good.jsonl
(head -c 100000 data/whole.jsonl.gz) >data/cut.jsonl.gz
python3 -c 'data = bytearray(open("data/whole.jsonl.gz", "rb").read())
data[-6] ^= 64
open("data/flipped.jsonl.gz", "wb").write(data)'
(cat data/whole.jsonl.gz; echo rubbish) >data/rubbish.jsonl.gz
for writer in pages sql; do
  echo "-- $writer"
  run data --into $writer.db --writer $writer
  sql $writer.db "select name from sqlite_schema where type = 'table' and name not like '\_%' escape '\' order by name"
  sql $writer.db "select count(*), sum(_key) from whole"
  sql $writer.db "select count(*) from _rejects"
  sql $writer.db "select tbl, rows from _tidemill_files order by tbl"
done
echo "-- for programs"
told data --into c.db | fields found done skipped failed failures
echo "-- in one table"
for writer in pages sql; do
  code data --into one_$writer.db --table t --writer $writer
  sql one_$writer.db "select count(*), sum(_key) from t"
done
echo "-- append: the file is in when it has come whole"
code data --into d.db --append
sql d.db "select tbl, rows from _tidemill_files order by tbl"
cp data/whole.jsonl.gz data/cut.jsonl.gz
told data --into d.db --incremental | fields found done skipped failed
sql d.db "select tbl, rows from _tidemill_files order by tbl"
sql d.db "select count(*), sum(_key) from cut"
echo "-- all have failed"
run data/rubbish.jsonl.gz --into e.db
run data/rubbish.jsonl.gz --into d.db --replace
sql d.db "select count(*) from _tidemill_files"
echo "-- places that cannot be written to"
run data/good.jsonl --into nowhere/e.db
run data/good.jsonl --into /dev/full
