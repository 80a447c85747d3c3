# dupes --folders: identical and overlapping folders.
. "$LIB"
mkdir -p album/raw copy/raw other
for i in 1 2 3; do printf "picture $i" | tee album/$i >copy/$i; done
printf raw | tee album/raw/r >copy/raw/r
printf 'picture 1' >other/eins
printf 'picture 2' >other/2
printf 'only here' >other/new
printf 'picture X' >other/3
quiet() { sed -E 's/^(time +).*/\1TIME/' | awk '/^(Identical|Overlapping) folders/ {on = 1} /^files scanned/ {on = 0} on'; }
tidemill dupes . -q --folders --no-catalogue | quiet
echo "-- at least 30 %"
tidemill dupes . -q --folders --overlap 30 --no-catalogue | quiet
echo "-- json"
tidemill dupes . -q --folders --overlap 30 --json --no-catalogue | python3 -c '
import json, sys
report = json.load(sys.stdin)
for same in report["folders"]:
    print(same["files"], same["bytes"], [member["path"] for member in same["members"]])
for two in report["overlaps"]:
    print(round(two["similarity"], 2), two["matching"], two["union"], two["first"], two["second"], two["different"])'
