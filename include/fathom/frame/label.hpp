// SPDX-License-Identifier: MIT
#pragma once
// What the ids of Channel::kLabel stand for.

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace fathom {

/// A class of things, for segmentation.
struct Label {
  std::string name;                                       ///< not empty, unique in the scene
  std::uint32_t id = 0;                                   ///< 1 to kMostLabelId, unique; 0 stands for what has no label
  std::optional<std::array<std::uint8_t, 3>> color = {};  ///< red, green, blue in pictures; nothing: chosen by the id
};
/// So that 16 bits hold every id.
inline constexpr std::uint32_t kMostLabelId = 65535;

}  // namespace fathom
