# NUMWORDS: many words in the output, and many words in the command.
. "$LIB"
words=$(seq 1000)
seq 30 | tidemill each -q --files-from - --shell -- 'yes "'"$(echo $words)"'" | head -c 10M' | wc -c
echo "-- a command of 20,000 words, each with the name in it"
printf '%s\n' a b | tidemill each -q -k --files-from - -- sh -c 'echo "$1 $# ${20000}"' sh $(seq -f '{}%g' 20000) | cut -c 1-60
