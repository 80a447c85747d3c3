#!/bin/sh
# install_packages.sh NAME FOLDER: installs the npm packages of tests/NAME into FOLDER, once. Nothing
# of a package is run. Ends with 77, loudly, where that cannot be done.
from=$(cd "$(dirname "$0")/$1" && pwd) || exit 1
if cmp -s "$from/package-lock.json" "$2/node_modules/.tidemill-lock"; then exit 0; fi
if ! command -v npm > /dev/null; then echo "NOT TESTED: there is no npm here" >&2; exit 77; fi
mkdir -p "$2" && cp "$from/package.json" "$from/package-lock.json" "$2" || exit 1
if ! (cd "$2" && npm ci --ignore-scripts --no-audit --no-fund --fetch-retries=1); then
  echo "NOT TESTED: npm could not install the packages of tests/$1 (no network?)" >&2
  exit 77
fi
cp "$from/package-lock.json" "$2/node_modules/.tidemill-lock"
