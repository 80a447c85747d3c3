# import: files become tables; what is told of it, for people and for programs.
. "$LIB"
. "${LIB%/*}/../../import/e2e.sh"
mkdir -p data/deep
cat >data/types.jsonl <<'END'
{"_key": 18, "name": {"de": "Plagioklas", "en": "Plagioclase"}, "mass": 1e35, "published": true}
{"_key": 19, "name": {"de": "Spodumain", "en": "Spodumain"}, "published": false, "volume": 16}

{"_key": 20, "name": null, "mass": 3000.0, "groups": [1, 2, 3]}
END
printf '{"id": "a", "n": 1}\n{"id": "b"}\n' >data/deep/codes.ndjson
echo "not mine" >data/readme.txt
echo '{"x": 1}' >data/MANIFEST.json
echo "-- a folder into a new database"
run data --into a.db
schema a.db
sql a.db "select rowid, * from types"
sql a.db "select rowid, * from codes"
sql a.db "select name, tbl, lines, rows, blank, rejected from _tidemill_files order by name"
echo "-- what programs read"
told data --into b.db | shown
told data --into c.db --writer sql --jobs 1 --page-size 4K | fields mode writer rows blank
sql c.db "pragma page_size"
echo "-- nothing is said when all is well and nobody asks"
tidemill import data --into d.db -q
echo "-- some of the files, single files, the same twice"
told data --into e.db --glob '*.ndjson' | fields found done skipped failed
told data --into f.db --exclude deep | fields found done skipped failed
told data data/types.jsonl --into g.db | fields found done skipped failed
run data/types.jsonl data/readme.txt --into h.db
echo "-- all into one table, and an index"
tidemill import data --into i.db --table all --index name,id -q
sql i.db 'select * from "all" order by rowid'
run data --into all.db --table all
schema i.db
echo "-- nothing to import"
mkdir none
run none --into j.db
run nowhere --into j.db
run data/types.jsonl nowhere --into j.db
run nowhere --into a.db --replace
ls
: >none/empty.jsonl
run none --into k.db
schema k.db
