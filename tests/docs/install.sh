#!/bin/sh
# Installs the npm packages of this folder into the folder $1, once. Nothing of a package is run.
# Ends with 77, loudly, where that cannot be done.
here=$(cd "$(dirname "$0")" && pwd)
if cmp -s "$here/package-lock.json" "$1/node_modules/.tidemill-lock"; then exit 0; fi
if ! command -v npm > /dev/null; then echo "NOT TESTED: there is no npm here" >&2; exit 77; fi
mkdir -p "$1" && cp "$here/package.json" "$here/package-lock.json" "$1" || exit 1
if ! (cd "$1" && npm ci --ignore-scripts --no-audit --no-fund --fetch-retries=1); then
  echo "NOT TESTED: npm could not install the packages of tests/docs (no network?)" >&2
  exit 77
fi
cp "$here/package-lock.json" "$1/node_modules/.tidemill-lock"
