# --screen: a run on the whole terminal. It is used as a person would, and given back as it was.
. "$LIB"
. "${LIB%/*}/../../books/e2e.sh"
mkdir library
book library/good.epub
book library/bad.epub bad-element missing-link
printf 'no book' >library/no.epub

echo "-- a run that has ended stays until it is left; then its report is printed"
terminal 90 14 tidemill books check library/{bad,good,no}.epub -j 1 --no-cache --screen <<'STEPS'
wait The run has ended.
show 3
type 2
wait good.epub
show 3 5
type /
wait Filter:
type GOOD
wait Filter: GOOD
type \r1
wait no match
show 3 5
type \e
wait bad.epub
type g\r
wait Esc back
show 3 8
type \e
wait Enter details
type ?
wait newest item, and follow
size 70 9
gone newest item, and follow
wait Esc back
type \e
wait no.epub
show 3
type q
wait 2 invalid
end
STEPS

echo "-- q closes the screen, and the run continues"
mkfifo gate
printf '%s\n' one two three >names
cat >work.sh <<'WORK'
case $1 in
  one) echo it went wrong >&2; exit 3 ;;
  two) echo two is done ;;
  three) cat gate ;;
esac
WORK
terminal 70 12 tidemill each --files-from names -j 1 --screen -- sh work.sh {} <<'STEPS'
wait s  three
wait 1 done 1   2 failed 1
show 4
type \r
wait it went wrong
show 4
type \eq
wait two is done
gone q close
run echo three is done >gate
wait three is done
wait each complete: 2 done, 1 failed of 3
end
STEPS

echo "-- Esc asks, and stops it then, as Ctrl-C does"
terminal 70 12 tidemill each --files-from names -j 1 --screen -- sh work.sh {} <<'STEPS'
wait s  three
type \e
wait Stop the run? Press y to stop, any other key to continue
type y
wait each interrupted
end
STEPS
terminal 70 12 tidemill each --files-from names -j 1 --screen -- sh work.sh {} <<'STEPS'
wait s  three
type \x03
wait each interrupted
end
STEPS

echo "-- names that drive terminals do nothing"
printf 'a\033[2J\nb\033]0;title\007\n' >names
terminal 60 9 tidemill each --files-from names -j 1 --screen --color never -- false {} <<'STEPS'
wait The run has ended.
show 3 5
type \x03
wait retry:
show 1 1
end
STEPS

echo "-- what is printed to a file goes there at once, and the screen is still there"
terminal 60 9 sh -c 'tidemill books check library/*.epub -j 1 --no-cache --screen --jsonl >lines' <<'STEPS'
wait The run has ended.
run jq -r 'select(.event == "book") | .verdict' lines
type q
end
STEPS

echo "-- without a terminal"
status tidemill each one --screen -- true 2>&1
echo "-- on one that is not known"
terminal 90 9 env TERM=no-such tidemill each one --screen -- true <<'STEPS'
wait unknown terminal type no-such
end
STEPS
terminal 90 9 env TERM=dumb tidemill each one --screen -- true <<'STEPS'
wait TERM is dumb
show 1 2
end
STEPS
terminal 90 9 env -u TERM tidemill each one --screen -- true <<'STEPS'
wait TERM is not set
show 1 2
end
STEPS
echo "-- where there is nothing to show"
for verb in runs doctor; do status tidemill $verb --screen 2>&1; done
TIDEMILL_SCREEN=true tidemill runs >/dev/null && echo "a variable is for the verbs that can"
