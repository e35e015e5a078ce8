// SPDX-License-Identifier: MIT
#pragma once
// A Noise for other rooms: its parameters as bytes, its hooks, and lists of registered models.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fathom/noise/detail/measured_range_law.hpp>
#include <fathom/noise/noise.hpp>

namespace fathom::detail {

struct NoiseAccess {
  /// Position of the model in the list of registered models; empty for a user's model.
  static std::optional<std::size_t> place_in_list(const Noise& noise);
  static const NoiseHooks& hooks(const Noise& noise) { return noise.type_->hooks; }
  static bool is_weather(const Noise& noise) { return hooks(noise).soft_law != nullptr; }
  /// Null: not a model of loss that is learned.
  static LossKernel loss_kernel(const Noise& noise, Isa isa) {
    return noise.type_->kernels[static_cast<std::size_t>(isa)].find_losses;
  }
  /// The model: of the type at that position.
  static const void* model(const Noise& noise) { return noise.model_.get(); }
  /// Receiver::table; empty without one.
  static std::span<const float> table(const Noise& noise);
};

/// The slugs of the registered models of a stage: "angular_ray".
std::string models_of(Stage stage);
/// The slugs of the registered models with this remedy: "distance or student".
std::string models_for(Remedy remedy);

/// A registered model as a law of loss that is compared with others.
struct LossCandidate {
  Noise begun;
  LossCause cause;
  std::vector<std::string> free;  ///< "stereo_energy.pow"
};
std::vector<LossCandidate> loss_candidates(const LossCover& cover);

/// Errors of a disparity, px.
struct DisparityErrors {
  double low_px, high_px;
};
/// Of a law of levels: the errors of d' that round it to a level whose range lies in [low_m, high_m]. Without such a
/// level: to the nearest one, with or_nearest; else empty.
std::optional<DisparityErrors> errors_of_levels(const MeasuredRangeLaw& law, double low_m, double high_m,
                                                bool or_nearest);

}  // namespace fathom::detail
