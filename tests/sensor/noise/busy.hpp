// SPDX-License-Identifier: MIT
#pragma once
// Every registered model with parameters that change something: tests over this list meet a new model by themselves.

#include <fathom/noise/noise.hpp>

#include "support/expect.hpp"

namespace fathom::test {

/// Parameters away from their defaults, so that nothing hides: a fifth of the way from the lower limit to the upper,
/// but at least a different one for each field.
template <class Model>
Model busy_model() {
  Model model;
  if constexpr (requires { model.check(); }) return model;     // parameters bound together: typical values are busy
  if constexpr (Model::kStage == Stage::kImage) return model;  // whole pixels: typical values are busy
  int k = 0;
  for (const auto& field : Model::fields()) {
    ++k;
    if (const auto number = fathom::member_of<float>(field)) {
      const double upper = std::min(field.high, 1.0);
      model.*number = static_cast<float>(std::max(field.low, 0.0) + 0.11 * k * upper);
    } else {
      set_field(model, field.name, 1);
    }
  }
  return model;
}

// Weather so heavy that drops outshine the walls of a room.
template <>
inline Fog busy_model() {
  return {.visibility_m = 6.0F};
}
template <>
inline Rain busy_model() {
  return {.rate_mm_per_h = 300.0F, .nearest_m = 0.01F};
}
template <>
inline Snow busy_model() {
  return {.rate_mm_per_h = 300.0F, .nearest_m = 0.01F};
}

template <class Variant>
struct BusyModels;
template <class... Models>
struct BusyModels<std::variant<Models...>> {
  static std::vector<Noise> make() { return {busy_model<Models>()...}; }
};

/// In the order of the list.
inline std::vector<Noise> busy_models() { return BusyModels<RegisteredNoise>::make(); }

}  // namespace fathom::test
