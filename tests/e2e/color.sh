# Colours only where they are wanted: --color, NO_COLOR, and a terminal.
. "$LIB"
touch f
run() {
  "$@" >said 2>&1 || echo "exit status $?: $*"
  if grep -q $'\e' said; then echo "colours: $*"; else echo "none:    $*"; fi
}
run tidemill each f --progress none -- true
run tidemill each f --progress none --color always -- true
run tidemill each f --progress none --color never -- true
run env NO_COLOR=1 tidemill each f --progress none -- true
run env CLICOLOR_FORCE=1 tidemill each f --progress none -- true
run env CLICOLOR_FORCE=1 NO_COLOR=1 tidemill each f --progress none -- true
# On a terminal, with and without NO_COLOR.
pty='import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))'
run env TERM=xterm python3 -c "$pty" tidemill each f --progress none -- true
run env TERM=xterm NO_COLOR=1 python3 -c "$pty" tidemill each f --progress none -- true
run env TERM=dumb python3 -c "$pty" tidemill each f --progress none -- true
