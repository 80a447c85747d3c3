# --screen lists the files of an import, the steps of dupes and undo, and the batches of batch.
. "$LIB"
mkdir in tree
printf '{"a":1}\n{"a":2}\n' >in/good.jsonl
printf '{"a":1}\nno\n{"a":2}\nno\n' >in/odd.jsonl
printf '\037\213 torn' >in/torn.jsonl.gz

echo "-- import: what was rejected, and what could not be read"
terminal 80 12 tidemill import in --into in.db -j 1 --screen <<'STEPS'
wait The run has ended.
show 3 5
type g\r
wait Esc back
show 4 8
type \e2
wait good.jsonl
show 4 4
type q
wait REJECTED
end
STEPS

echo "-- dupes: a step that is declined, and two that are done"
printf 'the same contents\n' >tree/kept
for name in one two odd; do cp tree/kept tree/$name; done
touch -d '2020-01-01 00:00' tree/*
touch -d '2021-01-01 00:00' tree/odd
terminal 80 12 tidemill dupes tree --keep path:*/kept --action hardlink --apply --screen <<'STEPS'
wait The run has ended.
show 3 4
type 2
wait hardlink to tree/kept
show 4 5
type q
wait 2 done
end
STEPS

echo "-- undo: what belongs to another file by now is left"
rm tree/two
echo new >tree/two
terminal 80 12 tidemill undo last --screen <<'STEPS'
wait The run has ended.
show 3 4
type q
wait undone
end
STEPS

echo "-- batch: what is in no batch, and the batches"
printf 'a\0b' >tree/binary
terminal 80 12 tidemill batch tree -m 100 --to - --paths relative --screen <<'STEPS'
wait The run has ended.
show 3 4
type 2\r
wait Esc back
show 7 11
type q
wait batch complete
end
STEPS
