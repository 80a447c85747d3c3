#!/bin/sh
# Runs the compiler through ccache so that clones at different paths share cache entries. CMake calls it as
#   cached_compiler.sh PROJECT BUILD CCACHE COMPILER ARGUMENT...
# ccache rewrites paths below PROJECT to relative ones and ignores the working directory, which only appears in debug
# information. It does not rewrite -Xclang arguments, which name the precompiled headers, so paths below BUILD, the
# working directory of ninja, are made relative here. Times of headers are looked at: what is compiled from a header
# that changed meanwhile is not cached, or every clone would get it for the new header.
export CCACHE_BASEDIR="$1" CCACHE_NOHASHDIR=true CCACHE_DEPEND=true CCACHE_PCH_EXTSUM=true
export CCACHE_SLOPPINESS=pch_defines,time_macros
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

# clang stores absolute paths in a precompiled header and rejects it when those files no longer exist. So every build
# makes its own, and ccache compares the .sum file, a checksum of the contents without the paths.
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
