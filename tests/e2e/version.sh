# --version: the first line is for scripts; below it the commit, the compiler and the libraries, a line each.
. "$LIB"
tidemill --version >out
head -n 1 out | sed -E 's/[0-9]+\.[0-9]+\.[0-9]+$/VERSION/'
tail -n +2 out | sed -E 's/ +([0-9a-f]{12}|unknown)$/ COMMIT/; s/ +(g\+\+|clang) [0-9.]+$/ COMPILER/; s/ +[0-9]+(\.[0-9]+)+/ VERSION/'
echo "-- behind a verb it says the same"
tidemill each --version | cmp - out && echo yes
