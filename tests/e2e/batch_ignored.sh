# batch: which files are meant.
. "$LIB"
. "${LIB%/*}/../../batch/e2e.sh"
for name in a.py b.js node_modules/x.js .git/config sub/c.py sub/d.tmp .hidden.py; do words 2 "tree/$name"; done
printf '*.tmp\nnode_modules/\n' >tree/.gitignore
paths() { tidemill batch tree -m 1000 --paths relative -q "$@" | jq -rc '.files[].path'; }
echo "-- all"; paths
echo "-- without what is ignored"; paths --ignore-files
echo "-- by name"; paths -g '*.py' -g '*.js' -x node_modules -x .git
echo "-- not hidden"; paths --no-hidden --ignore-files
