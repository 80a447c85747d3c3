# dupes: which files are searched.
. "$LIB"
mkdir -p t/sub t/.hidden t/cache
for name in a.txt b.md .dot sub/a.txt .hidden/a.txt cache/a.txt; do printf same >t/$name; done
printf 'larger, the same' | tee t/large >t/sub/large
touch -d '2020-02-02' t/a.txt t/b.md
printf 'cache/\n*.md\n' >t/.gitignore
run() {
  echo "-- $*"
  tidemill dupes t -q --fdupes "$@" | sort
}
run
run -g '*.txt'
run -g 'sub/*'
run -x sub -x .hidden -x cache
run --no-hidden
run --ignore-files
run --min-size 5
run --max-size 4 -g '*.txt'
run --older-than 100d
run --newer-than 100d -g '*.txt'
run --min-copies 3
echo "-- invalid arguments"
status tidemill dupes t -q -g '['
status tidemill dupes t --min-size lots
status tidemill dupes t --newer-than yesterday
status tidemill dupes t --min-size 2M --max-size 1M
status tidemill dupes t --newer-than 1d --older-than 2d
