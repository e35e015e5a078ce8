// SPDX-License-Identifier: MIT
#pragma once
// What turned rays meet: the geometry that learning of angular_ray needs. The scene is cast once; another mean or
// deviation of the angle only changes the weights.
//
// A turned ray is R(axis, a) times the nominal one, about an axis of the sensor frame, as angular_ray turns it. Each
// return is followed through a fixed grid of angles, its nodes:
//
//   weight of node k = E[hat_k(a)],   hat_k falls from 1 at its node to 0 at the neighbours (outside the grid it is 1)
//
// The density of a return is a mixture of what the nodes meet, with these weights. So an edge between two nodes lies
// anywhere between them with equal probability, which holds on average over rays whatever the spacing. On one plane the
// range is known for every angle and no node is needed: most rays have only the normal of what they met.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <fathom/base/geometry.hpp>
#include <fathom/noise/model.hpp>

namespace fathom {

/// Vectors are in the sensor frame.
struct TurnedRays {
  static constexpr std::uint32_t kOneSurface = ~0U;  ///< of `surroundings`
  static constexpr std::uint8_t kNothing = 255;      ///< of `met`
  static constexpr std::size_t kLeastNodes = 3, kMostNodes = 64;

  /// The nominal ray of a return.
  struct Ray {
    Vec3 direction, origin_m;  ///< unit; m
    Vec3 normal;               ///< unit, of the surface at the clean hit
    /// Place among the rays whose nodes meet several surfaces, or kOneSurface: all meet the plane of the clean hit.
    std::uint32_t surroundings = kOneSurface;
  };
  /// A plane n . p = c.
  struct Surface {
    Vec3 normal;
    double plane_m = 0.0;
    double energy = 1.0;  ///< over the cosine of incidence
  };

  std::optional<Axis> axis = {};                  ///< nothing: what turned rays meet is unknown
  std::vector<double> angle_rad = {};             ///< of the nodes, ascending, 3 to 64
  std::vector<Ray> rays = {};                     ///< [returns]
  std::vector<std::uint8_t> met = {};             ///< [surroundings, nodes] number of the surface, or kNothing
  std::vector<std::uint32_t> first_surface = {};  ///< [surroundings + 1] place of its surface 0
  std::vector<Surface> surfaces = {};

  [[nodiscard]] bool is_known() const { return axis.has_value(); }
};

/// Angles between measured points and their rays, which learning of angular_hit needs. Ranges do not show them, since
/// the model keeps ranges. Points do, without a scene.
///
/// A point lies at R(second, b) R(first, a) times the direction of its ray, about axes of the sensor frame.
struct HitTurns {
  /// Of the models angular_hit of a chain, in their order: one, or two different ones; empty: only ranges are known.
  std::vector<Axis> axes;
  /// [returns] a, in (-pi, pi] rad; NaN: lost, or along an axis, where points do not tell it.
  std::vector<float> first_rad = {};
  std::vector<float> second_rad = {};  ///< [returns] b, the same; of one axis empty

  [[nodiscard]] bool is_known() const { return !axes.empty(); }
};

}  // namespace fathom
