# dupes: files that cannot be read are reported and the rest is done; exit codes.
. "$LIB"
[[ $(id -u) -eq 0 ]] || skip "needs root, to become somebody who may not read"
command -v setpriv >/dev/null || skip "there is no setpriv"
mkdir -p t/closed t/fixed home2
printf same | tee t/a t/b t/closed/c t/fixed/d >t/unreadable
chown -R 65534 t home2
chmod 700 t/closed
chown 0 t/closed t/fixed t/unreadable
chmod 600 t/unreadable
nobody() { setpriv --reuid=65534 --clear-groups env HOME="$PWD/home2" XDG_CONFIG_HOME="$PWD/home2" TIDEMILL_STATE="$PWD/home2/state" tidemill "$@"; }
echo "-- some files are unreadable"
status nobody dupes t --progress none 2>&1 | sed -E 's/[0-9.]+ kB/ROOM/; s/^(time +).*/\1TIME/'
status nobody dupes t -q --jsonl 2>/dev/null | grep -E 'failure"|exit' | sed 's/"event":"end".*//'
echo "-- a read-only folder"
status nobody dupes t --progress none --keep path:a --action delete --apply 2>&1 |
  sed -E 's/[0-9.]+ kB/ROOM/; s/[0-9]{8}-[0-9]{4}-dupes/RUN/g'
find t -type f | sort
echo "-- a missing root"
status tidemill dupes t nowhere
echo "-- an unusable catalogue"
status tidemill dupes t -q --catalogue nowhere/catalogue.db
echo nonsense >broken
status tidemill dupes t -q --catalogue broken
status tidemill dupes t -q --with broken
tidemill dupes t -q --catalogue root.db --json >/dev/null
status nobody dupes t -q --catalogue root.db
echo "-- bad arguments are reported before the search"
status tidemill dupes t --with nowhere
tidemill catalogue export other.catalogue --catalogue root.db -q
status tidemill dupes t --with other.catalogue --wanted nowhere/list
echo "-- the mount point of a disk that is not mounted"
mkdir unplugged
tidemill dupes t --reference unplugged --progress none --action delete 2>&1 >/dev/null |
  sed -E 's/[0-9.]+ kB/ROOM/'
rmdir unplugged
echo "-- the reader closes the pipe"
for i in $(seq 2000); do printf %s $((i / 2)) >t/$i; done
code=0
{ tidemill dupes t -q --jsonl 2>errors || code=$?; echo $code >code; } | head -n 1 | cut -c1-20
wait_until test -s code
cat code errors
tidemill dupes t -q --json >/dev/full || echo "exit status $?"
echo "-- a new state folder is private"
rm -r t/*
echo same | tee t/a >t/b
TIDEMILL_STATE=$PWD/made/state tidemill dupes t -q >/dev/null
stat -c %a made made/state
