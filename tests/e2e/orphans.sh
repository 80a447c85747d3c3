# Checkpoints of tasks that are over: check finds them, and removes them when it is told to.
. "$LIB"
seq 3 >list
tidemill each -q --files-from list --shell -- 'test "$1" != 3' 2>/dev/null || echo "each: exit status $?"
journal=$(echo "$TIDEMILL_STATE"/runs/*/journal.db)
state() {
  python3 - "$journal" "$@" <<'END'
import sqlite3
import sys

with sqlite3.connect(sys.argv[1]) as db:
    if len(sys.argv) > 2:
        db.execute(sys.argv[2])
    print(*(f"task {task}" for task, in db.execute("select task from checkpoint order by task")))
END
}
echo "-- of a done task, of a dead one, and of none"
state "insert into checkpoint(task, steps_done, last_step, data, warnings)
  values (1, 1, 'a', '', ''), (3, 1, 'a', '', ''), (77, 1, 'a', '', '')"
status tidemill check last 2>/dev/null
echo "-- somebody is at work on it"
flock_of() { python3 -c 'import fcntl, struct, sys, subprocess
file = open(sys.argv[1], "r+")
fcntl.fcntl(file, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))  # F_OFD_SETLK
sys.exit(subprocess.run(sys.argv[2:]).returncode)' "$@"; }
status flock_of "$(dirname "$journal")/lock" tidemill check last --remove-orphans 2>/dev/null
state
echo "-- removed"
status tidemill check last --remove-orphans 2>&1
state
echo "-- the one that stays was written by hand, without a checksum"
state "delete from checkpoint where task = 3"
tidemill check last --remove-orphans --json | fields orphansRemoved clean
status tidemill check last -q
