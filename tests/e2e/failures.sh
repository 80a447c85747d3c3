# failures: list, show, export, drop, retry: by number, by reason, all.
. "$LIB"
printf '%s\n' a b c d >list
tidemill each -q -w 1 --files-from list --shell -- \
  'test -e "$1.ok" && exit 0; echo "no $1" >&2; case $1 in a) exit 5 ;; d) exit 0 ;; *) exit 6 ;; esac' >/dev/null 2>&1 || true
echo "-- list"
tidemill failures last
tidemill failures last --reason 'status 5'
tidemill failures last list --json | fields v failures | sed -E 's/"(first|last)Failure": "[^"]*"/"\1Failure": DATE/g'
tidemill letters last --reason 'status 5' | wc -l  # the old name
echo "-- show"
tidemill failures last show 1
echo "-- export"
tidemill failures last export | fields task name attempts reason output
echo "-- drop, and first without doing it"
status tidemill failures last drop 2 -n
status tidemill failures last retry --all --dry-run
status tidemill failures last retry --reason nothing -n
status tidemill failures last list -n
tidemill show last --json | fields done failed retryable dropped pending
status tidemill failures last drop 2
status tidemill failures last drop 2
status tidemill failures last drop 99
echo "-- retry without a choice, and of what has none"
status tidemill failures last retry
status tidemill failures last retry 4
echo "-- retry by reason: it fails again"
status tidemill failures last retry --reason 'status 5' -q 2>/dev/null
touch a.ok c.ok
rm list
echo "-- retry all: the list is not needed any more"
status tidemill failures last retry --all --progress none 2>&1
tidemill failures last
tidemill show last --json | fields done failed retryable dropped pending
