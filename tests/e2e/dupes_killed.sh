# dupes: killed while reading and run again: the same report.
. "$LIB"
# The hash of a file modified a moment ago is not cached: wait until the files are old enough.
settled() { [[ $(($(date +%s) - $(stat -c %Z "$1"))) -gt 2 ]]; }
mkdir t
python3 - <<'END'
for i in range(800):
    with open(f"t/{i}", "wb") as file:
        file.write(b"%d " % (i // 2) * 9000)
END
dupes() { tidemill dupes t -q --jsonl --hash sha3-256 "$@"; }
groups() { grep '"event":"group"'; }
dupes --no-catalogue | groups >whole
wc -l <whole
wait_until settled t/799
# It has begun to write down what it found, or is through.
busy() { [[ -s $TIDEMILL_STATE/catalogue.db-wal ]] || gone "$1"; }
for _ in 1 2 3; do
  tidemill dupes t -q --jsonl --hash sha3-256 >/dev/null &
  wait_until busy $!
  kill_hard $! 2>/dev/null || true
done
dupes | groups | cmp - whole && echo "the same report"
tidemill dupes t --progress none --hash sha3-256 | grep -E '^(data|cached)'
echo "-- Ctrl-C"
tidemill dupes t -q --jsonl --hash sha512 >/dev/null 2>errors &
wait_until busy $!
kill -INT $! || true
code=0
wait $! || code=$?
case $code in
  130) sed 1d errors ;;
  0) echo "Interrupted. The hashes so far are cached; tidemill resume 20261117-0102-dupes-scan continues the scan." ;; # it was through
  *) echo "exit status $code" ;;
esac
