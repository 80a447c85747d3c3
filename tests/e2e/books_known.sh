# books: what was looked at and has not changed is not looked at again; what could not be looked at is.
. "$LIB"
. "${LIB%/*}/../../books/e2e.sh"
mkdir library
book library/a.epub
book library/b.epub bad-element
counts() { jq -c '[.totals.found, .totals.unchanged, .totals.valid, .totals.invalid, .totals.failed]'; }
check() { { tidemill books check library --json -q "$@" || true; } | counts; }
wait_until settled library/b.epub
check
echo "-- again: known, and told the same"
check
echo "-- asked for another profile, or to look again"
check --profile edupub
check
check --again
echo "-- one has changed"
book library/a.epub no-title
wait_until settled library/a.epub
check
echo "-- one is gone, one is no file"
rm library/b.epub
mkfifo library/c.epub
check
echo "-- the cache of another program is left alone"
foreign() { python3 -c "import sqlite3; db = sqlite3.connect('other.db'); print(db.execute('$1').fetchall())"; }
foreign 'create table t(x)' >/dev/null
foreign 'pragma user_version = 7' >/dev/null
status tidemill books check library --cache other.db -q 2>&1
foreign 'select name from sqlite_master'
