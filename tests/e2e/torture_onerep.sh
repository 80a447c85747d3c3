# ONEREP: the name as often as wanted, in one word or several.
. "$LIB"
echo bar | tidemill each -q --files-from - -- echo {} foo {} '{}{}' '{.}-{/}-{#}-{}'
