# STDERRMERGE: standard error stays on standard error, each in one piece.
. "$LIB"
printf '%s\n' 1 2 | tidemill each -q -j 2 --files-from - --shell -- \
  'echo stdout $1; echo stderr $1 >&2; echo stdout $1; echo stderr $1 >&2' >stdout 2>stderr
for file in stdout stderr; do
  uniq -c $file | sort
done
