# An empty list and an empty folder are no failure.
. "$LIB"
mkdir empty
echo "-- an empty folder"
status tidemill each empty --progress none -- echo 2>&1
echo "-- an empty list"
status tidemill each --files-from /dev/null --progress none -- echo 2>&1
echo "-- a list of empty lines"
printf '\n\n' | status tidemill each --files-from - --progress none -- echo 2>&1
echo "-- as JSON"
tidemill each empty -q --json -- echo | fields ending found failed foundAll
