# A reader that leaves is not an error: nothing is complained about, and the exit status is 141, as of a
# program that SIGPIPE has ended. A run keeps its place: resume goes on with it. There is more output than
# fits into the pipe, so the run is not over before the reader has begun.
. "$LIB"
seq 3000 >list
code=0
{ tidemill each --progress none --files-from list -- sh -c 'echo "$1" >>ran; printf "%0200d\n" "$1"' sh 2>errors || code=$?; echo $code >code; } | head -n 1 >first
wait_until test -s code
wc -l <first
cat code
cat errors
tidemill runs --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["runs"][0]["state"])'
status tidemill resume last -q >rest
sort -n ran | uniq | wc -l
tidemill check last -q && echo checked
echo "-- verbs without a run of their own leave nothing behind"
mkdir t
echo same | tee t/a >t/b
echo '{"a":1}' >t/c.jsonl
# The reader is gone before the program starts.
export TIDEMILL_PROGRESS=none
closed() {
  echo "$1: $(python3 - "$@" <<'PYTHON'
import os, subprocess, sys
read, write = os.pipe()
os.close(read)
done = subprocess.run(["tidemill", *sys.argv[1:]], stdout=write, stderr=subprocess.PIPE)
print(done.returncode, done.stderr.decode().strip())
PYTHON
)"
}
closed dupes t
closed tokens t --tokenizer bytes/4
closed import -q t --into db --json
closed import -q t --into db --incremental --json
closed runs
closed show last
closed man each
closed completion bash
closed each t --dry-run -- echo
tidemill runs | awk 'NR > 1 { print $2 }'
ls db*
