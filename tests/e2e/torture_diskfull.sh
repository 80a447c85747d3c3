# DISKFULL: no room for an output is said and never a shorter output. The run pauses or the task
# fails; with room again everything is there.
. "$LIB"
own_mounts "$0"
mkdir disk
mount -t tmpfs -o size=24M,mode=700 tmpfs disk
seq 3 >list
export TIDEMILL_STATE=$PWD/disk
code=0
tidemill each -q -j 1 -a 1 --files-from list --shell -- \
  'test "$1" != 2 || head -c 30M /dev/zero | tr "\0" X; echo "end of $1"' >out 2>/dev/null || code=$?
echo "exit status $code"
tr -s X <out | cut -c 1-40
tidemill failures last export | fields task step reason
find disk -path '*spill*' -type f | wc -l
echo "-- on a larger disk"
mount -o remount,size=80M disk
tidemill failures last retry --all -q | tr -s X
