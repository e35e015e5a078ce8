// SPDX-License-Identifier: MIT
#pragma once
// How meshes and entities of a scene are named: by their place in the order in which they were added.

#include <cstdint>

namespace fathom {

using MeshId = std::uint32_t;
using EntityId = std::uint32_t;
inline constexpr std::uint32_t kNoEntity = 0xffffffffU;
inline constexpr std::uint32_t kNoTriangle = 0xffffffffU;

}  // namespace fathom
