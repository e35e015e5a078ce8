// SPDX-License-Identifier: MIT
#pragma once
// What became of the poses, as HTML.

#include <string>

#include <fathom/beam/report.hpp>

namespace fathom {

/// The way before and after, how far each pose moved, and the gain; empty where poses stayed as they were.
std::string poses_section(const FitReport& report);

}  // namespace fathom
