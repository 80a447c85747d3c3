# For the scripts about books. book NAME.epub [FAULT...] makes one.
book() { python3 "${LIB%/*}/../../books/make_book.py" "$@"; }
# Old enough to be believed unchanged: two seconds after it was last written to.
settled() { [[ $(($(date +%s) - $(stat -c %Z "$1"))) -gt 3 ]]; }
