# dupes: the script compares each pair first and quotes every name.
. "$LIB"
mkdir t
names=($'new\nline' -dash 'a b' '$(touch evil)' "it's" 'say "hi"' '*' $'bad\xff' '\\')
for name in "${names[@]}"; do printf 'the same' >"t/$name"; done
printf 'the same' >t/zzz
tidemill dupes t -q --keep path:zzz --action script >script
sh script print | tr '\n' ' ' | cat -v
echo
echo "-- one file was changed in the meantime"
printf 'not same' >'t/a b'
status sh script hardlink
find t -samefile t/zzz | wc -l
grep . 't/a b'
echo "-- again"
status sh script delete 2>&1 | tail -n 2
ls t | wc -l
test ! -e evil && echo "nothing was run"
status sh script burn
