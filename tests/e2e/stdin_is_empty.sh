# A command's standard input is empty, also when the list of names comes through ours.
. "$LIB"
printf '%s\n' a b c | tidemill each -q -k --files-from - --shell -- 'echo "$1: $(cat | wc -c) bytes"'
