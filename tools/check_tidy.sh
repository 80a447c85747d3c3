#!/bin/bash
# Fails when clang-tidy finds something in tidemill/ or examples/. How each file is compiled it takes from
# the preset `tidy`, of which only the precompiled headers are built. A file that was clean and has not
# changed since, nor a header of ours that it includes, is not looked at again (tools/tidy_seen.py).
# usage: check_tidy.sh [--all|--update] [file...]
#        --all: looks at every file; --update: remembers those that are clean
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/tidy
mode=
if [[ ${1:-} == --all || ${1:-} == --update ]]; then
  mode=$1
  shift
fi

quietly() { # quietly <command...>: its words only when it fails
  local words
  words=$("$@" 2>&1) || { echo "$words" >&2; exit 1; }
}
quietly cmake --preset tidy

# The standard headers and those of the test libraries are walked for every check, so in tests only
# the checks run that a test is likely to break. (A test may look at what it moved from.)
for_tests='-*,bugprone-dangling-handle,bugprone-infinite-loop,bugprone-suspicious-semicolon'
for_tests+=',bugprone-unused-raii,bugprone-unused-return-value'
for_tests+=',cppcoreguidelines-avoid-non-const-global-variables,readability-identifier-naming'

wanted() {
  if [[ $mode == --all ]]; then cat; else xargs -r tools/tidy_seen.py unseen; fi
}

product=()
tests=()
add() {
  if [[ $1 == *_test.cc || $1 == *tidemill/testing/* ]]; then tests+=("$1"); else product+=("$1"); fi
}

# A header is looked at with the files that include it. One that only tests and other headers include
# is looked at through the file that CMake made to compile it alone.
add_header() {
  local alone
  if grep -rqF "#include \"$1\"" --include='*.cc' --exclude='*_test.cc' tidemill examples; then return 0; fi
  for alone in "$build"/tidemill_*_verify_interface_header_sets/"$1".cxx; do
    if [[ ! -f ${1%.h}.cc && -f $alone ]]; then add "$alone"; fi
  done
}

if [[ $# -gt 0 ]]; then
  for file in "$@"; do add "$file"; done
else
  while read -r file; do
    if [[ $file == *.h ]]; then add_header "$file"; else add "$file"; fi
  done < <(find tidemill examples \( -name '*.cc' -o -name '*.h' \) | sort | wanted)
fi

# One process a file, and all of them also when one fails. Each writes into a file of its own, so
# that two never mix their lines.
found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT
tidy() { # tidy <name of an array of files> [option...]
  local -n files=$1
  shift
  if [[ ${#files[@]} == 0 ]]; then return 0; fi
  # shellcheck disable=SC2016  # the inner shell expands them
  printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P "$(nproc)" \
    bash -c 'clang-tidy-19 --quiet "${@:2}" >"$1/$$" 2>&1 && echo "${@: -1}" >>"$1/clean"' \
    tidy "$found" -p "$build" "$@"
}

if [[ ${#product[@]} -gt 0 || ${#tests[@]} -gt 0 ]]; then
  quietly cmake --build --preset tidy --target tidemill_pch_std tidemill_pch_test
fi
status=0
tidy product || status=1
tidy tests --checks="$for_tests" || status=1

if [[ $mode == --update && -f $found/clean ]]; then
  # A header that was compiled alone counts under its own name.
  sed -E 's|^.*_verify_interface_header_sets/(.*)\.cxx$|\1|' "$found/clean" | sort -u |
    xargs tools/tidy_seen.py add
fi
rm -f "$found/clean"

# A finding in a header comes once for each file that includes it: the first one is enough.
cat "$found"/* 2>/dev/null | grep -vE '^[0-9]+ (warning|error)s?( and [0-9]+ errors?)? (generated|treated)' |
  awk 'BEGIN { show = 1 } /: (error|warning): / { show = !seen[$0]++ } show' || true
exit $status
