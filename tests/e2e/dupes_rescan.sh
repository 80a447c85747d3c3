# dupes: a second scan reads only changed files, also those with the same size and time.
. "$LIB"
# The hash of a file modified a moment ago is not cached: wait until the files are old enough.
settled() { [[ $(($(date +%s) - $(stat -c %Z "$1"))) -gt 2 ]]; }
mkdir -p t/sub
printf 'the same' | tee t/a t/b >t/sub/c
printf 'not this' >t/d
wait_until settled t/d
run() {
  echo "-- $1"
  tidemill dupes t --progress none "${@:2}" | grep -E '^(groups|duplicate|data|cached)'
}
run "the first"
run "nothing has changed"
run "compared byte for byte" --verify
rm t/b
run "one is gone"
touch -r t/d stamp
printf 'the same' >t/d
touch -r stamp t/d
run "other contents, size and time of modification as before"
run "without a catalogue" --no-catalogue
