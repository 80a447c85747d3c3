# A flag of resume is taken by the job of the run, or refused by name before the run is touched.
. "$LIB"
mkdir -p tree elsewhere
for name in a b c; do echo "some words" >tree/$name; done
touch tree/no

# Without the files that come and go with whoever reads a journal.
journal() { sha256sum <"$run/journal.db"; }
# refused FLAGS...: exit status 2, and not a byte of the run is changed.
refused() {
  local before after
  before=$(journal)
  status tidemill resume last "$@" 2>&1
  after=$(journal)
  [[ $before == "$after" ]] || echo "the run was changed"
}
newest() { run=$(ls -td "$TIDEMILL_STATE"/runs/* | head -n 1); }

echo "-- batch takes another number of workers"
tidemill batch tree --max-tokens 2 --to - -q >/dev/full 2>/dev/null || echo "exit status $?"
newest
refused --rate 5/s
refused -t 3
refused -a 2
refused --files-from list
refused --jsonl
refused --json
tidemill resume last -j 2 --progress none 2>&1 >batches | grep -v "^batch" | sed 's/--workers/--jobs/'
wc -l <batches

echo "-- each takes them all; a value that makes no sense is refused as early"
tidemill each tree -g '[abc]' -w 1 --halt now,fail=1 --progress none --shell -- 'test -e go' >/dev/null 2>&1 || echo "exit status $?"
newest
refused -a 0
refused --json --jsonl
refused --files-from list
echo "-- and -n runs nothing"
before=$(journal)
status tidemill resume last -n -w 2 | sed 's/--workers/--jobs/'
refused -n --json
[[ $before == "$(journal)" ]] || echo "the run was changed"
touch go
cd elsewhere
tidemill resume last -j 2 --rate 100/s -t 9 -a 2 --json --progress none --log log 2>/dev/null | fields ending done || true
ls
cd ..
ls log 2>/dev/null || echo "one log, where it was asked for"

echo "-- dupes does what is planned: there is nothing to choose"
mkdir twins
echo twin | tee twins/a >twins/b
touch -d @1 twins/*
tidemill dupes twins --action hardlink --apply -q
newest
refused -j 2
refused --rate 5/s
tidemill resume last --json -q | fields run done

echo "-- docs: its --rate is another one"
export TIDEMILL_DOCS_TOKEN=ol_api_key
tidemill docs run --url http://127.0.0.1:9 --ai-url http://127.0.0.1:9/v1 --ai-model m -a 1 -q 2>/dev/null || echo "exit status $?"
newest
refused --rate 5/s
refused --files-from list
tidemill resume last -w 1 -a 1 -t 1 -q --json 2>/dev/null | fields event ending || true

echo "-- failures retry reports as it is asked to; others refuse what they would not do"
tidemill each tree -g no -q -- false 2>/dev/null || echo "exit status $?"
tidemill failures last retry --all --json -q 2>/dev/null | fields ending failed || true
status tidemill failures last drop --all --json 2>&1
status tidemill failures last export --json 2>&1
status tidemill failures last --json --jsonl 2>&1
status tidemill forget last --all-states 2>&1
