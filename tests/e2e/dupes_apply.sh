# dupes: apply and undo hardlink, delete and move.
. "$LIB"
make() {
  rm -rf t
  mkdir -p t/keep t/more
  printf 'one one' >t/keep/1
  chmod 640 t/keep/1
  touch -d '2020-02-02 UTC' t/keep/1
  cp -p t/keep/1 t/more/1
  cp -p t/keep/1 t/more/$'new\nline\xff'
  printf 'other' >t/keep/other
  touch -d '2020-02-02 UTC' t/keep/other
}
state() { (cd t && find . -type f -printf '%p %n %m %s %TY\0' | sort -z | tr '\n\0' '?\n' | cat -v); }
runs() { sed -E 's/[0-9]{8}-[0-9]{4}-dupes(-[0-9]+)?/RUN/g; s/[0-9.]+ k?B (reclaimed|reclaimable)/ROOM \1/'; }
act() {
  make
  state >before
  echo "-- $*"
  status tidemill dupes t --keep 'path:keep/*' --apply --progress none "$@" 2>&1 | runs
  state
  grep . t/keep/1
  echo "-- undone"
  status tidemill undo last -q
  state | cmp - before && echo "as it was"
  find t -name '.tidemill*'
}
act --action hardlink
act --action delete
act --action move:trash
ls -d trash 2>/dev/null || echo "the folders are gone"
echo "-- move to a place that is taken"
make
mkdir -p trash/more
echo precious >trash/more/1
status tidemill dupes t --keep 'path:keep/*' --action move:trash --apply --progress none 2>&1 | runs
grep precious trash/more/1
(cd t && find . -type f -print0 | sort -z | tr '\n\0' '?\n' | cat -v)
mkdir t/extra
cp -p t/keep/other t/extra/other
tidemill dupes t --keep 'path:keep/*' --action move:trash/new --apply -q --progress none
find trash -type d | sort
echo "-- undone: folders that existed before and folders that are not empty stay"
touch trash/new/extra/mine
status tidemill undo last -q
find trash -type d | sort
rm trash/new/extra/mine
status tidemill undo last -q
find trash -type d | sort
echo "-- why steps were skipped, and progress of the steps"
make
touch -d '2021-01-01 UTC' t/more/1
chmod 600 t/more/$'new\nline\xff'
status tidemill dupes t --keep 'path:keep/*' --action hardlink --progress none 2>&1
status tidemill dupes t --keep 'path:keep/*' --action hardlink --apply --progress plain 2>&1 |
  sed -E 's/^[0-9:]{8} /CLOCK /; s/[0-9.,]+\/(s|min|h)/RATE/; s/took .*/took TIME/'
status tidemill dupes t --keep 'path:keep/*' --action hardlink --ignore-difference mtime \
  --ignore-difference mode --apply --progress plain 2>&1 | runs |
  sed -E 's/^[0-9:]{8} /CLOCK /; s/[0-9.,]+\/(s|min|h)/RATE/; s/took .*/took TIME/'
echo "-- without work there is no new run: the last run can still be undone"
ls "$TIDEMILL_STATE/runs" | wc -l
status tidemill dupes t --action hardlink --progress none
status tidemill dupes t --action hardlink --apply --progress none
tidemill dupes t --action hardlink --apply --json -q
ls "$TIDEMILL_STATE/runs" | wc -l
echo "-- a missing folder: undo again when it is back"
mv t/more away
status tidemill undo last --progress none
mv away t/more
status tidemill undo last --progress plain 2>&1 |
  sed -E 's/^[0-9:]{8} /CLOCK /; s/[0-9.,]+\/(s|min|h)/RATE/; s/took .*/took TIME/'
status tidemill resume last
echo "-- only runs of dupes can be undone"
tidemill each t/keep -q -- true
status tidemill undo last
