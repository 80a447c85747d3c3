# import: a line that is no record costs that line, and is kept with its place and the reason.
. "$LIB"
. "${LIB%/*}/../../import/e2e.sh"
python3 - <<'END'
lines = [b'{"_key": 1, "a": "good"}', b'{"_key": 2, "a": "cut', b'{"_key": 3} {"_key": 4}', b'[1, 2]', b'"text"',
         b'null', b'{"_key": 5, "a": 1, "a": 2}', b'{"_key": 6, "a": "\xff\xfe"}', b'{"_key": 7, "a": "tab\there"}',
         b'{"_key": 8, "a": "nul\0"}', b'{"_key": 9, "a": "\\ud83d lone"}', b'{"_key": 10, "a": 01}',
         b'{"_key": 11, "a": NaN}', b'{"_key": 12, "a": [1, 2,]}', b'{"_key": 13, "a": "\\x"}', b'{"_key": 14,}',
         b"{'_key': 15}", b'   ', b'\r', b'{"_key": 16, "a": ' + b"[" * 999 + b"]" * 999 + b"}",
         b'{"_key": 17, "a": ' + b"[" * 1000 + b"]" * 1000 + b"}", b'{"_key": 18, "a": "good"}\r',
         b'{"_key": 19, "a": "cu']
open("bad.jsonl", "wb").write(b"\n".join(lines))
open("good.jsonl", "wb").write(b'\xef\xbb\xbf{"_key": 1}\n')
END
echo "-- the good ones are in, the others are told"
run bad.jsonl good.jsonl --into a.db
sql a.db "select _key, substr(a, 1, 10) from bad"
sql a.db "select * from good"
sql a.db "select line, offset, reason, typeof(text), substr(text, 1, 40) from _rejects"
sql a.db "select distinct file from _rejects"
sql a.db "select lines, rows, blank, rejected from _tidemill_files order by lines"
echo "-- by reason, for programs"
told bad.jsonl --into b.db | python3 -c 'import json, sys
for group in json.load(sys.stdin)["rejects"]: print(*group.values())'
echo "-- so many are too many: nothing is made"
run bad.jsonl --into c.db --max-rejects 17
run bad.jsonl --into c.db --max-rejects 50%
run bad.jsonl good.jsonl --into c.db --max-rejects 0
ls c.db* 2>/dev/null || echo "there is no c.db"
echo "-- so many are not"
code bad.jsonl --into c.db --max-rejects 18
code bad.jsonl --into d.db --max-rejects 90%
code good.jsonl --into e.db --max-rejects 0
echo "-- lines that are too long"
python3 -c 'print("{\"_key\":1}"); print("{\"_key\":2,\"a\":\"" + "x" * 300000 + "\"}"); print("{\"_key\":3}")' >long.jsonl
code long.jsonl --into f.db --max-line 100K
sql f.db "select _key from long"
sql f.db "select line, offset, reason, length(text) from _rejects"
code long.jsonl --into g.db --max-line 1M
sql g.db "select _key, length(a) from long"
echo "-- no JSON lines at all: what makes some, once"
echo '[{"_key": 1}, {"_key": 2}]' >list.json
printf '{\n  "_key": 1\n}\n' >long.json
run list.json long.json good.jsonl --into h.db
gzip -kn list.json
run list.json.gz --into i.db
run - --into j.db --append <list.json
