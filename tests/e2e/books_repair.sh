# books repair: a plan, copies, in place; never worse, and the same bytes again.
. "$LIB"
. "${LIB%/*}/../../books/e2e.sh"
mkdir library
book library/good.epub
book library/mime.epub mimetype-last
book library/nested.epub nested
book library/ncx.epub --epub2 ncx-uid
book library/ids.epub bad-id
book library/link.epub missing-link
cp -r library before
echo "-- the plan"
status tidemill books repair library --no-cache --progress none | sed 's/Time: .*/Time/'
diff -r library before && echo "nothing changed"
echo "-- copies"
status tidemill books repair library --apply --output repaired --no-cache --progress none --no-diff | tail -3 | sed 's/Time: .*/Time/'
diff -r library before && echo "the books are as they were"
ls repaired
status tidemill books check repaired --no-cache --progress none | sed 's/Time: .*/Time/'
echo "-- in place"
status tidemill books repair library --apply --in-place --no-cache --progress none --no-diff | tail -3 | sed 's/Time: .*/Time/'
ls -A library
for name in mime nested ncx ids; do
  cmp library/$name.epub repaired/$name.epub && cmp library/$name.epub.orig before/$name.epub
done && echo "the same as the copies, and the old books are kept"
echo "-- again: nothing to do"
cp -r library after
status tidemill books repair library -g '*.epub' --apply --in-place --no-cache --progress none --show-skipped | sed 's/Time: .*/Time/'
diff -r library after && echo "byte for byte"
echo "-- the archive is whole"
python3 -c "
import sys, zipfile
for path in sys.argv[1:]:
    book = zipfile.ZipFile(path)
    print(path, book.testzip(), [entry.filename for entry in book.infolist()][:2])
" repaired/*
echo "-- one fixer kept from acting"
book before/two.epub mimetype-last bad-id
status tidemill books repair before/two.epub --no-fix ids --no-cache --progress none --no-diff | sed 's/Time: .*/Time/'
echo "-- usage"
status tidemill books repair library --apply 2>&1
status tidemill books repair library --fix nothing 2>&1
status tidemill books repair library --no-fix idz 2>&1
status tidemill books repair library --apply --output ./library/ 2>&1
