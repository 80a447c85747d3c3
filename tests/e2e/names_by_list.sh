# Whatever a name holds stays in one argument: from a list, by lines and by NUL bytes.
. "$LIB"
show='import os, sys; print(ascii(os.fsencode(sys.argv[1])))'
printf '%s\0' $'new\nline' -dash '$(touch evil)' "it's" 'say "hi"' '*' $'bad\xff\xfe' ' lead' 'trail ' 'last' >nul
echo "-- NUL"
tidemill each -q -k --files-from nul -0 -- python3 -c "$show" {}
echo "-- lines, the last one without an end"
tr '\0' '\n' <nul | head -c -1 >lines
tidemill each -q -k --files-from lines -- python3 -c "$show" {}
echo "-- standard input"
tidemill each -q -k --files-from - -0 -- python3 -c "$show" {} <nul
echo "-- empty lines, and lines that end as on Windows"
printf 'a\n\nb\r\n\n' | tidemill each -q -k --files-from - -- python3 -c "$show" {}
ls evil 2>/dev/null || echo "nothing was run by a name"
