# import: names of files from a list, and --dry-run, which changes nothing.
. "$LIB"
. "${LIB%/*}/../../import/e2e.sh"
mkdir data folder
printf '{"_key":1,"a":1}\n{"_key":2,"a":2}\n' >data/one.jsonl
printf '{"_key":1,"b":1}\n' >data/two.txt
printf '{"_key":1,"c":1}\n' >-
printf 'data/two.txt\nmissing\nfolder\ndata/one.jsonl\n-\ndata/one.jsonl\n' >list
echo "-- a dry run"
status tidemill import --files-from list --into a.db -n 2>&1
status tidemill import data --into a.db --dry-run --json -q
status tidemill import data --into a.db -n --table all 2>&1
ls ./*.db* 2>/dev/null || echo "no database"
echo "-- the import"
run --files-from list --into a.db
told --files-from list --into b.db | fields found done skipped failed failures
echo "-- from a pipe, separated by NUL"
printf 'data/one.jsonl\0' | told --files-from - -0 --into c.db | fields found done rows
echo "-- again: only what has changed"
printf '{"_key":3,"a":3}\n' >>data/one.jsonl
printf '{"_key":3,"a":3}\n' >data/three.jsonl
status tidemill import data/one.jsonl data/two.txt data/three.jsonl --into a.db --incremental -n 2>&1
sql a.db "select count(*) from one"
told data/one.jsonl data/two.txt data/three.jsonl --into a.db --incremental | fields done skipped
echo "-- nothing to import"
run --files-from /dev/null --into d.db
printf 'missing\n' >gone
run --files-from gone --into d.db
run --files-from nowhere --into d.db
echo "-- misuse"
run data --files-from list --into d.db
run --files-from list --glob '*' --into d.db
run data -0 --into d.db
echo "-- a list from standard input cannot be read again"
mkfifo pipe
exec 3<>pipe
echo data/one.jsonl >&3
tidemill import --files-from - --into e.db -q <pipe &
pid=$!
wait_until eval 'tidemill runs --json | grep -q e.db'
kill_hard $pid 2>/dev/null
exec 3>&-
status tidemill resume last 2>&1
status tidemill resume last --files-from list --progress none 2>&1 | sed -E "s:, [0-9.]+ [kM]?B in .*:, SIZE in TIME:"
