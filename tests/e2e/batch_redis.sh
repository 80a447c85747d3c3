# batch: into a Redis stream; the queue is looked at and mended.
. "$LIB"
. "${LIB%/*}/../../batch/e2e.sh"
start_redis --requirepass secret
export REDISCLI_AUTH=secret
for i in 1 2 3 4 5; do words 10 "tree/$i.txt"; done
umask 077
echo secret >password
set -- --redis "$url" --password-file password --settle 0
echo "-- five files, two a batch"
run tree -m 20 --to redis:files "$@" --paths relative | grep -v worr
ask xrange files - + | grep '^{' | brief
ask keys '*' | sort
echo "-- the same through the environment"
REDIS_URL=$url TIDEMILL_REDIS_PASSWORD=secret tidemill batch tree -m 20 --to redis:again --settle 0 -q
ask xlen again
echo "-- how it stands"
tidemill queue "$url" files --password-file password | sed -E 's/oldest [0-9]+ s/oldest TIME/'
ask xreadgroup group tidemill worker count 1 streams files '>' >/dev/null
tidemill queue "$url" files --password-file password --json | jq -c '[.depth, .dead, .groups[0].pending, .groups[0].waiting, .groups[0].consumers[0].name]'
echo "-- wrong password, no password, never shown"
echo wrong >wrong
run tree -m 20 --to redis:files --redis "$url" --password-file wrong
run tree -m 20 --to redis:files --redis "$url"
TIDEMILL_REDIS_PASSWORD=wrong status tidemill queue "$url" files 2>&1
grep -rl secret "$TIDEMILL_STATE" || echo "not in the state folder"
ask set text words >/dev/null
run tree -m 20 --to redis:text "$@"
echo "-- a queue that is none, and what makes no sense"
queue() { status tidemill queue "$url" "$@" --password-file password 2>&1; }
queue fiels
queue text
queue files drop
queue files show 1-1
queue files dead --all
queue files rerty --all
status tidemill queue "unix://$DIR/nowhere" files retry --all 2>&1
echo "-- what workers gave up: whole in a pipe, readable in 80 columns"
reason="Error: the model did not answer, and there is more to say than a line of a terminal has room for"
ask xadd '{again}:dead' 1794760214681-0 id 352a1cfe-cd11-85dd-8af2-c05863c8dc41 source 1-1 reason "$reason" \
  consumer laptop.example.com:47110 deliveries 3 batch '{}' >/dev/null
queue again dead
terminal 80 8 tidemill queue "$url" again dead --password-file password <<'STEPS'
wait room for
show 1 3
end
STEPS
queue again drop 1794760214681-0
queue again drop 1794760214681-0
echo "-- another producer is at work"
# Two days, five hours and ten minutes: what is left of it is said in hours, the same for half an hour.
ask set '{files}:lease' 'other 7 elsewhere:9' px 191400000 >/dev/null
run tree -m 20 --to redis:files "$@"
run tree -m 20 --to redis:files "$@" --if-held fail
tidemill runs | grep -c batch
ask del '{files}:lease' >/dev/null
echo "-- numbers go on, ids are the same"
tidemill batch tree -m 20 --to redis:files "$@" --paths relative -q
ask xrange files - + | grep '^{' | ids | sort | uniq -c | awk '{ print $1 }'
ask xrange files - + | grep -E '^[0-9]+-[0-9]+$' | cut -d- -f2
echo "-- another producer completes the job while this one waits"
job=$(ask hkeys '{files}:progress')
standing=$(ask hget '{files}:progress' "$job")
ask hset '{files}:progress' "$job" "other 4 0 ${standing#* * * }" >/dev/null
ask set '{files}:lease' 'other 7 elsewhere:9' px 191400000 >/dev/null
status tidemill batch tree -m 20 --to redis:files "$@" --paths relative --if-held wait --progress none >waited 2>&1 &
waiting=$!
wait_until grep -q Waiting waited
ask hset '{files}:progress' "$job" "other 6 1 ${standing#* * * }" >/dev/null
ask del '{files}:lease' >/dev/null
wait "$waiting"
grep -v Waiting waited
ask xlen files
echo "-- all was sent, and the producer died before it said so: another one ends the job"
ask hset '{files}:progress' "$job" "other 6 0 ${standing#* * * }" >/dev/null
TIDEMILL_STATE=$DIR/other run tree -m 20 --to redis:files "$@" --paths relative | grep -v worr
ask xlen files
stop_redis
