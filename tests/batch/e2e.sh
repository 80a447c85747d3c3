# What the scripts tests/e2e/batch_*.sh need. They begin with:
#   . "$LIB"; . "${LIB%/*}/../../batch/e2e.sh"

# run ARGUMENTS...: batches, the report, and how it ended.
run() { status tidemill batch "$@" --progress none 2>&1; }

# brief: of each batch how many files, how many tokens, and its first and last file.
brief() {
  jq -rc '[(.files | length), .totalTokens, .files[0].path, .files[-1].path, .oversize // empty] | @text'
}

# ids: of the batches.
ids() { jq -r .id; }

# start_redis [OPTION...]: a server on a socket in this folder. stop_redis ends it.
start_redis() {
  command -v redis-server >/dev/null || skip "needs redis-server"
  redis-server --port 0 --unixsocket "$DIR/redis.sock" --dir "$DIR" --save '' --logfile '' \
    "$@" >redis.log 2>&1 &
  redis_pid=$!
  wait_until redis-cli -s "$DIR/redis.sock" ping
  url=unix://$DIR/redis.sock
}
stop_redis() {
  kill "$redis_pid"
  wait "$redis_pid" || true
}
ask() { redis-cli -s "$DIR/redis.sock" "$@"; }

# words N FILE: a file of so many words, each of them a token.
words() {
  local i
  mkdir -p "$(dirname "$2")"
  for ((i = 0; i < $1; ++i)); do printf " the"; done >"$2"
}
