# 4GB: one line of output that is longer than 4 GB by hand (E2E_LINE_MB=5000), 300 MB otherwise.
. "$LIB"
size=${E2E_LINE_MB:-300}
free=$(df -Pm "$DIR" | awk 'NR == 2 { print $4 }')
((free > size * 2)) || skip "needs $((size * 2)) MB of disk in $DIR, has $free"
echo 1 | peak used tidemill each -q --files-from - --shell -- "head -c ${size}M /dev/zero | tr '\\0' a" |
  wc -lc | awk -v s="$size" '{ print $1, $2 == s * 1048576 ? "all of it" : $2 }'
awk '{ print $1 <= 64 ? "at most 64 MiB" : "used " $1 " MiB" }' used
echo "-- with a tag before the line"
echo 1 | peak used tidemill each -q --tag --files-from - --shell -- "head -c ${size}M /dev/zero | tr '\\0' a" |
  wc -c | awk -v s="$size" '{ print $1 - s * 1048576 <= 3 ? "all of it" : $1 }'
awk '{ print $1 <= 64 ? "at most 64 MiB" : "used " $1 " MiB" }' used
