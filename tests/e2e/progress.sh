# --progress: plain lines, JSON lines or none; all on standard error, never with control characters.
. "$LIB"
touch a b
for mode in plain json none auto; do
  echo "-- $mode"
  tidemill each a b --progress "$mode" -- true 2>errors
  if grep -q $'[\e\r]' errors; then echo "control characters"; fi
  case $mode in
    json) grep '^{' errors | tail -n 1 | fields; grep -v '^{' errors || true ;;
    *) sed -E 's/^[0-9:]{8} /CLOCK /; s/[0-9.,]+\/(s|min|h)/RATE/; s/took .*/took TIME/' errors ;;
  esac
done
echo "-- on a terminal, with a reader that writes to it too: its lines stand, and no block is drawn"
terminal 80 24 sh -c 'tidemill each a b -j 1 -- echo name | cat' >seen <<'STEPS'
end
show 1 5
STEPS
sed -E 's/^\|[0-9:]{8} /|CLOCK /; s/[0-9.,]+\/(s|min|h)/RATE/; s/took .*/took TIME/' seen | sort
