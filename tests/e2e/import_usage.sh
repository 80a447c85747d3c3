# import: mistakes on the command line end with 2 and make nothing.
. "$LIB"
echo '{"_key":1}' >t.jsonl
run() {
  echo "-- $*"
  tidemill import "$@" 2>&1 >out || echo "exit status $?"
  test ! -s out || echo "and something on standard output"
}
to() { run t.jsonl --into a.db "$@"; }
run
run t.jsonl
run --into a.db
run t.jsonl --into
run t.jsonl --into ''
run - - --into a.db
to --append --upsert
to --replace --append
to --incremental --replace
to --incremental --table t
to --nested deeply
to --writer pens
to --append --writer pages
to --jobs 33
to --jobs -1
to --jobs many
to --page-size 5000
to --page-size 2K
to --page-size 128K
to --max-rejects x
to --max-rejects -1
to --max-rejects 101%
to --max-line 0
to --max-line 5G
to --types a
to --types a=date
to --types a=text,b
to --languages xx
to --key a --no-key
to --upsert --no-key
to --replcae
ls
