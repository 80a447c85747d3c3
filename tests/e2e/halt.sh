# --halt and --max-failures: when failures end the run. One worker, so the counts are exact.
. "$LIB"
seq 1500 >list
run() {
  echo "-- $*"
  : >ran
  status tidemill each -q --json -j 1 --files-from list "$@" --shell -- 'echo $1 >>ran; test $1 -lt 5' >summary 2>/dev/null
  sed '$d' summary | fields ending
  tail -n 1 summary
  # At most what was in the pipeline already has run since the rule was met.
  python3 - "$@" <<'END'
ran = len(open("ran").readlines())
print("all ran" if ran == 1500 else "it ended early")
END
}
run
run --halt soon
run --halt now
run --halt soon,fail=3
run --halt now,fail=3
run --halt soon,fail=10%
run --halt now,fail=100%
run --max-failures 4
echo "-- nonsense"
for rule in later soon,fail=0 soon,fail=x% now,fail=101% soon,; do
  status tidemill each --files-from list --halt "$rule" -- true
done
