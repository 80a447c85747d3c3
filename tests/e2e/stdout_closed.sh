# A reader that leaves ends the run cleanly: a message, a status that is not 0, and resume goes on. There
# is more output than fits into the pipe, so the run is not over before the reader has begun.
. "$LIB"
seq 3000 >list
code=0
{ tidemill each --progress none --files-from list -- sh -c 'echo "$1" >>ran; printf "%0200d\n" "$1"' sh 2>errors || code=$?; echo $code >code; } | head -n 1 >first
wait_until test -s code
wc -l <first
cat code
sed -E 's/[0-9,]+ (done|left)/N \1/g; s/of [0-9,]+ in/of N in/' errors # as far as the list was read
tidemill runs --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["runs"][0]["state"])'
status tidemill resume last -q >rest
sort -n ran | uniq | wc -l
tidemill check last -q && echo checked
