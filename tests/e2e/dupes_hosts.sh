# dupes --with: files of another host are compared without reading them; --wanted asks for hashes.
. "$LIB"
settled() { [[ $(($(date +%s) - $(stat -c %Z "$1"))) -gt 2 ]]; }
mkdir -p here there
printf 'in both' | tee here/a >there/b
printf 'a third one' >there/c
# Large enough to be looked at by its ends first.
head -c 100000 /dev/zero | tee here/large >there/large
printf 'only there' >there/d
printf 'only here, alone' >here/e
wait_until settled here/e
quiet() { sed -E 's/^(time +).*/\1TIME/' | grep -Ev '^(skipped|failed|files scanned) '; }
echo "-- there: sizes only"
tidemill dupes there --progress none --catalogue there.catalogue | grep "data read"
# It says that it is of another host.
python3 -c '
import sqlite3
with sqlite3.connect("there.catalogue") as db:
    db.execute("update about set value = ? where key = ?", ("nas", "host"))
    db.execute("delete from about where key = ?", ("machine_id",))'
mv there elsewhere
tidemill dupes here --progress none --with there.catalogue --wanted list 2>&1 | quiet
sed "s/\t/ | /g" list
echo "-- there: hash the wanted files"
mv elsewhere there
tidemill catalogue hash --catalogue there.catalogue --wanted list --progress none
mv there elsewhere
echo "-- here again"
tidemill dupes here --progress none --with there.catalogue | quiet
echo "-- what the other host does not have"
tidemill dupes here --progress none --unique --with there.catalogue 2>/dev/null
echo "-- no file is deleted because of a catalogue"
tidemill dupes here --progress none --with there.catalogue --action delete
ls here
