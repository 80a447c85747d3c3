# --rate: commands do not start faster than allowed. What is measured is when they say they began.
. "$LIB"
seq 12 >list
tidemill each -q -w 4 --rate 10/s --files-from list -- python3 -c 'import time; print(time.clock_gettime(time.CLOCK_MONOTONIC))' >times
python3 - <<'END'
times = sorted(float(line) for line in open("times"))
print(len(times), "started")
# A slow start of one process makes it look late and the next ones close: only the whole counts.
# 12 starts at 10/s: the last one is allowed 1.1 s after the first, or 1.0 s with a burst of one.
took = times[-1] - times[0]
print("not faster" if took > 0.8 else f"too fast: {took}")
END
status tidemill each --files-from list --rate fast -- true
