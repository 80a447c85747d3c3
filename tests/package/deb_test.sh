#!/bin/bash
# Test `deb`: the packages are made from the build tree, twice the same; the program is hardened; lintian, where
# it is installed, finds no error; the program's package is installed into a root that has nothing but what it
# depends on (clean_root.py), and every verb works there (smoke.sh); a program finds the engine in the other.
#
# The root is entered by chroot, in namespaces of its own: what is mounted and started there is gone when the
# script in it ends, however it ends. Who is not root does it in a user namespace; where there is neither the
# test is skipped (77).
#
# usage: deb_test.sh BUILD SCRATCH COMPILER
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source_tree=$here/../..
build=$1 scratch=$2 compiler=$3
seen_by_root=(bash dash coreutils grep libc-bin mandoc) # beside what the package wants

fail() {
  echo "FAILED: $*"
  exit 1
}

spaces=(unshare --mount --pid --fork --kill-child)
if [[ $(id -u) != 0 ]]; then spaces+=(--map-root-user); fi
if ! "${spaces[@]}" true 2>/dev/null; then
  echo "no chroot here: neither root nor user namespaces"
  exit 77
fi

rm -rf "$scratch"
mkdir -p "$scratch"
trap 'rm -rf "$scratch"' EXIT

make_packages() {
  "$source_tree/tools/package" --fast --build "$build" --output "$scratch/packages"
  "$source_tree/tools/package" --fast --build "$build" --output "$scratch/again" >/dev/null
  diff -r "$scratch/packages" "$scratch/again" || fail "the second time the packages are others"
  program=$(echo "$scratch"/packages/tidemill_*.deb)
  engine=$(echo "$scratch"/packages/tidemill-dev_*.deb)
}

# What hardening-check looks at, and no server, interpreter or browser among the dependencies.
check_program() {
  local elf
  dpkg-deb -x "$program" "$scratch/program"
  elf=$(readelf --wide --file-header --program-headers --dynamic --dyn-syms "$scratch/program/usr/bin/tidemill")
  for mark in 'Type: +DYN \(Position-Independent' GNU_RELRO BIND_NOW __stack_chk_fail '__[a-z]+_chk@' 'GNU_STACK .* RW '; do
    grep -qE "$mark" <<<"$elf" || fail "the program is not hardened: no $mark"
  done
  if dpkg-deb -f "$program" Depends | grep -E 'redis-server|node|jre|jdk|python|perl'; then
    fail "the program's package depends on more than libraries"
  fi
}

check_by_lintian() {
  if ! command -v lintian >/dev/null; then
    echo "lintian is not installed: not asked"
    return
  fi
  lintian --allow-root --no-cfg --fail-on error --suppress-tags arch-dep-package-has-big-usr-share \
    "$program" "$engine" || fail "lintian"
}

install_program() {
  python3 "$here/clean_root.py" "$program" "$scratch/root" "${seen_by_root[@]}"
  "${spaces[@]}" dpkg --root="$scratch/root" --install "$program" >"$scratch/dpkg.log" 2>&1 || {
    cat "$scratch/dpkg.log"
    fail "dpkg --install"
  }
}

try_every_verb() {
  mkdir "$scratch/root/books"
  python3 "$source_tree/tests/books/make_book.py" "$scratch/root/books/good.epub"
  python3 "$source_tree/tests/books/make_book.py" "$scratch/root/books/bad.epub" bad-element
  cp "$here/smoke.sh" "$scratch/root/smoke.sh"
  # shellcheck disable=SC2016
  "${spaces[@]}" sh -ec 'mount --rbind /dev "$1/dev"; mount -t proc proc "$1/proc"
    exec chroot "$1" /usr/bin/env -i /bin/bash /smoke.sh' sh "$scratch/root" || fail "smoke.sh"
}

use_engine() {
  dpkg-deb -x "$engine" "$scratch/engine"
  cmake -G Ninja -S "$here/consumer" -B "$scratch/consumer" -D CMAKE_CXX_COMPILER="$compiler" \
    -D CMAKE_PREFIX_PATH="$scratch/engine/usr" -D EXAMPLE="$source_tree/examples/minimal_pool.cc" \
    >"$scratch/consumer.log" 2>&1 &&
    cmake --build "$scratch/consumer" >>"$scratch/consumer.log" 2>&1 || {
    cat "$scratch/consumer.log"
    fail "a program cannot be built with the engine's package"
  }
  python3 "$source_tree/tools/check_example.py" "$scratch/consumer/consumer" "$source_tree/examples/minimal_pool.cc"
}

for part in make_packages check_program check_by_lintian install_program try_every_verb use_engine; do
  began=$SECONDS
  "$part"
  echo "$part: $((SECONDS - began)) s"
done
