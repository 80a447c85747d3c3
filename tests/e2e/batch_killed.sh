# batch: after kill -9 the run goes on with the same batches, and none is missing.
. "$LIB"
. "${LIB%/*}/../../batch/e2e.sh"
start_redis
for ((i = 100; i < 400; ++i)); do words 10 "tree/$i.txt"; done
set -- --redis "$url" --settle 0
tidemill batch tree -m 20 --to redis:whole "$@" -q
ask xrange whole - + | grep '^{' | ids >whole
wc -l <whole
echo "-- it waits for room in the queue, and is killed"
tidemill batch tree -m 20 --to redis:files "$@" --max-queued 40 -q 2>/dev/null &
wait_until eval '[[ $(ask xlen files) -ge 40 ]]'
kill_hard $! 2>/dev/null
ask xrange files - + | grep '^{' | ids >first
ask xtrim files maxlen 0 >/dev/null
echo "-- resumed, with somebody who takes from the queue"
tidemill resume last -q 2>/dev/null &
drain="local all = redis.call('XRANGE', KEYS[1], '-', '+')
for _, entry in ipairs(all) do redis.call('XDEL', KEYS[1], entry[1]) end
return all"
until gone $!; do ask eval "$drain" 1 files | grep '^{' >>got || true; done
ask eval "$drain" 1 files | grep '^{' >>got || true
ids <got >rest
wait $!
sort -u first rest | cmp - <(sort whole) && echo "all of them, with the same ids"
tidemill runs | awk '/batch/ { print $2 }' | sort | uniq -c | awk '{ print $1, $2 }'
echo "-- nothing left to do"
status tidemill resume last -q
echo "-- names through a pipe: after the kill the list is given again, under another name"
ls -d tree/* >names
mkfifo pipe
exec 3<>pipe
head -n 101 names >&3
tidemill batch --files-from - -m 20 --to redis:list "$@" -q <pipe 2>/dev/null &
wait_until eval '[[ $(ask xlen list) -ge 50 ]]'
kill_hard $! 2>/dev/null
exec 3>&-
status tidemill resume last -q --files-from names 2>/dev/null
ask xrange list - + | grep '^{' | jq -r '.files[].path' | sort | uniq -c | awk '{ print $1 }' | sort | uniq -c | awk '{ print $1, "files, each", $2 }'
stop_redis
