# import: a column has the type that keeps all of its values; what changed it is told.
. "$LIB"
. "${LIB%/*}/../../import/e2e.sh"
types() { sql "$1" "select group_concat(name || ' ' || type, ', ') from pragma_table_info('$2')"; }
python3 - <<'END'
def write(name, values):
    with open(name + ".jsonl", "w") as file:
        for key, value in enumerate(values, 1):
            file.write('{"_key": %d, "v": %s}\n' % (key, value))
write("real_late", ["1", "2", "true", "2.5"])
write("text_late", ["1", "2.0", "100000.0", "1e300", "false", '"x"', "7"])
write("object_late", ["1", "{\"a\": 1.50}", "[ 1,2 ]"])
write("wide", ["9007199254740993", "0.5"])
write("big", ["1", "9223372036854775808", "-9223372036854775808", "1e400", "0.1000000000000000055511151231257827",
              "1E5", "-0.0", "-0"])
write("nulls", ["null", "null"])
write("null_first", ["null", "5"])
with open("late.jsonl", "w") as file:
    file.write('{"a": 1}\n{"a": 2, "b": "x"}\n{"c": 3.5, "a": 3}\n')
with open("both.jsonl", "w") as file:  # two columns at once: neither conversion may touch the other's digits
    file.write('{"a": 0.30000000000000004, "b": 5e-324}\n{"a": "x", "b": 1}\n{"b": "x"}\n')
with open("forced.jsonl", "w") as file:
    file.write('{"zip": "01234", "n": "5", "r": 1}\n{"zip": 99, "n": 5.0, "r": "2.5"}\n{"zip": null, "n": 5.5, "r": 1}\n'
               '{"zip": true, "n": 1, "r": 9007199254740993}\n{"zip": [1], "n": 2, "r": {}}\n')
END
echo "-- widened columns and late ones"
run *_late.jsonl wide.jsonl big.jsonl null*.jsonl late.jsonl both.jsonl --into a.db
told *_late.jsonl wide.jsonl big.jsonl null*.jsonl late.jsonl both.jsonl --into b.db --writer sql |
  python3 -c 'import json, sys
for widened in json.load(sys.stdin)["widened"]: print(*widened.values())'
for table in real_late text_late object_late wide big nulls null_first late both; do
  types a.db $table
  sql a.db "select * from $table" | tee rows
  sql b.db "select * from $table" | cmp - rows
done
echo "-- types that were chosen"
run forced.jsonl --into c.db --types zip=text,n=integer --types r=real
types c.db forced
sql c.db "select * from forced"
sql c.db "select line, reason from _rejects"
echo "-- and without a choice"
code forced.jsonl --into d.db
types d.db forced
sql d.db "select * from forced"
