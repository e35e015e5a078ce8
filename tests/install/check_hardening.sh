#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check_hardening.sh BUILD FILE...: the programs and libraries of a release build load at any address, have read-only
# relocations, and guard the stack. libfathom.so and fathom also check copies. Other flags, set by a user, are not checked.
set -euo pipefail
build=$1
shift
setting() { sed -nE "s/^$1:[A-Z]+=//p" "$build/CMakeCache.txt"; }
[[ $(setting CMAKE_BUILD_TYPE) == Release && $(setting CMAKE_CXX_FLAGS_RELEASE) == *-fstack-protector-strong* ]] || exit 0

for file in "$@"; do
  words=(' DYN \(' GNU_RELRO 'BIND_NOW|\(FLAGS_1\).*NOW' __stack_chk_fail)
  if [[ ${file##*/} =~ ^(fathom|libfathom\.so.*)$ ]]; then words+=('__[a-z]+_chk@'); fi
  found=$(readelf -hdlW --dyn-syms "$file")
  for word in "${words[@]}"; do
    if ! grep -qE "$word" <<< "$found"; then
      echo "$file: is not hardened: no $word"
      exit 1
    fi
  done
done
