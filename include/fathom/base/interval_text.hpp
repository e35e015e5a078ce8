// SPDX-License-Identifier: MIT
#pragma once
// How tables and pages show an interval.

#include <string>

#include <fathom/base/export.hpp>

namespace fathom {

/// "0.1794 to 0.1802": as many digits as tell the ends apart, 4 to 10.
FATHOM_API std::string interval_text(double low, double high);

}  // namespace fathom
