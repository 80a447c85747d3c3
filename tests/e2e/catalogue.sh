# catalogue: ls, show, forget and export.
. "$LIB"
# The hash of a file modified a moment ago is not cached: wait until the files are old enough.
settled() { [[ $(($(date +%s) - $(stat -c %Z "$1"))) -gt 3 ]]; }
times() { sed -E 's/[0-9]{4}-[0-9-]+ [0-9:]+/DATE/g'; }
echo "-- no catalogue yet"
status tidemill catalogue ls
status tidemill catalogue forget . --catalogue elsewhere.db
ls
echo "-- invalid arguments"
status tidemill catalogue
status tidemill catalogue lst
status tidemill catalogue forget
status tidemill catalogue forget tree --removed-before 1d
status tidemill catalogue hash
echo nonsense >list
status tidemill catalogue hash --wanted list
rm list
mkdir -p tree/deep other
printf same | tee tree/a tree/deep/b >tree/$'new\nline'
printf only >tree/$'\xff'
printf x >other/x
touch -d '2026-01-02 03:04:05 UTC' tree/a
wait_until settled tree/a
wait_until settled other/x
tidemill dupes -q tree --json >/dev/null
tidemill dupes -q other --hash-all --json >/dev/null
echo "-- ls"
tidemill catalogue ls | tr -s ' '
tidemill catalogue ls --json | python3 -c '
import json, sys
for root in json.load(sys.stdin)["roots"]:
    print(root["path"], root["files"], root["bytes"], root["hashed"], root["removed"], root["errors"], root["ending"])'
echo "-- show"
tidemill catalogue show tree/a other/ | times
tidemill catalogue show tree/$'\xff' tree/$'new\nline' --json | fields kind path size algorithm hash
tidemill catalogue show tree/$'\xff' --json | python3 -c '
import base64, json, sys
print(base64.b64decode(json.load(sys.stdin)["pathBase64"])[-6:])'
(cd tree/deep && tidemill catalogue show b --json | fields path)
echo "-- unknown paths"
status tidemill catalogue show tree/a tree/nothing --json | grep -v '^{'
status tidemill catalogue show tree/deep
echo "-- a narrow terminal"
terminal 80 8 tidemill catalogue ls <<'STEPS' | sed -E 's/ +/ /g; s/[0-9]{4}-[0-9]{2}-[0-9]{2}/DAY/g'
end
show 1 3
STEPS
echo "-- export, twice"
status tidemill catalogue export copy.catalogue
status tidemill catalogue export copy.catalogue
status tidemill catalogue export nowhere/copy.catalogue
tidemill catalogue ls --catalogue copy.catalogue --json | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["roots"]))'
echo "-- removed files stay recorded until they are forgotten"
rm -r tree/deep
tidemill dupes -q tree --json >/dev/null
tidemill catalogue show tree/deep/b --json | fields removed | sed 's/[0-9T:.-]*Z/DATE/'
status tidemill catalogue forget --removed-before 1d
gone_at=$(date +%s)
past() { [[ $(date +%s) -gt $gone_at ]]; }
wait_until past
status tidemill catalogue forget --removed-before 0s --dry-run
status tidemill catalogue forget --removed-before 0s
status tidemill catalogue show tree/deep/b
echo "-- a root that is being scanned is not forgotten"
# The lock of a scan: an open file description lock on the range of its root (docs/formats/catalogue.md).
held() {
  python3 - "$TIDEMILL_STATE/catalogue.db" "$DIR/work/$1" <<'EOF' &
import fcntl, signal, sqlite3, struct, sys
root = sqlite3.connect(sys.argv[1]).execute("select id from roots where path = ?",
                                            (sys.argv[2].encode(),)).fetchone()[0]
file = open(sys.argv[1] + "-lock", "r+b")
F_OFD_SETLK = 37
fcntl.fcntl(file, F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 64 * root, 64, 0))
open("held", "w").close()
signal.pause()
EOF
  wait_until test -e held
}
held other
status tidemill catalogue forget other 2>&1 | sed 's/process [0-9]* since.*UTC/SOMEBODY/'
kill_hard $! 2>/dev/null
echo "-- all roots or none"
status tidemill catalogue forget other othr
status tidemill catalogue forget tree/deep
status tidemill catalogue verify tree/deep
status tidemill catalogue forget other -n
status tidemill catalogue forget other other
status tidemill catalogue forget other
echo "-- the file is shrunk"
tidemill catalogue ls | tr -s ' ' | cut -d' ' -f1-2
python3 - "$TIDEMILL_STATE/catalogue.db" <<'EOF'
import sqlite3, sys
print("free pages:", sqlite3.connect(sys.argv[1]).execute("pragma freelist_count").fetchone()[0])
EOF
ls tree/a other/x
