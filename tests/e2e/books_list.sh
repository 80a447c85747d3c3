# books: the books of a list, one that does not exist among them, and a list that cannot be read again.
. "$LIB"
. "${LIB%/*}/../../books/e2e.sh"
mkdir -p library/sub
book library/good.epub
book library/sub/mime.epub mimetype-last
cp library/good.epub "library/other name"
printf '%s\n' library/good.epub library/gone.epub library/sub/mime.epub "library/other name" library library/good.epub >list
echo "-- check"
status tidemill books check --files-from list --no-cache --progress none | sed 's/Time: .*/Time/'
echo "-- separated by NUL, from standard input"
printf '%s\0' library/good.epub library/sub/mime.epub | { tidemill books check --files-from - -0 --no-cache --json -q || true; } | jq -c '[.totals.found, .totals.done, .totals.failed, [.books[].path]]'
echo "-- repair: copies have the paths of the list"
status tidemill books repair --files-from list --apply --output repaired --no-cache --progress none | sed 's/Time: .*/Time/'
find repaired -type f
echo "-- repair in place"
status tidemill books repair --files-from list --apply --in-place --no-cache --progress none -q
ls library library/sub
echo "-- an empty list"
status tidemill books check --files-from /dev/null --no-cache --progress none 2>&1 | sed 's/Time: .*/Time/'
echo "-- a list from standard input cannot be read again by resume: give it again"
mkfifo pipe
exec 3<>pipe
tidemill books check --files-from - -q <&3 &
pid=$!
started() { tidemill show last --json | grep -q '"state":"running"'; }
wait_until started
kill_hard $pid 2>/dev/null
exec 3>&-
status tidemill resume last 2>&1
status tidemill resume last --files-from list --progress none 2>/dev/null | tail -n 3 | sed 's/Time: .*/Time/'
tidemill runs
echo "-- usage"
status tidemill books check library --files-from list 2>&1
status tidemill books check --files-from list -g '*.epub' 2>&1
status tidemill books check --files-from list --checker both 2>&1
status tidemill books check library -0 2>&1
status tidemill books check --files-from missing 2>&1
status tidemill books check --files-from library 2>&1
