# batch: memory does not grow with the tree: E2E_FILES files (10^6 by hand) need no more than 10,000.
. "$LIB"
many=${E2E_FILES:-60000}
tree() {
  python3 - "$1" "$2" <<'END'
import os, sys
text = b"".join(b"line %d of a small file with some words in it\n" % i for i in range(4))
for folder in range(int(sys.argv[2]) // 1000):
    os.makedirs(f"{sys.argv[1]}/{folder:04}")
    for name in range(1000):
        with open(f"{sys.argv[1]}/{folder:04}/{name:04}.txt", "wb") as file:
            file.write(text)
END
}
tree few 10000
tree many "$many"
peak small tidemill batch few -m 20000 -q >/dev/null
peak large tidemill batch many -m 20000 -q >batches
jq -s 'map(.files | length) | add' batches | awk -v n="$many" '{ print $1 == n ? "every file" : $1 }'
awk '{ print $1 <= 64 ? "at most 64 MiB" : "used " $1 " MiB" }' small large
paste small large | awk '{ print $2 <= $1 + 16 ? "no more than for few" : "more: " $0 }'
