# Mistakes on the command line end with 2, on standard error, and say what was meant.
. "$LIB"
run() {
  echo "-- $*"
  tidemill "$@" 2>&1 >out || echo "exit status $?"
  test ! -s out || echo "and something on standard output"
}
echo "-- without anything: the short help"
tidemill >out 2>&1 || echo "exit status $?"
head -n 1 out
run eech
run each --worker 2 . -- true
run each --wrokers 2 . -- true
run each . -w x -- true
run each . -w -1 -- true
run each . -w 0 -- true
run each . -t soon -- true
run each . --color sometimes -- true
run each . -- ''
run each . --
run each -Z
run each --files-from list dir -- true
run each -0 . -- true
run letters
run letters last destroy
run resume
run forget
run completion tcsh
run man eahc
run eech --help
run eech -h
run books chekc --help
run help
run help each
run version
echo "-- a word before the verb is no folder of it"
mkdir photos
run photos each -- true
echo "-- a value that was set elsewhere"
export TIDEMILL_WORKERS=0
run each . -- true
unset TIDEMILL_WORKERS
echo "-- a name that would drive the terminal"
tidemill show "$(printf 'a\033[31m\nb\\')" 2>&1 || echo "exit status $?"
echo "-- no room for the help"
tidemill --help 2>&1 >/dev/full || echo "exit status $?"
