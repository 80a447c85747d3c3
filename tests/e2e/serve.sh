# serve: where it may listen, and a token that others could have read. (tests/serve asks a running one.)
. "$LIB"
for where in 0.0.0.0:80 '[::]:80' 192.168.1.1:8585 example.com:8585 localhost.example.com:8585 128.0.0.1:80; do
  echo "-- $where"
  status tidemill serve --listen "$where" 2>&1
done
for where in 127.0.0.1 localhost: 127.0.0.1:x 127.0.0.1:65536 127.0.0.1:-1 :8585 ::1:8585 '[::1]' unix:socket ''; do
  echo "-- $where"
  status tidemill serve --listen "$where" 2>&1
done
echo "-- a token that others can read"
touch file
tidemill each file -q -- true
echo 0123 >"$TIDEMILL_STATE/serve.token"
chmod 644 "$TIDEMILL_STATE/serve.token"
status tidemill serve --listen 127.0.0.1:0 2>&1
chmod 600 "$TIDEMILL_STATE/serve.token"
status tidemill serve --listen 127.0.0.1:0 2>&1
