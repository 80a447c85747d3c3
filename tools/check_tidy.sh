#!/bin/bash
# Fails when clang-tidy finds something in tidemill/ or examples/. How each file is compiled it takes from the preset
# `tidy`, of which only the precompiled headers are built. A file that was clean and has not changed since, nor a
# header of ours that it includes, is not looked at again: tools/tidy_seen.py remembers it for all clones.
# usage: check_tidy.sh [--all] [--seconds N] [file...]
#        --all: looks at every file; --seconds N: starts no file after N seconds, says how many are left, and goes on
#        with those next time. The most recently committed come first.
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/tidy
all=
seconds=$((24 * 60 * 60))
while [[ ${1:-} == --* ]]; do
  case $1 in
    --all) all=yes ;;
    --seconds) seconds=$2; shift ;;
    *) echo "check_tidy.sh: unknown option $1" >&2; exit 2 ;;
  esac
  shift
done

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
  if [[ $all == yes ]]; then cat; else xargs -r tools/tidy_seen.py unseen; fi
}

# A header is looked at with the files that include it. One that only tests and other headers include is looked at
# through the file that CMake made to compile it alone.
file_to_read() { # file_to_read <file>: prints it, or what stands for it, or nothing
  if [[ $1 != *.h ]]; then
    echo "$1"
  elif [[ -f $build/headers/$1.cc ]] &&
      ! grep -rqF "#include \"$1\"" --include='*.cc' --exclude='*_test.cc' tidemill examples; then
    echo "$build/headers/$1.cc"
  fi
}

files=()
if [[ $# -gt 0 ]]; then
  files=("$@")
else
  while read -r file; do
    mapfile -t -O "${#files[@]}" files < <(file_to_read "$file")
  done < <(find tidemill examples \( -name '*.cc' -o -name '*.h' \) | sort | wanted)
fi
if [[ ${#files[@]} == 0 ]]; then exit 0; fi
quietly cmake --build --preset tidy --target tidemill_pch_std tidemill_pch_test

# One process a file, and all of them also when one fails. Each writes into a file of its own, so that two never mix
# their lines.
found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT
tidy_one() { # tidy_one <file>
  local options=()
  if [[ $1 == *_test.cc || $1 == *tidemill/testing/* ]]; then options=(--checks="$for_tests"); fi
  if [[ $(date +%s) -ge $ends ]]; then
    echo "$1" >>"$found/left"
  elif clang-tidy-19 --quiet -p "$build" "${options[@]}" "$1" >"$found/$BASHPID.text" 2>&1; then
    echo "$1" >>"$found/clean"
  else
    return 1
  fi
}
export -f tidy_one
export found build for_tests ends=$(($(date +%s) + seconds))
status=0
printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P "$(nproc)" bash -c 'tidy_one "$1"' tidy || status=1

if [[ -f $found/clean ]]; then
  # A header that was compiled alone counts under its own name.
  sed -E "s|^$build/headers/(.*)\\.cc\$|\\1|" "$found/clean" | sort -u | xargs tools/tidy_seen.py add
fi
if [[ -f $found/left ]]; then
  echo "NOT CHECKED: $(wc -l <"$found/left") of ${#files[@]} files after $seconds s; run tools/check_tidy.sh for the rest"
fi

# A finding in a header comes once for each file that includes it: the first one is enough.
cat "$found"/*.text 2>/dev/null | grep -vE '^[0-9]+ (warning|error)s?( and [0-9]+ errors?)? (generated|treated)' |
  awk 'BEGIN { show = 1 } /: (error|warning): / { show = !seen[$0]++ } show' || true
exit $status
