# import: nested values as text, as columns, as tables; texts in several languages.
. "$LIB"
. "${LIB%/*}/../../import/e2e.sh"
all() {
  python3 - "$1" <<'END'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
for name, in db.execute("select name from sqlite_schema where type = 'table' and name not like '\\_%' escape '\\' order by name"):
    rows = db.execute(f'select * from "{name}" order by rowid')
    print(f"{name}:", ", ".join(column[0] for column in rows.description))
    for row in rows:
        print("   ", " | ".join(map(repr, row)))
END
}
cat >ships.jsonl <<'END'
{"_key": 587, "name": {"en": "Rifter", "de": "Rifter", "fr": "Rifter"}, "position": {"x": 1, "y": {"z": 2.5}}, "tags": ["small", "fast"], "empty": {}, "none": []}
{"_key": 588, "name": {"en": "Reaper"}, "position": null, "bonuses": [{"_key": 5, "_value": [{"text": {"en": "a", "de": "b"}, "amount": 1}, {"amount": 2}]}, {"_key": 6, "_value": []}], "matrix": [[1, 2], [], "x", null]}
{"name": "no key", "tags": [true], "position_x": "clash", "position": {"x": 3}, "tags_2": 1}
END
for nested in json flatten tables; do
  echo "-- $nested"
  code ships.jsonl --into $nested.db --nested $nested
  all $nested.db
done
told ships.jsonl --into report.db --nested tables --writer sql | python3 -c 'import json, sys
told = json.load(sys.stdin)
print(told["rows"], told["childRows"])
for table in told["tables"]: print(table["name"], table["rows"], table["columns"])'
all tables.db >tables
all report.db | cmp - tables
echo "-- two languages"
run ships.jsonl --into languages.db --languages en,de
all languages.db
code ships.jsonl --into both.db --nested tables --languages en
all both.db
echo "-- a field with a dot is no path"
echo '{"_key":1,"position":{"x":1},"position.x":2,"position_x":3}' >dots.jsonl
code dots.jsonl --into dots.db --nested flatten
all dots.db
echo "-- deep: 32 levels become columns"
python3 -c 'print("{\"a\":" * 40 + "1" + "}" * 40)' >deep.jsonl
code deep.jsonl --into deep.db --nested flatten
all deep.db
echo "-- the key may stand behind the list, or be spelled otherwise"
printf '{"l":[1],"_key":7}\n{"l":[2],"\\u005fkey":8}\n' >behind.jsonl
code behind.jsonl --into behind.db --nested tables
all behind.db
echo "-- a line that is refused leaves nothing in the tables of its lists"
printf '{"_key":1,"l":[{"a":1}]}\n{"_key":2,"l":[{"b":1}],"m":[1],"_key":3}\n' >refused.jsonl
code refused.jsonl --into refused.db --nested tables
all refused.db
