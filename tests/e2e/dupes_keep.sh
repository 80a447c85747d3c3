# dupes: which copy is kept, and the plan. Nothing is changed without --apply.
. "$LIB"
mkdir -p a/deep b
printf same >a/deep/oldest
touch -d '2020-01-01 UTC' a/deep/oldest
cp -p a/deep/oldest b/x
touch -d '2021-01-01 UTC' b/x
cp -p a/deep/oldest a/newest
touch -d '2022-01-01 UTC' a/newest
plan() {
  echo "-- $*"
  tidemill dupes --action delete -q "$@" | sed -E 's/, reclaims .*//'
}
plan a b
plan b a
plan a b --keep oldest
plan a b --keep newest
plan a b --keep shortest
plan b a --keep first-root
plan a b --keep 'path:b/*'
plan a b --keep 'path:*est' --keep newest
plan a b --keep 'path:nothing' --keep oldest
plan a --reference b --keep oldest
plan b --reference a --keep 'path:b/*'
plan a b --min-copies 4
echo "-- files with different metadata are not linked"
tidemill dupes a b -q --keep oldest --action hardlink | sed -E 's/, reclaims .*//'
tidemill dupes a b -q --keep oldest --action hardlink --ignore-difference mtime | sed -E 's/, reclaims .*//'
echo "-- nothing was changed, no run is recorded"
find a b -type f -printf '%p %n\n' | sort
test -z "$(ls "$TIDEMILL_STATE/runs" 2>/dev/null)" && echo "no runs"
echo "-- invalid arguments"
status tidemill dupes a --keep best
status tidemill dupes a --keep oldst
status tidemill dupes a --action burn
status tidemill dupes a --action delte
status tidemill dupes a --action move
status tidemill dupes a --apply
status tidemill dupes a --action delete --apply --dry-run
status tidemill dupes a --action delete --follow
status tidemill dupes a --action script --apply
