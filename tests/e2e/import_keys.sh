# import: which column is the key, and what a rowid is.
. "$LIB"
. "${LIB%/*}/../../import/e2e.sh"
look() {
  sql "$1" "select sql from sqlite_schema where tbl_name = '$2' order by type desc, name"
  sql "$1" "select rowid, * from \"$2\""
}
printf '{"_key":3}\n{"_key":5}\n\n{"_key":-1}\n' >fall.jsonl
printf '{"_key":-7}\n{"_key":0}\n\n{"_key":9223372036854775807}\n' >ascend.jsonl
printf '{"_key":1}\n{"_key":1}\n' >twice.jsonl
printf '{"_key":"b"}\n{"_key":"a"}\n' >texts.jsonl
printf '{"_key":1}\n{"a":1}\n' >missing.jsonl
printf '{"_key":1}\n{"_key":null}\n' >null.jsonl
printf '{"_key":1}\n{"_key":1.5}\n{"_key":2}\n' >real.jsonl
printf '{"_key":1}\n{"_key":"2"}\n{"_key":2}\n' >mixed.jsonl
printf '{"a":1,"_key":10}\n{"_key":11,"a":2}\n' >second.jsonl
printf '{"b":1}\n{"b":2}\n' >without.jsonl
for writer in pages sql; do
  run *.jsonl --into $writer.db --writer $writer >$writer.report
  for table in ascend fall twice texts missing null real mixed second without; do
    echo "$table:"
    look $writer.db $table
  done >$writer.tables
done
cat pages.report pages.tables
cmp <(sed 1d pages.report) <(sed 1d sql.report)
cmp pages.tables sql.tables
echo "-- another key"
printf '{"id":2,"_key":"x"}\n{"id":4,"_key":"x"}\n' >id.jsonl
code id.jsonl --into id.db --key id
look id.db id
echo "-- one that is asked for and cannot be"
run twice.jsonl --into asked.db --key _key
look asked.db twice
run id.jsonl --into asked2.db --key nowhere
look asked2.db id
echo "-- columns that nobody has"
run id.jsonl --into typo.db --index id,idd --types idx=real,id=integer
echo "-- none"
code ascend.jsonl --into none.db --no-key
look none.db ascend
echo "-- several files in one table"
run ascend.jsonl second.jsonl --into one.db --table t
look one.db t
