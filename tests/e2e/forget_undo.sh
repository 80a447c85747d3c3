# forget: runs of dupes that can be undone are kept; undone ones are removed like any other.
. "$LIB"
ids() { sed -E 's/[0-9]{8}-[0-9]{4}-dupes(-[0-9]+)?/RUN/g; s/[0-9.,]+ ?([kKMG]i?B|B|bytes)/SIZE/g'; }
for name in a b; do
  mkdir "$name"
  echo same >"$name/1"
  cp -p "$name/1" "$name/2"
  tidemill dupes "$name" --action hardlink --apply -q --progress none >/dev/null
done
echo "-- both can be undone"
status tidemill forget --complete 2>&1 | ids
status tidemill forget --keep-size 0 --all-states -n 2>&1 | ids
ls "$TIDEMILL_STATE/runs" | wc -l
echo "-- one is undone, and first without doing it"
status tidemill undo last -n 2>&1 | ids
status tidemill undo last-dupes -n --json
tidemill show last --json | fields state
status tidemill undo last -q
status tidemill undo last -n
status tidemill forget --complete 2>&1 | ids
ls "$TIDEMILL_STATE/runs" | wc -l
echo "-- the other is removed only with --with-undo"
status tidemill forget last 2>&1 | ids
status tidemill forget last --with-undo 2>&1 | ids
ls "$TIDEMILL_STATE/runs" | wc -l
