# --rate: commands do not start faster than allowed. Only the whole is measured: a command that is slow to
# begin looks late, but the last of 30 at 20/s begins 1.45 s after the first, or 1.4 s with a burst of
# one, and so that long after we began.
. "$LIB"
seq 30 >list
began=$EPOCHREALTIME
tidemill each -q -j 4 --rate 20/s --files-from list -- echo | wc -l
ended=$EPOCHREALTIME
awk -v began="$began" -v ended="$ended" 'BEGIN {
  print (ended - began > 1.39 ? "not faster" : "too fast: " ended - began " s")
}'
status tidemill each --files-from list --rate fast -- true
