# What may pass by itself is tried again; what was named permanent is not.
. "$LIB"
touch f
fails_twice='echo "attempt $TIDEMILL_ATTEMPT"; test "$TIDEMILL_ATTEMPT" -ge 3 || exit 9'
run() { status tidemill each --progress none --backoff 1ms "$@" f --shell -- "$fails_twice" 2>&1; }
echo "-- 9 is no reason to try again"
run
echo "-- unless named: by number, range, any"
run --retry-on 9
run --retry-on 5-10
run --retry-on any
echo "-- too few attempts"
run --retry-on 9 -a 2
echo "-- permanent wins"
run --retry-on any --permanent-on 9
echo "-- 75 always may pass"
status tidemill each --progress none --backoff 1ms f --shell -- 'exit 75' 2>&1
echo "-- a signal"
status tidemill each --progress none --backoff 1ms --retry-on SEGV f --shell -- \
  'test $TIDEMILL_ATTEMPT = 2 || kill -SEGV $$' 2>&1
