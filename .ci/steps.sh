# What .ci/run and .ci/soak share: packages, steps, builds and tests, and how they are counted. Both source it from the
# top of the project, and end with finish.
exec </dev/null

packages=(
  g++ cmake ninja-build ccache lld python3 git
  clang-19 clang-tidy-19 clang-format-19 libclang-rt-19-dev
  libgtest-dev libgmock-dev librapidcheck-dev
  libsqlite3-dev libcli11-dev libfmt-dev libspdlog-dev libtomlplusplus-dev libxxhash-dev libssl-dev
  libsimdjson-dev libisal-dev libzstd-dev zstd libhiredis-dev
  libxml2-dev zlib1g-dev libicu-dev libqpdf-dev libseccomp-dev libncurses-dev # e-books, and their screen
  default-jdk-headless qpdf poppler-utils # their judges, EPUBCheck from npm among them
  libcurl4-openssl-dev            # documents over HTTP
  libcpp-httplib-dev              # the stub of their server
  nlohmann-json3-dev              # a second reader of our JSON
  python3-jsonschema              # validates it
  mandoc zsh busybox fish jq sqlite3 zip strace procps util-linux iproute2 openssl # judges and tools of the tests
  redis-server redis-sentinel redis-tools python3-redis # queues, and who works on them
  nftables # cuts networks of the fleet in two
  faketime # hosts whose clocks differ
  libtbb-dev libasio-dev libconcurrentqueue-dev libbenchmark-dev
  xfsprogs e2fsprogs mount        # file systems for tests: one can share blocks, and whose power is cut
  jdupes rmlint rdfind bfs # what the benchmark of dupes and of the walk is measured against
  lintian dpkg-dev binutils # who judges and makes the packages
  prometheus # for promtool, which checks what the metrics print
  chromium # looks at HTML pages; its fonts come with it
)
# Node's own packages bring npm; Debian's do not.
if ! command -v npm >/dev/null; then packages+=(nodejs npm); fi
jobs=$(nproc)
passed=0
failed=0
mkdir -p build
steps=$PWD/build/steps.txt
slowest=$PWD/build/slowest.txt
rm -f "$steps" "$slowest"

missing_packages() {
  local package
  for package in "${packages[@]}"; do
    if [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) != installed ]]; then
      echo "$package"
    fi
  done
}

install_packages() (
  mapfile -t missing < <(missing_packages)
  if [[ ${#missing[@]} == 0 ]]; then exit 0; fi
  echo "installing ${missing[*]}"
  root=()
  if [[ $(id -u) != 0 ]]; then root=(sudo); fi
  # The packages of prometheus and redis start servers when they are installed, and nothing here wants
  # one. This file is Debian's switch for that: with it no package starts a service (101: not allowed).
  policy=/usr/sbin/policy-rc.d
  if [[ ! -e $policy ]]; then
    trap '"${root[@]}" rm -f "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' | "${root[@]}" tee "$policy" >/dev/null
    "${root[@]}" chmod +x "$policy"
  fi
  "${root[@]}" apt-get -qq update &&
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get -qq install -y --no-install-recommends "${missing[@]}" >/dev/null
)

# step <name> <command...>: one line with the outcome and the time. A step that fails does not end
# the run: one run shows all that is broken.
step() {
  local name=$1 began=$SECONDS status=0 took
  shift
  "$@" || status=$?
  took=$((SECONDS - began))
  printf '%-18s %-6s %4d s\n' "$name" "$([[ $status == 0 ]] && echo ok || echo FAILED)" "$took"
  printf '%8d s  %s\n' "$took" "$name" >>"$steps"
  return "$status"
}

# logged <log> <command...>: keeps the output in a file; shows it when the command fails, without
# the lines about what went well.
logged() {
  local log=$1 status=0
  shift
  mkdir -p "$(dirname "$log")"
  "$@" >"$log" 2>&1 || status=$?
  if [[ $status != 0 ]]; then
    grep -vE '^ *(\[[0-9]+/[0-9]+\] |Start +[0-9]+: |[0-9]+/[0-9]+ Test +#.* Passed )' "$log" | head -400
  fi
  return "$status"
}

# A step that is one test: it passed or it failed.
one_test() {
  if step "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

# run_tests <preset> <how many at a time>: every test counts, also each one of a shard. A ctest that fails without a
# failed test (it could not start, it found none) counts as one failure, so that silence is never success.
run_tests() {
  local preset=$1 at_once=$2 status=0 counts total=0 bad=0 skipped=0 folder
  folder=$PWD/$(test_folder "$preset")
  rm -rf "$folder/junit.xml" "$folder/gtest"
  step "$preset test" logged "build/$preset-ctest.log" \
    ctest --preset "$preset" -j "$at_once" --output-junit "$folder/junit.xml" || status=$?
  if counts=$(tools/count_tests.py "$folder" 10); then
    read -r total bad skipped <<<"$counts"
    tail -n +2 <<<"$counts" | sed "s/ s  / s  $preset /" >>"$slowest"
  fi
  if [[ $bad == 0 && ($status != 0 || $total == 0) ]]; then failed=$((failed + 1)); fi
  passed=$((passed + total - bad - skipped))
  failed=$((failed + bad))
  echo "  $preset: $total tests, $bad failed, $skipped skipped"
}
test_folder() { if [[ $1 == soak ]]; then echo build/release; else echo "build/$1"; fi; }

build_preset() { # build_preset <preset> [<words before the command>...]
  local preset=$1
  shift
  step "$preset configure" logged "build/$preset/configure.log" cmake --preset "$preset" &&
    step "$preset build" logged "build/$preset/build.log" \
      "$@" cmake --build --preset "$preset" -j "$jobs" -- -k 0
}

verify_headers() {
  step headers logged build/headers.log \
    "$@" cmake --build --preset release -j "$jobs" --target verify_headers -- -k 0
}

# Tests mostly wait for clocks and disks, so the other builds run in the background meanwhile, one after the other.
# They run in the idle scheduling class, so that tests that measure time are not disturbed.
aside=(nice -n 19)
if chrt --idle 0 true 2>/dev/null; then aside=(chrt --idle 0); fi
declare -A beside=()
last_beside=
begin_beside() { # begin_beside <name> <command...>
  local name=$1 before=$last_beside
  shift
  {
    if [[ -n $before ]]; then tail --pid="$before" -f /dev/null; fi
    "$@"
  } >"build/$name-beside.txt" 2>&1 &
  last_beside=$!
  beside[$name]=$last_beside
}

# Waits for a background step, prints its output and returns its status.
end_beside() { # end_beside <name>
  local status=0
  wait "${beside[$1]}" || status=$?
  cat "build/$1-beside.txt"
  return "$status"
}

if [[ -d ../shared/corpus ]]; then
  TIDEMILL_CORPUS=$(cd ../shared/corpus && pwd)
  export TIDEMILL_CORPUS
fi

# What tests draw at random follows from the commit: another one looks elsewhere, and a run that
# failed can be repeated.
choose_seed() {
  local commit
  if [[ -z ${SEED:-} ]]; then
    SEED=1
    if commit=$(git rev-parse HEAD 2>/dev/null); then SEED=$((16#${commit:0:7})); fi
  fi
  export SEED RC_PARAMS="seed=$SEED"
  echo "seed $SEED"
}

# How many compilations ccache answered in this run; its counters would mix in those of others.
export CCACHE_STATSLOG=$PWD/build/ccache.log
: >"$CCACHE_STATSLOG"
hit_rate() {
  if command -v ccache >/dev/null; then
    echo "ccache: $(ccache --show-log-stats | sed -n 's/^ *Hits: *//p' | head -n 1)"
  fi
}

# The last lines: what took long, and the sum.
finish() {
  echo "slowest steps:"
  sort -nr "$steps" | head -n 10
  echo "slowest tests:"
  if [[ -f $slowest ]]; then sort -nr "$slowest" | head -n 10; fi
  hit_rate
  echo "total ${SECONDS} s"
  echo "$passed passed, $failed failed"
  [[ $failed == 0 && $passed -gt 0 ]]
}
