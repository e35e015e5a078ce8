# SPDX-License-Identifier: MIT
# awk -f chains.awk HEADER...: the headers in as few lines as possible, such that each includes the one before it in its
# line, through others or not. A compiler that reads a line from left to right reads each header as it reads that header
# alone: all that it has read by then is what the header includes itself. The fewest lines: the number
# of headers less the size of a largest matching between headers and those that include them (Dilworth, Fulkerson). Headers
# that include each other may have no first one: they have a line each.

FNR == 1 { depth = 0; name[++n] = FILENAME; number[FILENAME] = n }
/^[ \t]*#[ \t]*if/ { ++depth }
/^[ \t]*#[ \t]*endif/ { --depth }
# What is included under a condition may be missing.
depth == 0 && /^#include </ { split($0, part, /[<>]/); direct[n] = direct[n] " " part[2] }

function reach(from, at,   words, k, count, to) {
  count = split(direct[at], words, " ")
  for (k = 1; k <= count; ++k) {
    to = number[words[k]]
    if (!to || (from, to) in within) continue
    within[from, to] = 1
    reach(from, to)
  }
}

# Gives `header` one that includes it, taken from another header if that finds a new one.
function match_up(header,   other) {
  for (other = 1; other <= n; ++other) {
    if (other == header || tried[other] || !((other, header) in within)) continue
    tried[other] = 1
    if (!before[other] || match_up(before[other])) {
      before[other] = header
      next_of[header] = other
      return 1
    }
  }
  return 0
}

END {
  for (k = 1; k <= n; ++k) reach(k, k)
  for (pair in within) {
    split(pair, numbers, SUBSEP)
    ++weight[numbers[1]]
  }
  # The heaviest first: what a line costs is what its last header costs, so these are to stand before others.
  for (w = n; w >= 0; --w) {
    for (k = 1; k <= n; ++k) {
      if (weight[k] + 0 != w) continue
      split("", tried)
      match_up(k)
    }
  }
  for (k = 1; k <= n; ++k) {
    if (before[k]) continue
    line = name[k]
    printed[k] = 1
    for (other = next_of[k]; other; other = next_of[other]) {
      line = line " " name[other]
      printed[other] = 1
    }
    print line
  }
  for (k = 1; k <= n; ++k) if (!printed[k]) print name[k]
}
