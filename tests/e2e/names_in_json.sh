# Bytes that are no UTF-8 come as base64 under another key.
. "$LIB"
printf '%s\0' good $'bad\xff' >nul
tidemill each -q --jsonl -j 1 --files-from nul -0 --shell -- 'printf "%s" "$1"; exit 1' >events 2>/dev/null || echo "exit status $?"
fields event name nameBase64 stdout stdoutBase64 <events
python3 - <<'END'
import base64, json
for line in open("events", encoding="utf-8"):
    if line.startswith("{") and "nameBase64" in line:
        print(base64.b64decode(json.loads(line)["nameBase64"]))
END
echo "-- failures"
tidemill failures last export | fields name nameBase64 output outputBase64
