# tokens: counts as the models have them.
. "$LIB"
printf 'hello world' >hello
printf '今天天气很好。\n' >chinese
printf 'a\xffb' >broken
printf 'bin\0ary' >binary
: >empty
status tidemill tokens --progress none hello chinese broken binary empty 2>&1
tidemill tokens --tokenizer cl100k_base --total -q hello chinese broken
tidemill tokens --tokenizer bytes/4 --json hello chinese -q
tidemill tokens --jsonl hello binary -q
status tidemill tokens nothing 2>&1
status tidemill tokens 2>&1
echo "-- standard input"
status tidemill tokens --progress none - 2>&1 <hello
cat chinese broken | tidemill tokens - --total -q
tidemill tokens - --jsonl -q <binary
tidemill tokens - --json -q </dev/null
status tidemill tokens - hello 2>&1
echo "-- a list of files"
mkdir folder
ln -s hello link
printf '%s\0' hello "$PWD/chinese" missing folder link '' | tee list0 >/dev/null
status tidemill tokens --progress none --files-from - -0 2>&1 <list0
printf 'hello\n\nchinese\n' >list
tidemill tokens --files-from list --jsonl -q
tidemill tokens --files-from list0 -0 --json -q 2>/dev/null || true
status tidemill tokens --files-from list hello 2>&1
status tidemill tokens --files-from list -g '*.txt' 2>&1
status tidemill tokens --files-from list --ignore-files 2>&1
status tidemill tokens -0 hello 2>&1
status tidemill tokens --files-from nowhere 2>&1
status tidemill tokens --files-from /dev/null --progress none 2>&1
echo "-- names of earlier versions"
tidemill tokens --gitignore --workers 2 --total -q hello
tidemill tokens -w 2 --total -q hello
echo "-- misuse"
status tidemill tokens --tokenizer nothing hello 2>&1
