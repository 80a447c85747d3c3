# --results: the output of each task in files, and nothing printed.
. "$LIB"
printf '%s\n' one two three >list
status tidemill each --progress none --files-from list --results out/deep --keep-output 1K --shell -- \
  'echo "out $1"; echo "err $1" >&2; test $1 != two || { head -c 100000 /dev/zero; exit 1; }' 2>&1
cd out/deep
wc -c * | sed 's/^ *//'
head -n 1 1.out 1.err 3.out
echo "-- nothing is left of what was put aside"
find "$TIDEMILL_STATE" -path '*spill*' -type f | wc -l
