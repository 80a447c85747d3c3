# --shell: the script sees the name as $1, never as part of itself.
. "$LIB"
printf '%s\0' 'plain' '$(touch evil)' "'; touch evil; '" '-n' $'two\nlines' >nul
tidemill each -q -k --files-from nul -0 --shell -- 'printf "<%s> %s\n" "$1" "$#" | tr a-z A-Z'
ls evil 2>/dev/null || echo "nothing was run by a name"
echo "-- a status of the script is the status of the task"
status tidemill each --files-from nul -0 --shell --progress none -- 'exit 7'
echo "-- one script, not several words"
status tidemill each --files-from nul -0 --shell -- echo two words
echo "-- a placeholder in a script is refused before anything runs"
status tidemill each --files-from nul -0 --shell -- 'echo {} >>ran'
status tidemill each --files-from nul -0 --dry-run --shell -- 'cp "$1" {.}.bak'
ls ran 2>/dev/null || echo "nothing was run"
echo "-- braces that are meant"
tidemill each -q --files-from <(echo a) --shell -- 'echo {""} "${1}"'
