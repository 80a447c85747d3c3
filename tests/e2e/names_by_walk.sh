# Whatever a name holds stays in one argument: found by walking.
. "$LIB"
mkdir t
cd t
touch -- $'new\nline' -dash 'space  two' '$(touch evil)' '`touch evil`' "it's" 'say "hi"' '*' '?[a]' \
  'semi;touch evil' '&' 'back\slash' $'tab\t' ' lead' 'trail ' '{}' '~' '!' 'ünïcödé' $'bad\xff\xfeutf8' \
  $'\e[31mred' '#hash' '--' '%s'
# From inside the folder a name has no slash before it.
tidemill each -q -k --order name -- python3 -c 'import os, sys; print(ascii(os.fsencode(sys.argv[1])), os.path.exists(sys.argv[1]))' {}
tidemill each -q --json -- test -f {} | python3 -c 'import json, sys; o = json.load(sys.stdin); print(o["done"], o["failed"])'
ls evil 2>/dev/null || echo "nothing was run by a name"
