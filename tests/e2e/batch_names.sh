# batch: names of any bytes.
. "$LIB"
. "${LIB%/*}/../../batch/e2e.sh"
mkdir tree
echo one >"tree/two words"
echo two >$'tree/new\nline'
echo three >$'tree/\xff\xfe.txt'
echo four >$'tree/\e[31mred'
echo five >tree/-n
tidemill batch tree -m 100 --paths relative -q | jq -c .files
tidemill tokens tree --jsonl -q | jq -c .
tidemill tokens tree/-n -q
