# dupes --files-from: search the files of a list instead of folders.
. "$LIB"
settled() { [[ $(($(date +%s) - $(stat -c %Z "$1"))) -gt 2 ]]; }
mkdir -p t/sub u
printf 'the same' | tee t/a t/sub/b t/not-listed >u/c
printf 'other' | tee t/x >u/x
ln t/a t/hard
ln -s a t/link
ln -s t way
mkfifo t/fifo
quiet() { sed -E 's/[0-9.]+ k?B reclaimable/ROOM reclaimable/; s/^(reclaimable +).*/\1ROOM/; s/^(time +).*/\1TIME/'; }
echo "-- one file in five spellings is one file; unusable names are skipped or fail"
printf '%s\n' t/a ./t/a t//a "$PWD/t/a" way/a u/c t/hard t/link t/fifo t t/sub/ gone nowhere/x t/x/y u/x >list
status tidemill dupes --files-from list --progress none --no-catalogue 2>&1 | quiet
echo "-- json"
(tidemill dupes --files-from list -q --json --no-catalogue 2>/dev/null || true) | python3 -c '
import json, sys
report = json.load(sys.stdin)
for group in report["groups"]:
    print(group["size"], [[name["path"] for name in copy["names"]] for copy in group["copies"]])
for failure in report["failures"]:
    print(failure)
print({key: report["totals"][key] for key in ("found", "skipped", "failed", "groups")})'
echo "-- standard input, names with every byte, and from the current folder"
printf 'n' | tee $'t/new\nline' $'t/\xff' >bare
printf '%s\0' $'t/new\nline' $'t/\xff' bare | tidemill dupes --files-from - -0 -q --json | python3 -c '
import json, sys
print(sorted(str(name) for copy in json.load(sys.stdin)["groups"][0]["copies"] for name in copy["names"]))'
printf '%s\0' t/a u/c | status tidemill dupes --files-from - -q
echo "-- filters"
find t u -type f | tidemill dupes --files-from - -q --fdupes -x sub -x 'not-*' -g '[abc]'
find t u -type f -name '?' | tidemill dupes --files-from - -q --fdupes --max-size 5
echo "-- the catalogue is read, but never changed"
wait_until settled u/c
tidemill dupes t u -q --hash-all >before 2>&1
tidemill catalogue ls --json >before
printf '%s\n' t/sub/b u/c | tidemill dupes --files-from - --progress none | grep -E '^(data|cached)'
tidemill catalogue ls --json | cmp - before && echo "as it was"
echo "-- actions: linked, undone, and moved with their folders"
printf '%s\n' t/sub/b u/c ../work/u/x t/x | sort >list
status tidemill dupes --files-from list --action hardlink --ignore-difference mtime --apply --progress none 2>&1 |
  sed -E 's/[0-9]{8}-[0-9]{4}-dupes(-[0-9]+)?/RUN/g; s/[0-9.]+ k?B (reclaimed|reclaimable)/ROOM \1/'
find t u -type f -name '[a-z]*' ! -name 'n*' -printf '%n %p\n' | LC_ALL=C sort
tidemill undo last -q
tidemill dupes --files-from list --action move:trash --apply -q
find trash -type f | sort
tidemill undo last -q
find t u -type f | wc -l
ls -d trash 2>/dev/null || echo "the folders are gone"
echo "-- invalid combinations and lists"
status tidemill dupes t --files-from list
status tidemill dupes --files-from list --reference t
status tidemill dupes --files-from list --folders
status tidemill dupes t -0
status tidemill dupes --files-from t
status tidemill dupes --files-from nowhere
status tidemill dupes --files-from - --progress none </dev/null
echo t | status tidemill dupes --files-from - --progress none
echo "-- a list from a pipe cannot be resumed"
mkfifo pipe
tidemill dupes --files-from - -q <pipe &
exec 9>pipe
recorded() { [[ $(tidemill runs --json | grep -c dupes) -gt 0 ]]; }
wait_until recorded
kill_hard $! 2>/dev/null || true
exec 9>&-
status tidemill resume last 2>&1 | tail -1
