# letters: list, show, export, drop, retry: by number, by reason, all.
. "$LIB"
printf '%s\n' a b c d >list
tidemill each -q -w 1 --files-from list --shell -- \
  'test -e "$1.ok" && exit 0; echo "no $1" >&2; case $1 in a) exit 5 ;; d) exit 0 ;; *) exit 6 ;; esac' >/dev/null 2>&1 || true
echo "-- list"
tidemill letters last
tidemill letters last --reason 'status 5'
tidemill letters last list --json | fields v letters | sed -E 's/"(first|last)Failure": "[^"]*"/"\1Failure": DATE/g'
echo "-- show"
tidemill letters last show 1
echo "-- export"
tidemill letters last export | fields task name attempts reason output
echo "-- drop"
status tidemill letters last drop 2
status tidemill letters last drop 2
status tidemill letters last drop 99
echo "-- retry without a choice, and of what has none"
status tidemill letters last retry
status tidemill letters last retry 4
echo "-- retry by reason: it fails again"
status tidemill letters last retry --reason 'status 5' -q 2>/dev/null
touch a.ok c.ok
rm list
echo "-- retry all: the list is not needed any more"
status tidemill letters last retry --all --progress none 2>&1
tidemill letters last
tidemill show last --json | fields done failed letters abandoned pending
