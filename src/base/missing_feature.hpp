// SPDX-License-Identifier: MIT
#pragma once
// The refusal of a build that lacks an optional library.

#include <string>
#include <string_view>

#include <fmt/format.h>

namespace fathom {

/// `packages`: of Debian. Once they are installed, the next build has the feature (cmake/FathomFeature.cmake).
inline std::string missing_feature(std::string_view feature, std::string_view packages) {
  return fmt::format("this build of fathom has no {}: install {} and build it again", feature, packages);
}

}  // namespace fathom
