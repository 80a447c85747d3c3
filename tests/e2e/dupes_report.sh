# dupes: the report, and what is not a duplicate.
. "$LIB"
mkdir -p t/deep u
printf 'the same' | tee t/a t/deep/b >u/c
ln t/a t/a_again
printf 'the sane' >t/other
printf 'a size of its own' >t/alone
printf 2 | tee t/2 >u/2
printf 'within' | tee t/w >t/within
: >t/empty
: >u/empty
ln -s a t/link
mkfifo t/fifo
quiet() { sed -E 's/[0-9.]+ k?B reclaimable/ROOM reclaimable/; s/^(reclaimable +).*/\1ROOM/; s/^(time +).*/\1TIME/'; }
echo "-- hard links are one file; empty files, symlinks and FIFOs are skipped"
tidemill dupes t u --progress none --no-catalogue | quiet
echo "-- only between the roots, with empty files"
tidemill dupes t u --progress none --between --min-size 0 --no-catalogue | quiet
echo "-- at least three copies"
tidemill dupes t u -q --min-copies 3 --fdupes
echo "-- the groups that are shown"
tidemill dupes t u --progress none --top 1 --no-catalogue | quiet | sed -n 1,7p
echo "-- files without a duplicate"
tidemill dupes t u --unique --progress none 2>/dev/null | sort
echo "-- roots: the same twice, a file, one inside another, through a symlink"
ln -s t s
tidemill dupes t t ./t -q --fdupes
tidemill dupes t/a u/c -q --fdupes
tidemill dupes t t/deep -q --fdupes
tidemill dupes t s -q --fdupes
echo "-- an empty folder"
mkdir none
status tidemill dupes none -q --no-catalogue | quiet
