// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include <fathom/beam/scan.hpp>

namespace fathom {

/// log_notes() of a log that says this, without what its readings show.
std::vector<std::string> notes_of_log(const std::string& laser, std::span<const SkippedLines> skipped,
                                      std::span<const std::string> of_log);

}  // namespace fathom
