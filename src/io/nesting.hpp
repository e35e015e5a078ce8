#pragma once
// Assimp reads nested JSON by recursion, without a limit: a file of 200 000 open brackets ends the process. So depth is
// checked before Assimp sees the file. Our own recursions over files have the same limit.

#include <cstddef>
#include <string_view>

namespace fathom {

inline constexpr std::size_t kMaxNesting = 256;

/// Deepest nesting of [ and { outside strings; counts on after an imbalance.
std::size_t json_nesting(std::string_view text);

}  // namespace fathom
