# dupes: JSON, JSON lines, CSV and the fdupes format report the same groups.
. "$LIB"
mkdir -p t/sub
printf 'one one' | tee t/1 >t/sub/1
printf 'second' | tee t/2 t/two >'t/say "2", twice'
ln t/1 t/one
sorted() { sort | cat -v; }
echo "-- json"
tidemill dupes t -q --json --verify >report
python3 - <<'END'
import json
report = json.load(open("report", encoding="utf-8"))
print(" ".join(report))
for group in sorted(report["groups"], key=lambda g: g["size"]):
    print(group["size"], group["algorithm"], group["hash"], group["verified"], len(group["copies"]))
    for copy in group["copies"]:
        print("  ", copy["links"], [(name["path"], name["root"], name["reference"]) for name in copy["names"]])
totals = report["totals"]
print({key: totals[key] for key in ("found", "folders", "bytes", "candidates", "groups", "redundant", "failed")})
END
echo "-- jsonl"
tidemill dupes t -q --jsonl | fields event size
echo "-- every hash"
for hash in xxh3 sha256 sha512 sha3-256 blake2b; do
  tidemill dupes t -q --jsonl --hash $hash --no-catalogue -g two -g 2 | fields algorithm hash | sed -n 1p
done
printf 'second' | sha256sum
echo "-- csv"
tidemill dupes t -q --csv | cut -d, -f2-4,10- | sorted
echo "-- fdupes"
tidemill dupes t -q --fdupes | sorted
echo "-- only one format at a time"
status tidemill dupes t --json --csv
