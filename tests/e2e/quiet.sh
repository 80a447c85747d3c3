# --quiet: errors alone on standard error, a line each, and on standard output what was asked for.
. "$LIB"
touch f
tidemill each f -q -- true
tidemill each f -q -- echo output
echo "-- with failures it says so"
status tidemill each f -q -- false 2>&1
tidemill runs -q | wc -l
echo "-- import"
printf '{"a":1}\nno\n' >bad.jsonl
status tidemill import bad.jsonl --into db -q 2>&1 | sed 's/ in [^;]*;/ in TIME;/'
echo "-- dupes: the groups, and not what it came to"
mkdir t
echo same | tee t/a >t/b
touch -d @0 t/a
tidemill dupes t -q | grep -v copies
status tidemill dupes t -q --action hardlink --apply 2>&1
