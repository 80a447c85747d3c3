# dupes: unusual names in every format; paths longer than PATH_MAX.
. "$LIB"
python3 - <<'END'
import os
names = [b"latin1-\xe9\xff", b"new\nline", b"tab\there", b"it's", b'say "hi"', b"$(touch evil)", b"-rf", b" a ",
         b"back\\slash", b"nfc-\xc3\xa9", b"nfd-e\xcc\x81", b"\x1b[31mred", b"x" * 255, b"*?[a]", b"cr\r", b"a,b;c"]
for folder in (b"t/1", b"t/2"):
    os.makedirs(folder)
    for i, name in enumerate(names):
        with open(folder + b"/" + name, "wb") as file:
            file.write(b"%d" % i * (i + 1))
os.chdir("t")
for _ in range(25):
    os.mkdir("d" * 200)
    os.chdir("d" * 200)
for name in ("deep", "deeper"):
    with open(name, "w") as file:
        file.write("at the bottom")
END
mkfifo t/fifo
ln -s . t/loop
ln -s nowhere t/broken
tidemill dupes t -q --json --top 3 >json
tidemill dupes t -q --csv >csv
python3 - <<'END'
import base64, csv, json, os

def by_name(folder):
    files = {}
    for base, _, names in os.walk(folder):
        if b"d" * 200 in base:
            continue
        for name in names:
            if os.path.isfile(base + b"/" + name) and not os.path.islink(base + b"/" + name):
                files.setdefault(name, set()).add(base + b"/" + name)
    return sorted(sorted(paths) for paths in files.values())

def of(name):
    return base64.b64decode(name["pathBase64"]) if "pathBase64" in name else name["path"].encode()

report = json.load(open("json", encoding="utf-8"))
groups = [sorted(of(copy["names"][0]) for copy in group["copies"]) for group in report["groups"]]
deep = [group for group in groups if len(group[0]) > 4096]
print(len(groups), "groups in JSON, deep:", [[path[-6:] for path in group] for group in deep])
print(sorted(group for group in groups if group not in deep) == by_name(b"t"))
rows = list(csv.DictReader(open("csv", encoding="utf-8", newline="")))
found = {}
for row in rows:
    path = base64.b64decode(row["path_base64"]) if row["path_base64"] else row["path"].encode()
    found.setdefault(row["group"], []).append(path)
print(sorted(map(sorted, found.values())) == sorted(groups), "in CSV")
END
echo "-- for people"
tidemill dupes t -q -x 'd*' --top 0 | grep -E '^ +(keep)? ' | sort | cat -v | cut -c1-60
echo "-- plain lines"
tidemill dupes t -q --fdupes -x 'd*' -x 'x*' 2>errors | grep -c .
cat errors
echo "-- deleted, all but one of each"
tidemill dupes t -q --action delete --apply 2>/dev/null
tidemill dupes t --progress none | grep -E '^(files|groups)'
rm -rf t # deeper than the tools of the runner go
