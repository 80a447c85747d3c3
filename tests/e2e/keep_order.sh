# --keep-order: the outputs in the order of the names, whoever is first.
. "$LIB"
mkfifo gate
seq 6 >list
# The first one ends last: it waits for the others.
tidemill each -q -j 2 -k --files-from list --shell -- \
  'case $1 in 1) read -r _ <gate ;; 6) echo go >gate ;; esac; echo "out $1"; echo "err $1" >&2' 2>errors
echo "-- standard error"
cat errors
echo "-- without it they come as they end: 2 is before 1"
tidemill each -q -j 2 --files-from list --shell -- \
  'case $1 in 1) read -r _ <gate ;; 6) echo go >gate ;; esac; echo "$1"' | grep -x '[12]'
