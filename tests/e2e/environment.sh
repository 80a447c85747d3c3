# TIDEMILL_RUN, _TASK and _ATTEMPT are in a command's environment; the rest is as it was.
. "$LIB"
printf '%s\n' one two >list
OURS=kept tidemill each -q -k --files-from list --backoff 1ms --retry-on 9 --shell -- \
  'echo "$1 $TIDEMILL_RUN $TIDEMILL_TASK $TIDEMILL_ATTEMPT $OURS"; test $TIDEMILL_ATTEMPT = 2 || exit 9'
echo "-- the run is the one that is listed"
tidemill each -q --files-from list --shell -- 'echo "$TIDEMILL_RUN"' | sort -u >said
ls "$TIDEMILL_STATE/runs" | grep -cxFf said
