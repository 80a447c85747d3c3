# INPUTSIZE, many names: E2E_NAMES short ones (10,000,000 by hand) are streamed, not held. Starting
# that many commands is not the question here: one blocks until all names are in the journal.
. "$LIB"
names=${E2E_NAMES:-200000}
seq "$names" | peak used tidemill each -q -j 1 --files-from - --shell -- 'echo >started; exec hang' 2>/dev/null &
wait_until test -e started
all_found() { tidemill show last --json | grep -q "\"found\":$names,.*\"foundAll\":true"; }
wait_until all_found
tidemill show last --json | fields foundAll done pending | sed "s/$names/all/"
kill -INT "$(pgrep -P $! tidemill)"
status wait $!
awk '{ print $1 <= 64 ? "at most 64 MiB" : "used " $1 " MiB" }' used
echo "-- and --dry-run"
seq "$names" | peak used tidemill each -n --files-from - -- echo | cmp - <(seq -f 'echo %.0f' "$names") && echo same
awk '{ print $1 <= 32 ? "at most 32 MiB" : "used " $1 " MiB" }' used
