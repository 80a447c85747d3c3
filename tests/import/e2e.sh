# What the scripts tests/e2e/import_*.sh need. They begin with:
#   . "$LIB"; . "${LIB%/*}/../../import/e2e.sh"

# sql DB QUERY: the rows, each value as Python writes it: text has quotes, NULL is None.
sql() {
  python3 -c 'import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]):
    print(*map(repr, row), sep=" | ")' "$@"
}

# schema DB: what the user sees of it, in the order in which it was made.
schema() {
  sql "$1" "select sql from sqlite_schema where sql is not null and name not like '\_tidemill\_%' escape '\\'
            and name <> '_rejects' order by rowid"
}

# shown: without what differs from run to run.
shown() { sed -E 's: \([0-9.]+ [kMG]?B/s\)::; s/"seconds":[0-9.e-]+/"seconds":TIME/'; }

# run ARGUMENTS...: the report, and how it ended.
run() { status tidemill import "$@" --progress none 2>&1 | shown; }

# code ARGUMENTS...: only how it ended.
code() { status tidemill import "$@" -q 2>/dev/null; }

# told ARGUMENTS...: the report as JSON.
told() { tidemill import "$@" --json -q 2>/dev/null || [[ $? == 3 ]]; }
