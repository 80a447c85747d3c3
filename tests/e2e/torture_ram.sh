# RAM: outputs larger than memory. 20 jobs write E2E_OUTPUT_MB each (1000 is the test of the page),
# and the program stays small.
. "$LIB"
size=${E2E_OUTPUT_MB:-200}
free=$(df -Pm "$DIR" | awk 'NR == 2 { print $4 }')
((free > size * 22)) || skip "needs $((size * 22)) MB of disk in $DIR, has $free"
seq 20 | peak used tidemill each -q -j 20 --files-from - --shell -- \
  "yes \$(head -c 30000 /dev/zero | tr '\\0' c) | head -c ${size}M" | wc -c | awk -v s="$size" '{ print $1 == 20 * s * 1048576 ? "all of it" : $1 }'
awk '{ print $1 <= 96 ? "at most 96 MiB" : "used " $1 " MiB" }' used
find "$TIDEMILL_STATE" -path '*spill*' -type f | wc -l
