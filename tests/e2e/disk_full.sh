# A full disk under the journal: the run pauses, says so, and resumes when there is space.
. "$LIB"
own_mounts "$0"
mkdir disk
mount -t tmpfs -o size=24M,mode=700 tmpfs disk
export TIDEMILL_STATE=$PWD/disk
mkfifo gate
seq 5000 >list
tidemill each --progress none -j 1 --files-from list --shell -- \
  'echo "$1" >>ran; test "$1" != 1 || { echo >started; read -r _ <gate; }' 2>errors &
pid=$!
wait_until test -e started
all_found() { tidemill show last --json | grep -q '"found":5000,.*"foundAll":true'; }
wait_until all_found
head -c 100M /dev/zero >disk/filler 2>/dev/null || echo "the disk is full"
echo go >gate
wait_until grep -q Paused errors
rm disk/filler
status wait $pid
sed -E 's/^(Paused: [^:]*:).*(The run resumes)/\1 ... \2/' errors | uniq
sort -n ran | cmp - list && echo "each of them once"
