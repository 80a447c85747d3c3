# import: names of tables and columns, whatever files and fields are called.
. "$LIB"
. "${LIB%/*}/../../import/e2e.sh"
tables() { sql "$1" "select name from sqlite_schema where type = 'table' and name not like '\_tidemill%' escape '\' order by name"; }
mkdir -p names/sub
for name in plain.jsonl Plain.ndjson PLAIN.jsonl.gz plain_2.jsonl sub/plain.jsonl .jsonl sqlite_x.jsonl _rejects.jsonl \
  _tidemill_files.jsonl _tidemill_ledger.jsonl 'with "quotes".jsonl' select.jsonl $'new\nline.jsonl' $'byte\xff.jsonl' \
  ÄÖ.jsonl äö.jsonl dot.json.jsonl -x.jsonl a.key.jsonl; do
  echo '{"_key": "k"}' >"names/$name"
done
echo "-- tables"
code names --into a.db
tables a.db
sql a.db "select cast(name as blob), tbl from _tidemill_files order by name" | sed "s:$DIR/work/::"
sql a.db "pragma integrity_check"
echo "-- an index is called like a table"
mkdir clash
echo '{"_key": "k"}' | tee clash/a.jsonl >clash/a_key.jsonl
code clash --into b.db --index _key
sql b.db "select type, name, tbl_name from sqlite_schema where name not like '\_%' escape '\' and sql is not null order by name"
echo "-- columns"
python3 - <<'END'
import json
fields = ["_key", "name", "Name", "NAME", "name_2", "", "_empty", "a b", 'a"b', "a\0b", "select", "rowid", "oid",
          "_rowid_", "é", "É", "x.y", "a\nb", "\U0001f680", "'", "_more"]
with open("columns.jsonl", "w") as file:
    file.write(json.dumps({field: i for i, field in enumerate(fields, 5)}) + "\n")
    file.write('{"_key": "no integer", "\\u006e\\u0061me": "the same field, spelled otherwise"}\n')
END
for writer in pages sql; do
  code columns.jsonl --into $writer.db --writer $writer
  sql $writer.db "select name, type from pragma_table_info('columns')" >$writer.columns
  sql $writer.db 'select * from columns' >$writer.rows
done
cat pages.columns pages.rows
cmp pages.columns sql.columns
cmp pages.rows sql.rows
sql pages.db "select name, field from _tidemill_columns where name <> field"
echo "-- a list by such a name is a table"
printf '{"_key":1,"a\\u0000b":[1],"":[2],"_key_":[3]}\n' >lists.jsonl
code lists.jsonl --into lists.db --nested tables
tables lists.db
echo "-- more than SQLite has columns for"
python3 -c 'import json
print(json.dumps({"_key": 1} | {"c%04d" % i: i for i in range(2100)}))
print(json.dumps({"_key": 2, "c0000": "x", "c2099": [1, "é"], "new": None}))' >wide.jsonl
code wide.jsonl --into wide.db
sql wide.db "select count(*), min(name), max(name) from pragma_table_info('wide')"
sql wide.db "select _key, c0000, c1997, substr(_more, 1, 40), length(_more) from wide"
sql wide.db "select _more from wide where _key = 2"
