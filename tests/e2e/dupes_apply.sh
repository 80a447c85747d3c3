# dupes: hardlink, delete and move, each applied and taken back.
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
runs() { sed -E 's/[0-9]{8}-[0-9]{4}-dupes(-[0-9]+)?/RUN/g; s/[0-9.]+ k?B (won|to win)/ROOM \1/'; }
act() {
  make
  state >before
  echo "-- $*"
  status tidemill dupes t --keep 'path:keep/*' --apply --progress none "$@" 2>&1 | runs
  state
  grep . t/keep/1
  echo "-- taken back"
  status tidemill undo last -q
  state | cmp - before && echo "as it was"
  find t -name '.tidemill*'
}
act --action hardlink
act --action delete
act --action move:trash
find trash -type f | wc -l
echo "-- moved to where something lies already"
make
mkdir -p trash/more
echo precious >trash/more/1
status tidemill dupes t --keep 'path:keep/*' --action move:trash --apply -q 2>&1 | runs
grep precious trash/more/1
(cd t && find . -type f -print0 | sort -z | tr '\n\0' '?\n' | cat -v)
