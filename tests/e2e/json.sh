# --json: one object at the end; outputs go to standard error.
. "$LIB"
touch a b c
tidemill each --json --progress none a b c --shell -- 'echo "out $1"; test $1 != b' >summary 2>errors || echo "exit status $?"
wc -l <summary
fields <summary
fields v event job ending found done skipped failed pending foundAll failures <summary
echo "-- standard error"
sort errors
