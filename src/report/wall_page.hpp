// SPDX-License-Identifier: MIT
#pragma once
// report.html of a wall.

#include <string>

#include <fathom/calibrate/wall_report.hpp>

namespace fathom {

std::string wall_page(const WallReport& report);

}  // namespace fathom
