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
status tidemill tokens - 2>&1 <hello
status tidemill tokens --tokenizer nothing hello 2>&1
