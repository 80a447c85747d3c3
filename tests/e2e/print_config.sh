# --print-config: each option and where its value comes from: line, environment, file, default.
. "$LIB"
mkdir -p "$XDG_CONFIG_HOME/tidemill"
config=$XDG_CONFIG_HOME/tidemill/tidemill.toml
cat >"$config" <<'END'
progress = "none"

[each]
attempts = 7
jobs = 3
END
TIDEMILL_BACKOFF=5ms TIDEMILL_JOBS=4 tidemill each --print-config -t 3s . -- true |
  grep -E '^ *#|attempts|backoff|jobs|timeout|progress|grace'
echo "-- and it counts"
touch f
echo x | TIDEMILL_JOBS=1 tidemill each --jsonl --files-from - -- true | fields event workers | head -n 1
echo "-- so does the name of earlier versions"
echo x | TIDEMILL_WORKERS=1 tidemill each --jsonl --files-from - -- true | fields event workers | head -n 1
echo "-- a mistake in it names the file"
echo 'jbos = 1' >"$config"
status tidemill each f -- true
echo 'attempts = "many"' >"$config"
status tidemill each f -- true
echo '[each' >"$config"
status tidemill each f -- true
rm "$config"
echo "-- a mistake in the environment names the variable"
TIDEMILL_JOBS=x status tidemill each f -- true
