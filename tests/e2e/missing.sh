# What is not there: the command, the folder, the list, the file of a list.
. "$LIB"
touch f noexec
echo "-- a command"
status tidemill each f --progress none -- no-such-command 2>&1
status tidemill each f --progress none -- ./no-such-command 2>&1
status tidemill each f --progress none -- ./noexec 2>&1
status tidemill each f --progress none -- / 2>&1
echo "-- a folder"
status tidemill each nowhere --progress none -- echo 2>&1
echo "-- one of two"
status tidemill each f nowhere --progress none -- echo 2>&1
echo "-- a list"
status tidemill each --files-from nowhere --progress none -- echo 2>&1
status tidemill each --files-from . --progress none -- echo 2>&1
echo "-- a place for results, or for the log"
status tidemill each f --results f/out --progress none -- echo 2>&1
status tidemill each f --log f/log --progress none -- echo 2>&1
echo "-- no run was made of any of this"
tidemill runs --json | fields count
echo "-- a name in a list is only a name: the command decides"
echo nowhere | status tidemill each --files-from - --progress none -- echo 2>&1
echo "-- a run"
status tidemill resume 19990101-0000-each 2>&1
