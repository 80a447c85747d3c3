# batch: a tree becomes batches, in order, each below the limit; what is no text is recorded.
. "$LIB"
. "${LIB%/*}/../../batch/e2e.sh"
words 10 tree/a.txt
words 10 tree/b/c.txt
words 10 tree/b.txt
words 30 tree/d.txt
words 5 tree/e.txt
: >tree/empty.txt
printf 'bin\0ary' >tree/f.bin
head -c 3000000 /dev/zero | tr '\0' x >tree/large.txt
ln -s a.txt tree/link
mkfifo tree/pipe
echo "-- batches of at most 25 tokens"
run tree -m 25 --max-size 1M --paths relative --no-catalogue >out
grep '^{' out | brief
grep -v '^{' out
echo "-- the same tree gives the same batches"
tidemill batch tree -m 25 --max-size 1M -q 2>/dev/null | ids >one
tidemill batch tree -m 25 --max-size 1M -q 2>/dev/null | ids >two
cmp one two && sort one | uniq -d
echo "-- another limit gives others"
tidemill batch tree -m 24 --max-size 1M -q 2>/dev/null | ids | sort - one | uniq -d
echo "-- a payload"
tidemill batch tree/a.txt -m 25 -q | jq -c 'del(.id)'
echo "-- with the contents"
tidemill batch tree/b -m 25 --inline --paths relative -q | jq -c .files
echo "-- what was passed over is in the journal"
tidemill batch tree -m 25 --max-size 1M -q >/dev/null 2>&1
tidemill show last --tasks 2>&1 | grep skipped
echo "-- no more than two files a batch, a margin, an overhead"
tidemill batch tree -m 100 --max-files 2 --max-size 1M --dry-run -q | brief | cut -d, -f1,2
tidemill batch tree -m 50 --margin 0.5 --overhead 10 --max-size 1M --dry-run -q | brief | cut -d, -f1,2
