# completion and man: for every shell that is here, what is printed is accepted by it.
. "$LIB"
for shell in bash zsh fish; do
  tidemill completion $shell >script
  test -s script && echo "$shell: there is one"
  if command -v $shell >/dev/null; then $shell -n script; fi
done
bash -c '. ./script' 2>/dev/null || true
tidemill completion bash >script
bash -euc '. ./script; complete -p tidemill' | sed 's/ -F .*//'
tidemill man --folder pages -q
for page in pages/*; do
  grep -q '^\.TH' "$page" && echo "${page##*/}"
  if command -v groff >/dev/null; then groff -man -Tutf8 -ww "$page" 2>&1 >/dev/null | head -n 3; fi
done
tidemill man each | cmp - pages/tidemill-each.1 && echo same
echo "-- a page by the names that people try"
for name in 'books check' books-check tidemill-books-check; do
  tidemill man $name | cmp - pages/tidemill-books-check.1 && echo "$name"
done
status tidemill man books chekc 2>&1 | sed -n "1p;\$p"
echo "-- one table of all flags"
tidemill man --flags | diff "${LIB%/*}/../../../docs/flags.md" - && echo "the same"
echo "-- bash completes runs, actions and choices"
touch file
tidemill each file -q -- false || true
offers() { # offers WORD...: what bash offers for the last one
  bash -c '. ./script; COMP_WORDS=(tidemill "$@"); COMP_CWORD=$#; _tidemill; echo "${COMPREPLY[*]}"' - "$@"
}
offers failures ''
offers letters last r
offers show last-
offers each --progress ''
offers completion ''
