# Every placeholder, alone and inside a word; without one the name is the last argument.
. "$LIB"
mkdir -p a/b.d
touch a/b.d/photo.tar.gz a/.hidden a/plain
printf '%s\n' a/b.d/photo.tar.gz a/.hidden a/plain >list
for part in '{}' '{.}' '{/}' '{//}' '{/.}' '{#}' 'x{}y{/.}z' '{}{}' '{?}' '{{}}'; do
  echo "-- $part"
  tidemill each -q -j 1 --files-from list -- echo "$part"
done
echo "-- none"
tidemill each -q -j 1 --files-from list -- echo name:
echo "-- the whole word is one argument, and an empty one stays"
tidemill each -q -j 1 --files-from list -- printf '[%s]' '{/} {#}' '' $'\n'
echo "-- one of another program is refused"
for part in '{1}' '{1.}' '{..}' '{%}'; do
  status tidemill each -q -j 1 --files-from list -- echo "$part"
done
