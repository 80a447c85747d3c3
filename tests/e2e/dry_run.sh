# What --dry-run prints can be run by a shell, and does the same; nothing is run and no run is kept.
. "$LIB"
mkdir t
cd t
touch -- $'new\nline' $'line end\n' $'a\x01\'; touch evil; #' -dash 'a b' '$(touch evil)' "it's" 'say "hi"' '*' $'bad\xff' '{}' '' plain 2>/dev/null || true
cd ..
tidemill each t -n --order name -- printf '[%s]\n' {} {/} x{.}y >commands
test ! -e "$TIDEMILL_STATE" && echo "no run"
cat -v commands
tidemill each t -q -k --order name -- printf '[%s]\n' {} {/} x{.}y >by_us
for shell in dash bash; do
  $shell commands >by_shell
  cmp by_shell by_us && echo "same in $shell"
done
echo "-- with --shell"
tidemill each t -n --order name --shell -- 'printf "%s|" "$1" "$0"' >commands
bash commands >by_shell
tidemill each t -q -k --order name --shell -- 'printf "%s|" "$1" "$0"' >by_us
cmp by_shell by_us && echo same
test ! -e evil && echo "nothing was run"
