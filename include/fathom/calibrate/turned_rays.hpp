// SPDX-License-Identifier: MIT
#pragma once
// What rays meet that do not point where the sensor believes: the geometry that learning of angular_ray needs. It is
// cast once; for any mean and deviation of the angles it only gets new weights.
//
// A turned ray is R(second, b) R(first, a) times the nominal one, about axes of the sensor frame, as angular_ray turns
// it. Of each return that is followed through a fixed grid of angles (a, b), its nodes:
//
//   weight of node k = E[hat_k(a)],   hat_k falls from 1 at its node to 0 at the neighbours (outside the grid it is 1)
//
// The density of a return is a mixture of what the nodes meet, with these weights. An edge between two nodes so counts
// as anywhere between them with equal probability, which holds on average over rays whatever the spacing. On one plane
// the range is known for every angle, and no node is needed: most rays have only the normal of what they met.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <fathom/base/export.hpp>
#include <fathom/noise/rotate.hpp>

namespace fathom {

/// Arrays of float are in the sensor frame.
struct TurnedRays {
  static constexpr std::uint32_t kOneSurface = ~0U;  ///< of `surroundings`
  static constexpr std::uint8_t kNothing = 255;      ///< of `met`
  static constexpr std::size_t kMostNodesOfAxis = 64;

  std::vector<Axis> axes;               ///< one, or two different ones in the order of turning; empty: not known
  std::vector<double> first_rad = {};   ///< nodes about the first axis, ascending, 3 to 64
  std::vector<double> second_rad = {};  ///< the same about the second axis; of one axis empty

  std::vector<float> direction_x, direction_y, direction_z;  ///< [returns] unit, of the nominal ray
  std::vector<float> origin_x, origin_y, origin_z;           ///< [returns] m; all empty: the sensor's origin
  std::vector<float> normal_x, normal_y, normal_z;           ///< [returns] unit normal of the surface at the clean hit
  /// [returns] place among those whose nodes meet several surfaces, or kOneSurface: all meet the plane of the clean
  /// hit.
  std::vector<std::uint32_t> surroundings;

  std::vector<std::uint8_t> met;  ///< [surroundings, second nodes, first nodes] number of the surface, or kNothing
  std::vector<std::uint32_t> first_surface;            ///< [surroundings + 1] place of its surface 0
  std::vector<float> surface_x, surface_y, surface_z;  ///< [surfaces] unit normal n of its plane n . p = c
  std::vector<float> surface_m;                        ///< [surfaces] c
  std::vector<float> surface_energy;                   ///< [surfaces] energy over the cosine of incidence
  /// A matching_window put what turned rays met on the nominal one, at the same distance to the image plane. Returns
  /// are of pixels whose windows see one plane at all nodes, and show the mean of the angles of their rays.
  bool on_nominal_ray = false;

  [[nodiscard]] bool is_known() const { return !axes.empty(); }
  [[nodiscard]] std::size_t nodes() const {
    return first_rad.size() * (second_rad.empty() ? std::size_t{1} : second_rad.size());
  }
};

/// Throws InputError when arrays or nodes are not what they should be for so many returns.
FATHOM_API void validate(const TurnedRays& rays, std::size_t returns);

}  // namespace fathom
