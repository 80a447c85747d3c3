# A folder that cannot be read is a letter; after chmod, retrying it finds its files.
. "$LIB"
run=()
if [[ $(id -u) == 0 ]]; then
  run=(setpriv --reuid=65534 --regid=65534 --clear-groups)
  "${run[@]}" tidemill --version >/dev/null 2>&1 || skip "root can read everything, and nobody cannot run $(realpath "$(command -v tidemill)")"
fi
mkdir -p t/closed t/open
touch t/a t/closed/b t/closed/c t/open/d
chmod 0 t/closed
chmod 755 . "$DIR"
mkdir -m 700 "$TIDEMILL_STATE"
if [[ $(id -u) == 0 ]]; then chown 65534 "$TIDEMILL_STATE" t; fi
status "${run[@]}" tidemill each t --progress none -k -- echo 2>&1
"${run[@]}" tidemill failures last export | fields type name step reason
chmod 755 t/closed
status "${run[@]}" tidemill failures last retry --all --progress none 2>&1 | sort
"${run[@]}" tidemill failures last
