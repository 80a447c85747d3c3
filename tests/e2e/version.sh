# --version prints one line, for scripts; --verbose adds the commit, the compiler and the libraries, one line each.
. "$LIB"
tidemill --version --verbose >out
head -n 1 out | sed -E 's/[0-9]+\.[0-9]+\.[0-9]+$/VERSION/'
tail -n +2 out | sed -E 's/ +([0-9a-f]{12}|unknown)$/ COMMIT/; s/ +(g\+\+|clang) [0-9.]+$/ COMPILER/; s/ +[0-9]+(\.[0-9]+)+/ VERSION/'
echo "-- without --verbose, and as -V"
head -n 1 out >first
tidemill --version | cmp - first && tidemill -V | cmp - first && echo one line
echo "-- after a verb it prints the same"
tidemill each --version | cmp - first && tidemill each --version --verbose | cmp - out && echo yes
