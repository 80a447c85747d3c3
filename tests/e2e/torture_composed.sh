# COMPOSED: several commands and pipes in one task need no bash -c.
. "$LIB"
echo bar | tidemill each -q --files-from - --shell -- 'echo foo; echo "$1"'
echo bar | tidemill each -q --files-from - --shell -- 'echo "$1" | tr a-z A-Z && ! false || echo never; (cd / && pwd)'
echo bar | tidemill each -q --files-from - --shell -- '
  for i in 1 2; do
    echo "$i $1"
  done >&2' 2>&1
