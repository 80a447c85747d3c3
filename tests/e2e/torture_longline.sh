# INPUTSIZE, one long name: more than exec can take. It becomes a letter with the reason and its
# beginning, the others run, and memory is bounded by that line: at most three times its size.
. "$LIB"
size=${E2E_NAME_MB:-100}
{ echo before; head -c "${size}M" /dev/zero | tr '\0' x; echo; echo after; } >list
command=echo
for shell in '' --shell; do
  echo "-- ${shell:-without a shell}"
  code=0
  peak used tidemill each -q -j 1 --files-from list $shell -- "$command" >out 2>/dev/null || code=$?
  echo "exit status $code"
  cut -c 1-100 out
  tidemill failures last export | python3 -c 'import json, sys
for letter in map(json.loads, sys.stdin):
    print(letter["task"], len(letter["name"]), letter["step"], letter["reason"], letter["attempts"])'
  awk -v s="$size" '{ print $1 <= 3 * s + 64 ? "bounded" : "used " $1 " MiB" }' used
done
echo "-- as much as exec can take"
head -c 131000 /dev/zero | tr '\0' x | tidemill each -q --files-from - -- echo {} | wc -c
