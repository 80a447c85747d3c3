# A signal that was ignored when the program began stays ignored: nohup.
. "$LIB"
touch f
mkfifo gate
nohup tidemill each -q f --shell -- 'echo >started; read -r _ <gate' >out 2>&1 &
pid=$!
wait_until test -e started
kill -HUP $pid
echo go >gate
status wait $pid
