// SPDX-License-Identifier: MIT
#pragma once
// The parameters of a Noise as bytes, for a renderer that copies them to a device.

#include <cstddef>
#include <optional>

#include <fathom/noise/noise.hpp>

namespace fathom::detail {

struct NoiseAccess {
  /// Position of the model in the list of registered models; empty for a user's model.
  static std::optional<std::size_t> place_in_list(const Noise& noise);
  static const NoiseHooks& hooks(const Noise& noise) { return noise.type_->hooks; }
  /// The model: of the type at that position.
  static const void* model(const Noise& noise) { return noise.model_.get(); }
};

}  // namespace fathom::detail
