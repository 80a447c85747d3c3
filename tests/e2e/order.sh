# --order: as found, by name, or the smallest first.
. "$LIB"
mkdir -p t/b
for file in t/b/1:30 t/a:200 t/c:1000 t/b.x:5 t/Z:70; do head -c "${file#*:}" /dev/zero >"${file%:*}"; done
for order in name size; do
  echo "-- $order"
  tidemill each t -q -j 1 --order "$order" -- echo
done
echo "-- found: by walking the order is that of the names, folder by folder"
tidemill each t -q -j 1 -- echo
echo "-- a list as it is written, or sorted"
printf '%s\n' c a b >list
tidemill each -q -j 1 --files-from list -- echo
tidemill each -q -j 1 --files-from list --order name -- echo
echo "-- what is no order"
status tidemill each t --order random -- echo
