// SPDX-License-Identifier: MIT
#pragma once
// Linear blend skinning: vertices that follow bones.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <fathom/base/export.hpp>
#include <fathom/base/geometry.hpp>

namespace fathom {

/// Up to four bones that move a vertex. Weights are used as they are.
struct BoneWeights {
  std::array<float, 4> weight;
  std::array<std::int32_t, 4> bone;
};

/// vertex := sum of weight * world_from_bone * bone_from_rest * vertex. `bone_from_rest` are inverse bind matrices, as
/// many as `world_from_bone`. Throws InputError when arrays disagree in size, or a bone with a weight does not exist.
FATHOM_API std::vector<std::array<float, 3>> skin_vertices(std::span<const std::array<float, 3>> rest_m,
                                                           std::span<const BoneWeights> weights,
                                                           std::span<const Affine> bone_from_rest,
                                                           std::span<const Affine> world_from_bone);

}  // namespace fathom
