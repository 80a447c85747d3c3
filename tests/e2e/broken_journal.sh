# A journal that is damaged: check says so, runs lists it, nothing crashes.
. "$LIB"
seq 300 >list
tidemill each -q --files-from list -- true
journal=$(echo "$TIDEMILL_STATE"/runs/*/journal.db)
python3 - "$journal" <<'END'
import sys
with open(sys.argv[1], "r+b") as file:
    file.seek(4096 * 2)
    file.write(b"\xa5" * 4096 * 3)
END
tidemill check last >found 2>/dev/null || echo "check: exit status $?"
test -s found && echo "there are findings"
tidemill runs >/dev/null && echo "runs: listed"
echo "-- no journal at all"
: >"$journal"
tidemill check last >found 2>&1 || echo "check: exit status $?"
tidemill runs | grep -c unreadable
tidemill resume last >/dev/null 2>&1 || echo "resume: exit status $?"
status tidemill forget last -q
