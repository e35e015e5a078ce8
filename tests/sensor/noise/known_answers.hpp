// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include <fathom/core/compute.hpp>

namespace fathom::test {

/// The lines of tests/data/known_answers.txt as the kernels of `isa` give them, without the comments. Numbers are hex
/// floats (%a) and hex words, so that a line is equal exactly when its bits are.
std::vector<std::string> compute_known_answers(Isa isa);

/// Where the numbers come from; written above them.
extern const char* const kKnownAnswersHeader;

}  // namespace fathom::test
