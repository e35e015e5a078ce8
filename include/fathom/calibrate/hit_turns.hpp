// SPDX-License-Identifier: MIT
#pragma once
// By what angles measured points lie beside their rays: what learning of angular_hit needs. Ranges do not tell it,
// since the model keeps them; the place of a point does, without a scene.

#include <cstddef>
#include <vector>

#include <fathom/base/export.hpp>
#include <fathom/noise/rotate.hpp>

namespace fathom {

/// A point lies at R(second, b) R(first, a) times the direction of its ray, about axes of the sensor frame.
struct HitTurns {
  /// Of the models angular_hit of a chain, in their order: one, or two different ones; empty: only ranges are known.
  std::vector<Axis> axes;
  /// [returns] a, in (-pi, pi] rad; NaN: lost, or along an axis, where points do not tell it.
  std::vector<float> first_rad = {};
  std::vector<float> second_rad = {};  ///< [returns] b, the same; of one axis empty

  [[nodiscard]] bool is_known() const { return !axes.empty(); }
};

/// Throws InputError when axes or arrays are not what they should be for so many returns.
FATHOM_API void validate(const HitTurns& turns, std::size_t returns);

}  // namespace fathom
