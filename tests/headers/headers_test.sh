#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# headers_test.sh SOURCE COMPILER FLAG...: every public header compiles alone, without a warning, and the headers of sensors,
# which every user of the library reads, stay light: at most 50 000 lines after the preprocessor, the standard library's
# included (26 000 to 46 000 with g++ 12).
set -euo pipefail
source=$1
shift
export source compile="$*" work extra=
source "$source/tests/support/checks.sh"
readonly kMostLines=50000
work=$(mktemp -d -t fathom-headers-XXXXXX)
trap 'rm -rf "$work"' EXIT

# Each is read as a user's file reads it, twice, from a path without any of the project's other folders.
compile_line() {  # <paths below include/>, which may be elsewhere: -I follows in $extra
  local header
  for header in "$@"; do printf '#include <%s>\n#include <%s>\n' "$header" "$header"; done |
    $compile -Werror -fsyntax-only -I "$source/include" ${extra:-} -x c++ - > "$work/$(tr / _ <<< "${!#}").log" 2>&1
}

# Names the headers of a line of chains.awk that do not compile alone; the last one where only the line does not compile.
broken_of_line() {  # <paths>
  local header log broken=()
  if compile_line "$@"; then return; fi
  log=$work/$(tr / _ <<< "${!#}")
  mv "$log.log" "$log.line.log"
  for header in "$@"; do compile_line "$header" || broken+=("$header"); done
  [[ ${#broken[@]} -gt 0 ]] || broken=("$header")
  printf '%s\n' "${broken[@]}"
}
export -f compile_line broken_of_line

lines_of_headers() { awk -f "$source/tests/headers/chains.awk" "$@"; }  # <paths>

find_broken() {  # <paths>: by two compilers at a time
  lines_of_headers "$@" | xargs -P 2 -I LINE bash -c 'broken_of_line LINE'
}

why_broken() {  # <path>
  local log
  log=$work/$(tr / _ <<< "$1")
  if [[ -s $log.log ]]; then
    echo "$1 does not compile alone: $(head -n 5 "$log.log")"
  else
    echo "$1 does not compile after headers that it includes: $(head -n 5 "$log.line.log")"
  fi
}

# Lines after the preprocessor; nothing where the compiler cannot say.
lines_of() {  # <path below include/>
  printf '#include <%s>\n' "$1" | $compile -E -P -I "$source/include" ${extra:-} -x c++ - 2> /dev/null | wc -l
}

is_light() { [[ $1 -le $kMostLines ]]; }  # <lines>

cd "$source/include"
mapfile -t headers < <(find fathom -name '*.hpp' | sort)
[[ ${#headers[@]} -gt 50 ]] || fail "only ${#headers[@]} public headers were found"
# Headers for users of MuJoCo include its own.
if ! echo '#include <mujoco/mujoco.h>' | $compile -fsyntax-only -x c++ - 2> /dev/null; then
  skip "MuJoCo is not installed (Debian: libmujoco-dev): its headers were left out"
  mapfile -t headers < <(printf '%s\n' "${headers[@]}" | grep -v '^fathom/mujoco')
fi

words=$(lines_of_headers "${headers[@]}" | wc -w)
if [[ $words -eq ${#headers[@]} ]]; then pass; else fail "the lines hold $words headers, not ${#headers[@]}"; fi

mapfile -t broken < <(find_broken "${headers[@]}")
for header in "${broken[@]}"; do fail "$(why_broken "$header")"; done
for header in "${headers[@]}"; do
  [[ " ${broken[*]} " == *" $header "* ]] || pass
done

# The checks themselves: a header that needs another's include, wherever others include it; one that does not compile after
# what it includes; two that include each other; and one that is a line too heavy.
extra="-I $work"
cd "$work"
printf '#pragma once\ninline std::string name() { return {}; }\n' > needy.hpp
printf '#pragma once\n#include <string>\n' > giving.hpp
printf '#pragma once\n#include <giving.hpp>\n#include <needy.hpp>\n' > after.hpp
printf '#pragma once\n#include <giving.hpp>\ninline std::string other() { return {}; }\n' > right.hpp
found=$(find_broken after.hpp giving.hpp needy.hpp right.hpp)
if [[ $found == needy.hpp ]]; then pass; else fail "of needy.hpp and others, '$found' are said to lack an #include"; fi
printf '#pragma once\n#define FIRST\n' > first.hpp
printf '#ifdef FIRST\n#error too late\n#endif\n#pragma once\n#include <first.hpp>\n' > late.hpp
found=$(find_broken first.hpp late.hpp)
if [[ $found == late.hpp && $(why_broken late.hpp) == *'too late'* ]]; then
  pass
else
  fail "of first.hpp and late.hpp, '$found' are said to be broken: $(why_broken late.hpp)"
fi
printf '#pragma once\n#include <other.hpp>\n' > one.hpp
printf '#pragma once\n#include <one.hpp>\n' > other.hpp
words=$(lines_of_headers one.hpp other.hpp giving.hpp | wc -w)
if [[ $words -eq 3 ]]; then pass; else fail "the lines hold $words of 3 headers, and two of these include each other"; fi
cd "$source/include"

if [[ $(printf 'int a;\nint b;\n' | $compile -E -P -x c++ - 2> /dev/null | wc -l) -ne 2 ]]; then
  skip "$1 cannot preprocess with -E -P: what headers weigh is not known"
  finish headers
fi
seq -f 'int a%.0f;' "$kMostLines" > "$work/heavy.hpp"
lines=$(lines_of heavy.hpp)
if is_light "$lines"; then pass; else fail "$kMostLines lines are too many: $lines"; fi
echo 'int b;' >> "$work/heavy.hpp"
lines=$(lines_of heavy.hpp)
if is_light "$lines"; then fail "$lines lines are light"; else pass; fi
extra=

for header in fathom/sensor/*.hpp; do
  lines=$(lines_of "$header" || true)
  if [[ $lines -lt 100 ]]; then
    fail "$header: the preprocessor gives $lines lines"
  elif is_light "$lines"; then
    pass
  else
    fail "$header has $lines lines after the preprocessor, more than $kMostLines"
  fi
done
finish headers
