#!/bin/bash
# Fails when clang-format would change a file. To let it: tools/check_format.sh --fix
# usage: check_format.sh [--fix] [root]
set -euo pipefail
mode=(--dry-run -Werror)
if [[ ${1:-} == --fix ]]; then
  mode=(-i)
  shift
fi
cd "${1:-$(dirname "$0")/..}"
folders=()
for folder in tidemill examples bench tests; do
  if [[ -d $folder ]]; then folders+=("$folder"); fi
done
find "${folders[@]}" \( -name '*.h' -o -name '*.cc' \) -print0 |
  xargs -0 --no-run-if-empty clang-format-19 "${mode[@]}"
