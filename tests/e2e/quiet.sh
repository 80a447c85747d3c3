# --quiet: nothing when all is well, but the outputs of the commands.
. "$LIB"
touch f
tidemill each f -q -- true
tidemill each f -q -- echo output
echo "-- with failures it says so"
status tidemill each f -q -- false 2>&1
tidemill runs -q | wc -l
