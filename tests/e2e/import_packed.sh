# import: gzip, zstd and standard input; what is packed is told by its contents.
. "$LIB"
. "${LIB%/*}/../../import/e2e.sh"
command -v zstd >/dev/null || skip "there is no zstd"
python3 -c 'for i in range(20000): print("{\"_key\":%d,\"v\":\"value %d\"}" % (i, i))' >all
mkdir packed
gzip <all >packed/a.jsonl.gz
zstd -q <all >packed/b.jsonl.zst
(head -n 10000 all | gzip; tail -n 10000 all | gzip) >packed/c.jsonl.gz
(head -n 10000 all | zstd -q; tail -n 10000 all | zstd -q) >packed/d.ndjson.zst
gzip <all >packed/e.jsonl
cp all packed/f.jsonl.gz
: | gzip >packed/empty.jsonl.gz
code packed --into a.db
for table in a b c d e f empty; do
  sql a.db "select '$table', count(*), sum(_key), max(v) from $table" 2>/dev/null || sql a.db "select '$table', count(*) from $table"
done
sql a.db "select tbl, bytes, lines from _tidemill_files order by tbl"
echo "-- standard input"
tidemill import - --into b.db -q <all
schema b.db
gzip <all | told - --into c.db --table lines | fields rows found done skipped failed
sql c.db "select count(*), min(rowid), max(rowid) from lines"
head -c 1000 all | code - --into d.db
sql d.db "select file, line, offset, reason, text from _rejects"
code - packed/a.jsonl.gz --into e.db <all
sql e.db "select name, rows from _tidemill_files order by tbl" | sed "s:$DIR:DIR:"
echo "-- a FIFO"
mkfifo pipe.jsonl
cat all >pipe.jsonl &
told pipe.jsonl --into f.db | fields rows
wait
