# docs: what makes no sense is refused before anything happens, and secrets are kept well.
. "$LIB"
run() {
  echo "\$ docs run $*"
  status=0
  tidemill docs run "$@" -q 2>&1 || status=$?
  echo "[$status]"
}
ai="--ai-url http://127.0.0.1:9/v1 --ai-model m"
run
run --url wiki.example.org
run --url http://127.0.0.1:9
run --url http://127.0.0.1:9 --ai-url localhost:11434/v1 --ai-model m
run --url http://127.0.0.1:9 $ai --collection Finance
run --url http://127.0.0.1:9 $ai --document 6f1f3a5e-8d0f-4f39-9d43-0a61d4a9c001 --watch
run --url http://127.0.0.1:9 $ai --threshold 70
run --url http://127.0.0.1:9 $ai --api-rate comments.create
run --url http://127.0.0.1:9 $ai --jobs 257
run --url http://127.0.0.1:9 $ai --watch --dry-run
run --url http://127.0.0.1:9 $ai --webhook 8089
run --url http://127.0.0.1:9 $ai --webhook 127.0.0.1:99999
run --url http://127.0.0.1:9 $ai --webhook unix:/tmp/x:80
echo "-- secrets"
run --url http://127.0.0.1:9 $ai
run --url http://127.0.0.1:9 $ai --token-file missing
echo "ol_api_something" >key
chmod 644 key
run --url http://127.0.0.1:9 $ai --token-file key
chmod 600 key
run --url http://127.0.0.1:9 $ai --token-file key --webhook 127.0.0.1:0
echo "-- keys over plain http to another machine"
run --url http://wiki.invalid $ai --token-file key
run --url http://wiki.invalid --token-file key --dry-run
run --url http://127.0.0.1@wiki.invalid --token-file key --dry-run
TIDEMILL_DOCS_AI_TOKEN=sk run --url http://127.0.0.1:9 --ai-url http://gpu.invalid:8000/v1 --ai-model m --token-file key
run --url http://wiki.invalid --token-file key --dry-run -a 1 --insecure-http | grep warning:
echo "-- nothing was started"
tidemill runs | grep -c docs || true
echo "-- a server that is not there; the same command later goes on with the same run"
status=0
tidemill docs run --url http://127.0.0.1:9 $ai --token-file key -q --json -a 1 >out 2>err || status=$?
echo "[$status]"
jq -c '[.ending, .found, .cause]' out
TIDEMILL_DOCS_TOKEN=ol_api_else tidemill docs run --url http://127.0.0.1:9/ $ai -a 1 2>&1 | head -1 || true
echo "-- a look at one that is not there gives up soon: two waits, of a second and of two by default"
run --url http://127.0.0.1:9 --token-file key --dry-run --backoff 1ms -a 1000 | sed 's/: Failed.*//'
echo "-- where the key is: nowhere but in its file"
grep -l ol_api_ "$TIDEMILL_STATE"/runs/*/* out err || true
