# batch --files-from: names from a list, in its order; a list that was cut short is given again.
. "$LIB"
. "${LIB%/*}/../../batch/e2e.sh"
words 10 b.txt
words 10 a.txt
words 10 dir/c.txt
ln -s a.txt link
printf 'b.txt\na.txt\nmissing\ndir\nlink\n./dir/c.txt\n' >list
run --files-from list -m 20 --paths relative >out
grep '^{' out | brief
grep -v '^{' out
echo "-- absolute paths, from a pipe, separated by NUL"
printf '%s\0' dir/c.txt "$PWD/a.txt" | tidemill batch --files-from - -0 -m 20 -q | jq -rc '.files[].path' | sed "s:$PWD:DIR:"
echo "-- the same list, the same ids"
(tidemill batch --files-from list -m 20 -q 2>/dev/null || true) | ids >one
(tidemill batch --files-from list -m 20 -n -q 2>/dev/null || true) | ids | cmp - one && echo same
echo "-- what failed is tried again"
tidemill failures last --json | jq -r '.failures[0].name // .letters[0].name // empty' | sed "s:$PWD:DIR:"
words 5 missing
tidemill failures last retry --all -q 2>/dev/null | jq -rc '.files[].path' | sed "s:$PWD:DIR:"
echo "-- misuse"
run dir --files-from list -m 20
run --files-from list -m 20 -g '*.txt'
run --files-from list -m 20 --ignore-files
run --files-from dir -m 20
run --files-from /dev/null -m 20
echo "-- a list through a pipe that is cut off: the rest needs the list again"
mkdir many
for ((i = 100; i < 300; ++i)); do printf "%s" "$(<a.txt)" >"many/$i.txt"; done
ls -d many/* >names
mkfifo pipe
exec 3<>pipe
head -n 101 names >&3
tidemill batch --files-from - -m 20 -q <pipe >first &
pid=$!
wait_until lines 50 first
kill_hard $pid 2>/dev/null
exec 3>&-
ended() { "$@" || echo "ended with $?" >&2; }
ended tidemill resume last --progress none </dev/null 2>said >second
grep -v -E "^resuming|process" said
echo "-- another list is refused"
tail -n +2 names >others
ended tidemill resume last -q --files-from others 2>&1 >third
echo "-- the same one"
ended tidemill resume last -q --files-from names 2>&1 >fourth
tidemill runs --json | jq -r '.runs[0].state'
cat first second third fourth | ids | sort -u >got
wc -l <got
# The id of a batch depends on the name of its list; which files are in it does not.
cat first second third fourth | jq -rc '[.files[].path] | @text' | sort -u >got
tidemill batch --files-from names -m 20 -q | jq -rc '[.files[].path] | @text' | sort -u | cmp - got && echo "all of them"
