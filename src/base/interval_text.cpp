// SPDX-License-Identifier: MIT
#include <fathom/base/interval_text.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace fathom {

std::string interval_text(double low, double high) {
  constexpr double kFewest = 4.0, kMost = 10.0;
  const double size = std::max(std::abs(low), std::abs(high)), width = high - low;
  const double needed = width > 0.0 ? 1.0 + std::ceil(std::log10(size / width)) : kFewest;
  const int digits = static_cast<int>(std::clamp(needed, kFewest, kMost));
  return fmt::format("{:.{}g} to {:.{}g}", low, digits, high, digits);
}

}  // namespace fathom
