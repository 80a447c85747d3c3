# books rules: one rule, the fixers, and the page in docs that is made of them.
. "$LIB"
tidemill books rules | grep -E '^(ID|PKG-006|TIDE-003) '
echo "-- one rule"
status tidemill books rules pkg-006
status tidemill books rules RSC-007 NCX-001 --json | tail -n +2
echo "-- fixers"
tidemill books rules --fixers | grep -E '^(FIXER|mimetype|ncx-uid) '
tidemill books rules --fixers --json | jq -c '[.v, .fixers[0]]'
echo "-- docs/rules.md is of today"
tidemill books rules --markdown | diff "${LIB%/*}/../../../docs/rules.md" - && echo "the same"
echo "-- usage"
status tidemill books rules XYZ-1 2>&1
status tidemill books rules --fixers RSC-005 2>&1
status tidemill books rules --markdown --json 2>&1
