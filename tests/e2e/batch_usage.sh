# batch: what makes no sense is refused before anything happens.
. "$LIB"
. "${LIB%/*}/../../batch/e2e.sh"
words 3 tree/a.txt
run tree
run
run nowhere -n 10
run tree -n 0
run tree -n 10 --margin 2
run tree -n 10 --to kafka:x
run tree -n 10 --to redis:
run tree -n 10 --to Redis:files
run tree -n 10 --to redis://:secret@host/files
run tree -n 10 --tokenizer gpt-9
run tree -n 10 --json
run tree -n 10 --overhead 10
run tree -n 10 --glob '['
run tree -n 10 --to redis:x --redis ftp://host
run tree -n 10 --to redis:x --resend
run tree -n 10 --to redis:x --redis redis://:secret@host
run tree -n 10 --to redis:x --redis unix://$DIR/none --patience 0
echo "-- a template"
printf 'Look:\n{{#file}}\n{{path}}\n{{/file}}\n' >no_content
printf '{{content}}' >outside
printf 'Look at this:\n{{#file}}\n--- {{path}}\n{{content}}\n{{/file}}\nThe end.\n' >good
run tree -n 10 --overhead-template no_content
run tree -n 10 --overhead-template outside
run tree -n 10 --overhead-template missing
run tree -n 5 --overhead-template good
tidemill batch tree -n 100 --overhead-template good --dry-run --json -q | jq -c '[.batches, .tokens]'
echo "-- nothing was started"
tidemill runs | grep -c batch || true
echo "-- nothing is found, nothing is sent"
mkdir empty
run empty -n 10 --no-catalogue
run tree -n 10 --dry-run --no-catalogue | grep -v '^{'
