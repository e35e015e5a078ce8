// SPDX-License-Identifier: MIT
#include <fathom/scene/skinning.hpp>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

namespace fathom {

std::vector<std::array<float, 3>> skin(std::span<const std::array<float, 3>> rest_m,
                                       std::span<const BoneWeights> weights, std::span<const Affine> bone_from_rest,
                                       std::span<const Affine> world_from_bone) {
  if (weights.size() != rest_m.size()) {
    throw InputError(fmt::format("{} bone weights for {} vertices", weights.size(), rest_m.size()));
  }
  if (bone_from_rest.size() != world_from_bone.size()) {
    throw InputError(fmt::format("{} poses for {} bones", world_from_bone.size(), bone_from_rest.size()));
  }
  std::vector<Affine> world_from_rest;
  for (std::size_t b = 0; b < bone_from_rest.size(); ++b)
    world_from_rest.push_back(world_from_bone[b] * bone_from_rest[b]);
  std::vector<std::array<float, 3>> posed(rest_m.size());
  for (std::size_t i = 0; i < rest_m.size(); ++i) {
    const Vec3 rest = {rest_m[i][0], rest_m[i][1], rest_m[i][2]};
    Vec3 sum;
    for (std::size_t k = 0; k < 4; ++k) {
      const float weight = weights[i].weight[k];
      const std::int32_t bone = weights[i].bone[k];
      if (weight == 0.0F) continue;
      if (bone < 0 || static_cast<std::size_t>(bone) >= world_from_rest.size()) {
        throw InputError(fmt::format("vertex {}: bone {} is not in [0, {})", i, bone, world_from_rest.size()));
      }
      sum = sum + double{weight} * transform_point(world_from_rest[static_cast<std::size_t>(bone)], rest);
    }
    posed[i] = {static_cast<float>(sum.x), static_cast<float>(sum.y), static_cast<float>(sum.z)};
  }
  return posed;
}

}  // namespace fathom
