# SPCCHAR: a file name as people make them.
. "$LIB"
touch "My brother's 12\" *** record  (costs \$\$\$).jpg"
ls My*jpg >list
tidemill each -q --files-from list -- ls -l {} | cut -d' ' -f 1
tidemill each -q -- ls -- {}  </dev/null | grep My
for part in '{}' '{.}' '{/}' '{//}' '{/.}' '<{}>'; do
  tidemill each -q -g '*.jpg' -- echo "$part"
done
tidemill each -q --files-from list --shell -- 'ls -1 "$1"; echo "$1" is $(echo "$1" | wc -c) bytes'
tidemill each -q --files-from list -- touch {}.done
ls -1 My*
