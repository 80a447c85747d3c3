#!/bin/sh
# Compiles through ccache so that another clone at another path has hits. CMake calls it as
#   cached_compiler.sh PROJECT BUILD CCACHE COMPILER ARGUMENT...
# Paths below PROJECT are relative in what ccache remembers, and the working folder, which stands in debug
# information only, does not count. Arguments that clang hands to its own front end (-Xclang) ccache leaves as they
# are, so those below BUILD, where ninja compiles, are made relative here: they name the precompiled headers.
export CCACHE_BASEDIR="$1" CCACHE_NOHASHDIR=true CCACHE_DEPEND=true CCACHE_PCH_EXTSUM=true
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_ctime,include_file_mtime
project=$1
build=$2
ccache=$3
shift 3
is_header= output=
count=$#
while [ "$count" -gt 0 ]; do
  argument=$1
  shift
  case $argument in -emit-pch) is_header=yes ;; -o) output=${1#"$build"/} ;; esac
  set -- "$@" "${argument#"$build"/}"
  count=$((count - 1))
done
if [ -z "$is_header" ]; then exec "$ccache" "$@"; fi

# A header that clang precompiled names the files it came from by absolute paths, and is refused where they are gone.
# So every build makes its own, and the .sum beside it tells ccache which ones are the same.
"$@" || exit
count=$#
while [ "$count" -gt 0 ]; do
  argument=$1
  shift
  if [ "$argument" = -emit-pch ]; then argument=-E; fi
  set -- "$@" "$argument"
  count=$((count - 1))
done
"$@" -Xclang -dD -MF /dev/null -o "$output.text" || exit
{
  "$1" --version
  echo "$*" | sed "s|$project|.|g"
  cat "$output.text"
} | sha256sum >"$output.sum"
rm "$output.text"
