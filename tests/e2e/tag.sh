# --tag: every line begins with the name, also the last one without an end.
. "$LIB"
printf '%s\0' a 'b c' $'new\nline' $'bad\xff' >nul
tidemill each -q -k --tag --files-from nul -0 --shell -- 'printf "1\n2\n\nend"; echo oops >&2' 2>errors
echo "-- standard error"
cat errors
