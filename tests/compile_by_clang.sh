#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# compile_by_clang.sh CLANG COMPILER COMMAND...: runs the command, whose compiler is g++, with clang++ as the compiler.
set -euo pipefail
clang=$1 compiler=$2
shift 2
command=()
for word in "$@"; do
  case $word in
    "$compiler") command+=("$clang") ;;
    --param=* | -Wno-maybe-uninitialized | -Wno-subobject-linkage) ;;  # only g++ knows these
    *.gch) rm -f "$word" && command+=("$word") ;;  # or clang++ would read the old precompiled header when it makes a new one
    *) command+=("$word") ;;
  esac
done
exec "${command[@]}" -Wno-conversion -Wno-shadow
