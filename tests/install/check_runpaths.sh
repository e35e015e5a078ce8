#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check_runpaths.sh FOLDER...: the RUNPATH of each program and library has absolute entries and $ORIGIN alone. The loader takes
# an empty or relative entry for a place below the current folder.
set -euo pipefail

find "$@" \( -name CMakeFiles -o -name '*.o' -o -name '*.a' \) -prune -o -type f \( -perm -u+x -o -name '*.so*' \) -print0 |
  { xargs -0 readelf -dW /dev/null 2> /dev/null || true; } |  # not every file is an ELF
  awk '
    /^File: / { file = substr($0, 7) }
    /^Dynamic section/ { ++files }
    /\((RPATH|RUNPATH)\)/ {
      sub(/^[^[]*\[/, ""); sub(/\]$/, "")
      count = split($0 == "" ? ":" : $0, entries, ":")
      for (i = 1; i <= count; ++i)
        if (entries[i] !~ /^(\/|\$ORIGIN)/) { print file ": RUNPATH " $0 " has the entry \"" entries[i] "\""; wrong = 1; break }
    }
    END {
      if (files == 0) print "no program or library is there"
      exit wrong || files == 0
    }'
