# --halt now ends what runs; soon lets it finish. What was ended is pending, not failed.
. "$LIB"
printf '%s\n' slow bad >list
mkfifo gate
run() {
  status tidemill each -q --json -j 2 --grace 50ms --files-from list --halt "$1" --shell -- \
    'case $1 in slow) echo $$ >pid; '"$2"' ;; bad) until test -s pid; do :; done; exit 1 ;; esac' >summary 2>/dev/null
  sed '$d' summary | fields ending done failed pending
  tail -n 1 summary
  rm pid
}
echo "-- now"
run now 'exec hang'
echo "-- soon"
run soon 'until tidemill failures "$TIDEMILL_RUN" export | grep -q .; do :; done'
