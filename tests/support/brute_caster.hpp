// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include <fathom/core/geometry.hpp>
#include <fathom/scene/scene.hpp>

namespace fathom {

/// The slow, obvious oracle: every triangle of the scene in world coordinates, every ray against every triangle, in
/// double precision.
class BruteCaster {
 public:
  struct Hit {
    double range_m;          ///< +inf on a miss
    std::uint32_t entity;    ///< index(kNoEntity) on a miss
    std::uint32_t triangle;  ///< within the entity's mesh
    Vec3 normal;             ///< unit, turned against the ray
  };

  BruteCaster(const Scene& scene, double stamp_s);

  /// The nearest hit of a ray with a unit direction.
  [[nodiscard]] Hit cast(const Vec3& origin, const Vec3& direction) const;

 private:
  struct Triangle {
    Vec3 a, ab, ac;
    std::uint32_t entity;
    std::uint32_t index;
    double back;  ///< the sign of the normal's product with rays from behind, which pass; 0: none do
  };
  std::vector<Triangle> triangles_;
};

}  // namespace fathom
