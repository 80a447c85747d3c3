# books check: what is wrong with books, and what is not.
. "$LIB"
. "${LIB%/*}/../../books/e2e.sh"
mkdir -p library/old
book library/good.epub
book library/bad.epub bad-element missing-link
book library/old/mime.epub --epub2 mimetype-last ncx-uid
printf 'no book' >library/no.epub
umask 022
status tidemill books check library 2>/dev/null | sed 's/Time: .*/Time/'
stat -c 'the state folder has mode %a' "$TIDEMILL_STATE"
echo "-- by rule"
status tidemill books check library --by-rule --no-cache 2>/dev/null | sed 's/Time: .*/Time/'
echo "-- what counts"
status tidemill books check library/bad.epub --ignore RSC-007 --severity RSC-005=warning --no-cache --progress none | sed 's/Time: .*/Time/'
status tidemill books check library/bad.epub --ignore 'library/*:RSC-007' --min-severity error --no-cache --progress none | sed 's/Time: .*/Time/'
status tidemill books check library/old --fail-on never --no-cache --progress none | sed 's/Time: .*/Time/'
echo "-- one object"
{ tidemill books check library --json --no-cache -q || true; } | jq -c '[.totals.found, .totals.valid, .totals.invalid, (.books[] | [.path, .verdict, (.counts | keys)])]'
echo "-- lines"
tidemill books check library/good.epub --jsonl --no-cache -q | jq -c '[.event, .verdict]'
echo "-- what is not there"
status tidemill books check library nothing --no-cache 2>&1
status tidemill books repair nothing --no-cache 2>&1
echo "-- what is not supported"
mkdir -p foreign/unpacked.epub/META-INF
touch foreign/unpacked.epub/META-INF/container.xml
printf '%060dBOOKMOBI' 0 >foreign/kindle.epub
cp library/good.epub foreign/comic.cbz
status tidemill books check foreign/comic.cbz foreign --no-cache 2>/dev/null | sed 's/Time: .*/Time/'
status tidemill books repair foreign/comic.cbz foreign --no-cache --show-skipped 2>/dev/null | sed 's/Time: .*/Time/'
mkdir empty
status tidemill books check empty --no-cache --progress none 2>&1 | sed 's/Time: .*/Time/'
touch file
TIDEMILL_STATE=$PWD/file/state status tidemill books check library -q 2>&1
echo "-- usage"
status tidemill books check 2>&1
status tidemill books check . --ignore XYZ-1 2>&1
status tidemill books check . --severity RSC-005=worse 2>&1
status tidemill books check . --json --format html 2>&1
status tidemill books 2>&1
