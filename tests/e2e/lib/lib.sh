# What several scripts need. A script begins with: . "$LIB"
set -o pipefail

# status COMMAND...: runs it and says how it ended.
status() {
  local code=0
  "$@" || code=$?
  echo "exit status $code"
}

# wait_until COMMAND...: until it succeeds. The runner's time limit ends what never does.
wait_until() {
  [[ -p $DIR/never ]] || mkfifo "$DIR/never"
  until "$@" >/dev/null 2>&1; do
    read -rt 0.02 <>"$DIR/never" || true
  done
}

# gone PID...: none of these processes is alive (a zombie is not).
gone() {
  local pid
  for pid in "$@"; do
    if [[ -e /proc/$pid ]] && ! grep -q '^State:.Z' "/proc/$pid/status" 2>/dev/null; then return 1; fi
  done
}

# kill_hard PID: kill -9, without what bash has to say about it: kill_hard PID 2>/dev/null
kill_hard() {
  kill -9 "$1"
  wait "$1" || true
}

# lines N FILE: it has so many.
lines() { [[ $(wc -l <"$2") -ge $1 ]]; }

# skip WHY: this machine cannot show it.
skip() {
  echo "$*"
  exit 77
}

# own_mounts SCRIPT: begins it again where what it mounts is seen by nobody and vanishes with it.
own_mounts() {
  [[ -z ${E2E_OWN_MOUNTS:-} ]] || return 0
  local how
  for how in -m -rm; do
    if unshare $how mount -t tmpfs tmpfs "$TMPDIR" 2>/dev/null; then
      E2E_OWN_MOUNTS=1 exec unshare $how bash -eu "$1"
    fi
  done
  skip "cannot mount a small disk here: needs root, or namespaces of users"
}
