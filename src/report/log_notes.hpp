// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include <fathom/beam/scan.hpp>

namespace fathom {

/// log_notes() of a log that says this, whose largest readings, `code_m`, likely mean no return; 0: they do not.
std::vector<std::string> notes_of_log(const std::string& laser, std::span<const SkippedLines> skipped,
                                      std::span<const std::string> of_log, double code_m);

}  // namespace fathom
