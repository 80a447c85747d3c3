# catalogue verify finds silent corruption; catalogue hash hashes the files that another host needs.
. "$LIB"
# The hash of a file modified a moment ago is not cached: wait until the files are old enough.
settled() { [[ $(($(date +%s) - $(stat -c %Z "$1"))) -gt 3 ]]; }
db=$TIDEMILL_STATE/catalogue.db
# rot FILE: another byte, and the catalogue believes that nobody wrote.
rot() {
  printf X | dd of="$1" conv=notrunc status=none
  python3 - "$db" "$1" <<'EOF'
import os, sqlite3, sys
seen = os.stat(sys.argv[2])
with sqlite3.connect(sys.argv[1]) as db:
    db.execute("update files set mtime_ns = ?, ctime_ns = ? where name = ?",
               (seen.st_mtime_ns, seen.st_ctime_ns, os.path.basename(os.fsencode(sys.argv[2]))))
EOF
}
mkdir -p tree/deep far
for name in same rotten changed gone $'new\nline'; do printf "contents of %s" "$name" >"tree/$name"; done
head -c 300000 /dev/zero >tree/deep/large
printf 123456 >far/twin
printf 54321 >far/nothing
wait_until settled far/nothing
tidemill dupes -q tree --hash-all --hash sha256 --json >/dev/null
echo "-- all contents match"
status tidemill catalogue verify --progress none
echo "-- some contents differ"
rot tree/rotten
rot tree/$'new\nline'
rot tree/deep/large
echo more >>tree/changed
rm tree/gone
status tidemill catalogue verify --progress none
status tidemill catalogue verify tree --repair --progress none -q
status tidemill catalogue verify --progress none
tidemill catalogue show tree/rotten --json | fields hash size
status tidemill catalogue verify far
echo "-- the next scan reads them again"
wait_until settled tree/changed
tidemill dupes -q tree --hash-all --hash sha256 --json | fields totals | grep -o '"bytesRead": [0-9]*'
status tidemill catalogue verify --progress none
echo "-- a damaged catalogue"
python3 - "$db" <<'EOF'
import shutil, sqlite3, sys
shutil.copy(sys.argv[1], "damaged.db")
with sqlite3.connect("damaged.db") as db:
    db.execute("update files set folder = 99 where name = ?", (b"same",))
EOF
status tidemill catalogue verify --catalogue damaged.db
echo "-- files that another host needs: those of sizes that it has too"
mkdir here
printf 123456 >here/twin
printf 12345 >here/stranger
tidemill dupes -q far --catalogue far.db --json >/dev/null
tidemill catalogue export far.catalogue --catalogue far.db -q
tidemill dupes -q here --catalogue here.db --with far.catalogue --wanted list --json 2>&1 >/dev/null
printf 'another%%20host\txxh3\t3\t/x\n' >>list
printf '%s\txxh3\t3\t/no/such/file\n' "$(sed -n 2p list | cut -f1)" >>list
cut -f2- list | sed "s:$DIR:DIR:"
status tidemill catalogue hash --wanted list --catalogue far.db --progress none
status tidemill catalogue hash --wanted list --catalogue far.db --progress none
tidemill catalogue export far2.catalogue --catalogue far.db -q
tidemill dupes -q here --catalogue here.db --with far2.catalogue --fdupes
tidemill dupes -q here --catalogue here.db --with far2.catalogue --json | fields totals |
  grep -oE '"(groups|wanted)": [0-9]+'
echo "-- a changed file and an invalid list"
sed 's/xxh3/sha512/' list >again
printf 77777 >far/nothing
status tidemill catalogue hash --wanted again --catalogue far.db --progress none
status tidemill catalogue hash --wanted tree/same --catalogue far.db
status tidemill catalogue hash --wanted nowhere --catalogue far.db
echo "-- a single file as a root"
printf 'lone one' | tee lone >pair
settled() { [[ $(($(date +%s) - $(stat -c %Z "$1"))) -gt 2 ]]; }
wait_until settled pair
tidemill dupes -q lone pair --catalogue lone.db >/dev/null
status tidemill catalogue verify --catalogue lone.db --progress none
