# --glob, --exclude and --no-hidden choose the files.
. "$LIB"
mkdir -p t/sub/deep t/.git t/node_modules
touch t/a.jpg t/b.JPG t/c.txt t/.dot.jpg t/sub/d.jpg t/sub/deep/e.jpg t/.git/f.jpg t/node_modules/g.jpg
run() {
  echo "-- $*"
  tidemill each t -q -k --order name "$@" -- echo
}
run
run -g '*.jpg'
run -g '*.jpg' -g '*.txt'
run -g 'sub/*.jpg'
run -g 'sub/**'
run -g '**/*.jpg' --no-hidden
run -x node_modules -x .git
run -x '*.jpg'
run -g '*.{jpg,JPG}' --no-hidden -x sub
run -g 'no match' --allow-empty
echo "-- nonsense is a mistake on the command line, and no run is made of it"
before=$(ls "$TIDEMILL_STATE/runs" | wc -l)
tidemill each t -g '[a' -- echo 2>/dev/null || echo "exit status $?"
echo "$(($(ls "$TIDEMILL_STATE/runs" | wc -l) - before)) runs"
