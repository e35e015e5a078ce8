// SPDX-License-Identifier: MIT
#pragma once
// The parameters of a Noise as they lie in memory, for a renderer that keeps them elsewhere.

#include <cstddef>
#include <optional>

#include <fathom/noise/noise.hpp>

namespace fathom::detail {

struct NoiseAccess {
  /// Position of the model in the list of the registered ones; none for a model of the user's own.
  static std::optional<std::size_t> place_in_list(const Noise& noise);
  static const NoiseHooks& hooks(const Noise& noise) { return noise.type_->hooks; }
  /// The model: of the type at that position.
  static const void* model(const Noise& noise) { return noise.model_.get(); }
};

}  // namespace fathom::detail
