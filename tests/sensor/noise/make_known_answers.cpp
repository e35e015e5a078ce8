// SPDX-License-Identifier: MIT
// make_known_answers > tests/data/known_answers.txt

#include <cstdio>

#include "sensor/noise/known_answers.hpp"

int main() {
  std::fputs(fathom::test::kKnownAnswersHeader, stdout);
  for (const std::string& line : fathom::test::compute_known_answers(fathom::Isa::kBase)) std::puts(line.c_str());
}
