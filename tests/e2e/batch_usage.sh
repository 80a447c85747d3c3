# batch: what makes no sense is refused before anything happens.
. "$LIB"
. "${LIB%/*}/../../batch/e2e.sh"
words 3 tree/a.txt
run tree
run
run nowhere -m 10
run tree -m 0
run tree -m 10 --margin 2
run tree -m 10 --to kafka:x
run tree -m 10 --to redis:
run tree -m 10 --to Redis:files
run tree -m 10 --to redis://:secret@host/files
run tree -m 10 --tokenizer gpt-9
run tree -m 10 --json
run tree -m 10 --overhead 10
run tree -m 10 --glob '['
run tree -m 10 --to redis:x --redis ftp://host
run tree -m 10 --to redis:x --resend
run tree -m 10 --to redis:x --redis redis://:secret@host
run tree -m 10 --to redis:x --redis unix://$DIR/none --redis-timeout 0
echo "-- a template"
printf 'Look:\n{{#file}}\n{{path}}\n{{/file}}\n' >no_content
printf '{{content}}' >outside
printf 'Look at this:\n{{#file}}\n--- {{path}}\n{{content}}\n{{/file}}\nThe end.\n' >good
run tree -m 10 --overhead-template no_content
run tree -m 10 --overhead-template outside
run tree -m 10 --overhead-template missing
run tree -m 5 --overhead-template good
tidemill batch tree -m 100 --overhead-template good --dry-run --json -q | jq -c '[.batches, .tokens]'
echo "-- nothing was started"
tidemill runs | grep -c batch || true
echo "-- nothing is found, nothing is sent"
mkdir empty
run empty -m 10 --no-catalogue
run tree -m 10 --dry-run --no-catalogue | grep -v '^{'
