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
run each --job 2 . -- true
run each --jbos 2 . -- true
run each . -j x -- true
run each . -j -1 -- true
run each . -j 1025 -- true
run each . -t soon -- true
run each . --color sometimes -- true
run each . -- ''
run each . --
run each -Z
run each --files-from list dir -- true
run each -0 . -- true
run failures
run failures last destroy
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
echo "-- a word before the verb is not a folder"
mkdir photos
run photos each -- true
echo "-- a value that was set elsewhere"
export TIDEMILL_JOBS=1025
run each . -- true
unset TIDEMILL_JOBS
echo "-- a name that would drive the terminal"
tidemill show "$(printf 'a\033[31m\nb\\')" 2>&1 || echo "exit status $?"
echo "-- no room for the help"
tidemill --help 2>&1 >/dev/full || echo "exit status $?"
