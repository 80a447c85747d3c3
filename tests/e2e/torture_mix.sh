# MIX: outputs of jobs that run at the same time never mix, however large and however slow.
. "$LIB"
cat >mycommand <<'END'
#!/usr/bin/env python3
import os
for out, err in ("ab", "cd", "ef"):
    os.write(1, b"") or [os.write(1, out.encode() * 30_000) for _ in range(10)]
    [os.write(2, err.encode() * 30_000) for _ in range(10)]
    os.write(1, b" ")
    os.write(2, b" ")
os.write(1, b"\n")
os.write(2, b"\n")
END
chmod +x mycommand
seq 30 | tidemill each -q -j 10 --files-from - -- ./mycommand >out 2>err
tr -s abcdef <out | sort | uniq -c
tr -s abcdef <err | sort | uniq -c
wc -c out err | sed 's/^ *//'
echo "-- half a line, then the other half when all others have begun theirs"
seq 4 | tidemill each -q -j 4 --files-from - --shell -- \
  'printf "half "; echo >>begun; until test "$(wc -l <begun)" -ge 4; do :; done; echo "and half"' | sort | uniq -c
