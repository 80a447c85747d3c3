# Runs with the same id in different state folders have nothing to do with each other: resuming one
# leaves the commands of the other alone.
. "$LIB"
touch f
mkfifo gate
TIDEMILL_STATE=$DIR/other tidemill each -q f --shell -- 'echo $$ >theirs; read -r _ <gate' &
other=$!
wait_until test -s theirs
tidemill each -q f --shell -- 'test -e again || { echo $$ >ours; exec hang; }' &
mine=$!
wait_until test -s ours
kill_hard $mine 2>/dev/null
touch again
status tidemill resume last -q 2>/dev/null
wait_until gone "$(cat ours)"
if gone "$(cat theirs)"; then echo "ended with it"; else echo go >gate; fi
status wait $other
