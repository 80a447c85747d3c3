# dupes: nothing in a reference is ever changed.
. "$LIB"
mkdir -p inbox archive/2020
printf 'in both' | tee inbox/a archive/2020/a >inbox/again
printf 'twice in the archive' | tee archive/x >archive/2020/x
printf 'linked' >archive/linked
ln archive/linked inbox/linked
cp -p archive/linked inbox/copy
state() { find inbox archive -type f -printf '%p %n\n' | sort; }
state >before
plan() {
  echo "-- $*"
  tidemill dupes --action delete -q "$@" | sed -E 's/, reclaims .*//' | sort
}
plan inbox --reference archive
plan inbox --reference archive --keep 'path:inbox/*' --keep newest
plan archive/2020 --reference archive
plan archive --reference archive/2020
plan archive --reference archive
plan archive --reference "$PWD/archive/"
plan --reference archive
state | cmp - before && echo "nothing was changed"
echo "-- applied"
tidemill dupes inbox archive --reference archive --action delete --apply -q 2>/dev/null
state
