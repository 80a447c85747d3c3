# A pattern with a typing error must not look like work that was done: no file is a failure, unless
# --allow-empty says that it is none.
. "$LIB"
mkdir empty some some/sub
touch some/.hidden some/a.txt some/b.txt some/sub/c.log some/ignored
echo ignored >some/.gitignore
ln -s a.txt some/link
export TIDEMILL_PROGRESS=none TIDEMILL_TOKENIZER=bytes/4
echo "-- an empty folder"
status tidemill each empty -- echo 2>&1
echo "-- an empty list"
status tidemill each --files-from /dev/null -- echo 2>&1
echo "-- a list of empty lines"
printf '\n\n' | status tidemill each --files-from - -- echo 2>&1
echo "-- who has left out what"
status tidemill each some -g '*.jpg' -x sub --no-hidden -- echo 2>&1
status tidemill each some -n -g '*.jpg' -- echo 2>&1
status tidemill dupes some --ignore-files -g '*.txt' 2>&1
status tidemill dupes some --action delete --apply -g '*.jpg' 2>&1
status tidemill import some --into db 2>&1
status tidemill batch some -m 10 --ignore-files -g '*.jpg' 2>&1
status tidemill batch some -m 10 --dry-run -g '*.jpg' 2>&1
status tidemill tokens some -g '*.jpg' 2>&1
ls db 2>/dev/null || echo "no database was made"
echo "-- as JSON"
{ tidemill each empty -q --json -- echo || true; } 2>/dev/null | fields ending found foundAll nothingMatched
{ tidemill dupes empty -q --json || true; } 2>/dev/null | grep -o '"nothingMatched":true'
{ tidemill batch empty -m 10 -q --dry-run --json || true; } 2>/dev/null | grep -o '"nothingMatched":true'
{ tidemill tokens empty -q --json || true; } 2>/dev/null | grep -o '"nothingMatched":true'
{ tidemill import empty --into db -q --json || true; } 2>/dev/null | grep -o '"nothingMatched":true'
echo "-- allowed"
for verb in 'dupes empty' 'import empty --into db' 'batch empty -m 10' 'tokens empty' 'each empty -- echo'; do
  status tidemill ${verb%% *} --allow-empty -q ${verb#* }
done
echo "-- a run that found nothing is complete, and nothing is left of the other commands"
tidemill runs | awk 'NR > 1 { print $2 }' | sort | uniq -c
