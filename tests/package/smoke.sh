# Every verb of the installed program once, on two files: run by bash in a root that has the package, its
# dependencies, bash, coreutils, grep and mandoc, and nothing else. The first line about what is not as it
# should be ends it. /books has two e-books.
set -euo pipefail
export HOME=/root PATH=/usr/bin:/bin LC_ALL=C.UTF-8 TERM=dumb
mkdir -p /root/work
cd /root/work
called=" "

fail() {
  echo "FAILED $*"
  exit 1
}

# expect <exit status, a pattern> <what the output must have> <verb> [<argument>...]
expect() {
  local status=0 wanted=$1 pattern=$2
  shift 2
  called+="$1 "
  tidemill "$@" >/tmp/out 2>&1 </dev/null || status=$?
  if [[ $status != $wanted ]] || ! grep -qE -- "$pattern" /tmp/out; then
    cat /tmp/out
    fail "tidemill $*: exit status $status, expected $wanted and /$pattern/"
  fi
}

printf 'one\n' >a.txt
printf 'one\n' >b.txt
printf '{"id":1,"name":"x"}\n{"id":2,"name":"y"}\n' >rows.jsonl
printf '{"id":3}\n' >more.jsonl

expect 0 '^tidemill [0-9]+\.[0-9]+\.[0-9]+$' --version
expect 0 '2 done, 0 failed of 2' each . -g '*.txt' -- cat
expect 0 '3 rows from 2 files.*verified' import rows.jsonl more.jsonl --into rows.db
[[ -s rows.db ]] || fail "import made no database"
expect 0 '"totalTokens":4' batch . -g '*.txt' -m 100
expect 0 '^4 tokens \(o200k_base\) in 2 files' tokens a.txt b.txt
expect 0 '^4 tokens \(cl100k_base\) in 2 files' tokens --tokenizer cl100k_base a.txt b.txt

expect 0 'groups +1' dupes . -g '*.txt'
expect 0 '1 done' dupes . -g '*.txt' --action hardlink --apply
[[ a.txt -ef b.txt ]] || fail "dupes made no link"
expect 0 '1 undone' undo last
[[ ! a.txt -ef b.txt ]] || fail "undo left the link"
expect 0 '/root/work' catalogue ls

expect 0 '1 valid' books check /books/good.epub
expect 3 'RSC-005' books check /books/bad.epub

# b.txt fails until there is a file "ready".
expect 3 '1 done, 1 failed of 2' each . -g '*.txt' --shell -- '[ -e ready ] || [ "$1" = ./a.txt ]'
expect 0 'b\.txt' failures last
expect 0 '^state +complete' show last
expect 0 'wrote' report last -o /tmp/report.html

# It answers until it is told to end.
called+="serve "
tidemill serve --listen 127.0.0.1:0 >/tmp/serve 2>/tmp/out &
server=$!
until grep -q '^http' /tmp/serve; do
  kill -0 "$server" 2>/dev/null || fail "serve ended: $(cat /tmp/out)"
done
port=$(grep -oE ':[0-9]+/' /tmp/serve | tr -d :/)
exec 3<>"/dev/tcp/127.0.0.1/$port"
printf 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nConnection: close\r\n\r\n' "$port" >&3
grep -q '^ok' <&3 || fail "serve does not answer"
exec 3>&-
kill -TERM "$server"
wait "$server" || fail "serve ended with $?"

expect 0 'each ' runs
expect 0 'no problems found' check last
expect 3 '1 done, 1 failed of 2' resume last
touch ready
expect 0 '2 done, 0 failed of 2' failures last retry --all
expect 0 'removed' forget last

# Servers that are not there: a plain word about it, and no other exit status than "failed".
export TIDEMILL_DOCS_TOKEN=key
expect 1 'onnect|refused' docs run --url http://127.0.0.1:1 --dry-run --attempts 1
expect 1 'onnect|refused' queue redis://127.0.0.1:1 files
expect 0 '/root/.config/tidemill/fleet.key' fleet key
expect 1 'onnect|refused' worker --fleet redis:films --redis redis://127.0.0.1:1
[[ -s /usr/lib/systemd/system/tidemill-worker@.service ]] || fail "the unit of the worker is missing"

expect 0 '^complete .*tidemill' completion bash
expect 0 '^\.TH' man each
expect '[01]' '^tokens +ok' doctor  # 1: something is wrong with this machine

# A verb that nobody tried above is one that this test has forgotten.
for page in /usr/share/man/man1/tidemill-*.1.gz; do
  verb=${page##*/tidemill-}
  verb=${verb%%[.-]*}
  [[ $called == *" $verb "* ]] || fail "the verb $verb was not tried"
  mandoc -T lint -W error "$page" >/tmp/out || fail "$page: $(cat /tmp/out)"
done
mandoc -T html /usr/share/man/man1/tidemill-each.1.gz >/tmp/out
grep -q '>EXAMPLES<' /tmp/out || fail "mandoc shows no page of each"

# The completion as bash loads it: the verbs that begin with "du".
source /usr/share/bash-completion/completions/tidemill
completer=$(complete -p tidemill | grep -oE -- '-F [^ ]+')
COMP_WORDS=(tidemill du) COMP_CWORD=1 COMP_LINE="tidemill du" COMP_POINT=11 COMPREPLY=()
"${completer#-F }" tidemill du tidemill || true  # its status means nothing
[[ "${COMPREPLY[*]}" == dupes* ]] || fail "bash completes 'tidemill du' as '${COMPREPLY[*]}'"
[[ -s /usr/share/zsh/vendor-completions/_tidemill && -s /usr/share/fish/vendor_completions.d/tidemill.fish ]] ||
  fail "completions of zsh or fish are missing"
echo "smoke: all verbs"
