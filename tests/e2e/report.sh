# report: a run as one HTML file, also while it works, and of a command that has finished.
. "$LIB"
mkdir tree
for i in 1 2 3 4 5 6; do printf '%s\n' "$i" >"tree/$i"; done
touch 'tree/<b>&"' "$(printf 'tree/new\nline \377')"
tidemill each -q tree --shell -- 'case $1 in *[135]) exit 3;; *"<b>"*) exit 4;; esac' 2>/dev/null || true
echo "-- a file beside, named after the run"
status tidemill report last 2>&1 | sed -E 's/[0-9]{8}-[0-9]{4}-each/RUN/g; s/\([0-9.]+ kB\)/(SIZE)/'
ls | grep -c 'each\.html$'
echo "-- it has what happened, and nothing that runs or loads"
tidemill report last -o - >page.html
grep -o '8 found = 4 done + 0 skipped + 4 failed + 0 left' page.html
grep -o 'command: exit status [34]' page.html | sort -u
grep -c '<script\|<link\|<img\|src=\|url(\|<b>&' page.html || true
grep -o 'tree/&lt;b&gt;&amp;&quot;' page.html | sort -u
grep -c 'tree/new\\nline \\xff' page.html
echo "-- compared with another run"
tidemill each -q tree --shell -- 'case $1 in *[35]) exit 3;; *2) exit 5;; esac' 2>/dev/null || true
tidemill report last --compare "$(tidemill runs --names | sed -n 4p)" -o - >page.html
grep -o 'Newly failing <span[^>]*>1<' page.html | grep -o '1'
grep -o 'No longer failing <span[^>]*>2<' page.html | grep -o '2'
echo "-- a search of dupes that has finished"
tidemill dupes -q tree >/dev/null
tidemill runs --names | grep -c dupes || true
tidemill report last-dupes -o - | grep -o 'dupes <span class="quiet">' | sort -u
status tidemill report last-dupes --compare last-each -o - 2>&1 | sed -E 's/[0-9]{8}-[0-9]{4}-each(-[0-9])?/RUN/g'
status tidemill forget "$(ls "$TIDEMILL_STATE/finished")" -q 2>&1
ls -A "$TIDEMILL_STATE/finished" | wc -l
echo "-- of a run that works now"
tidemill each -q tree/1 --shell -- 'echo >started; exec hang' 2>/dev/null &
wait_until test -e started
tidemill report last -o - | grep -o '1 found = 0 done + 0 skipped + 0 failed + 1 left'
kill -TERM $!
wait $! || true
echo "-- mistakes"
status tidemill report nothing 2>&1 | sed -E 's/try .*/try …/'
status tidemill report last -o nowhere/page.html 2>&1
ls nowhere 2>/dev/null || true
