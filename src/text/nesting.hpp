// SPDX-License-Identifier: MIT
#pragma once
// How deep files of strangers may be nested, in XML, JSON and trees of nodes.

#include <cstddef>
#include <string_view>

namespace fathom {

inline constexpr std::size_t kMaxNesting = 256;

/// Deepest nesting of [ and { outside strings; counts on after an imbalance.
std::size_t json_nesting(std::string_view text);

}  // namespace fathom
