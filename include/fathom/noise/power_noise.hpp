// SPDX-License-Identifier: MIT
#pragma once
// power_noise: an error of the range that grows as the power of the return falls.
//
//   sigma = min(stddev sqrt(P_ref / P), most);   range := range + sigma N,   P_ref = 0.1 / reference^2
//
// P is the power of the return (noise/detail/power.hpp), P_ref that of a matt surface of reflectivity 0.1 at
// reference_m, met head-on. This is the limit of shot noise: the error of a pulse's place falls with the square root of
// the number of photons. Source: Kilic et al., LISA, arXiv 2107.07004 (2021): sigma = dR / sqrt(2 SNR), with the
// signal-to-noise ratio in proportion to P.
//
// The hit point moves along the line from the sensor origin through it. Models of weather before this one in the chain
// dim the power.

#include <array>

#include <fathom/noise/detail/power.hpp>
#include <fathom/noise/model.hpp>

namespace fathom {

struct PowerNoise {
  float stddev_m = 0.0F;
  float reference_m = 50.0F;
  float most_m = 0.5F;

  static constexpr std::string_view kSlug = "power_noise";
  static constexpr std::string_view kDoc = "Gaussian error of the range that grows as the power of the return falls.";
  static constexpr Stage kStage = Stage::kReading;
  static constexpr DrawCount kDraws = {.normals = 1};
  static constexpr SurfaceNeeds kNeeds = {.power = true};

  static constexpr auto fields() {
    return std::array<Field<PowerNoise>, 3>{{
        {"stddev_m", "m", &PowerNoise::stddev_m, 0, 10, "standard deviation at the reference power"},
        {"reference_m", "m", &PowerNoise::reference_m, 0.01, 1e4,
         "range at which a reflectivity of 10 % has that power"},
        {"most_m", "m", &PowerNoise::most_m, 0, 10, "largest standard deviation"},
    }};
  }

  [[nodiscard]] constexpr bool is_identity() const { return stddev_m == 0.0F || most_m == 0.0F; }

  FATHOM_KERNEL static PoweredReading apply(const PowerNoise& p, const Ray& /*ray*/, const PoweredReading& in,
                                            const Receiver& /*receiver*/, const Draws<kDraws>& draws) {
    const bool met = in.reason == Reason::kHit;
    const float power = power_of(in.intensity, in.hit.range_m), reference = least_power_of(0.1F, p.reference_m);
    const float ratio = reference / math::select(power > 1e-30F, power, 1e-30F);
    const float sigma = p.stddev_m * math::sqrt(ratio), capped = math::select(sigma < p.most_m, sigma, p.most_m);
    const Return moved = move_radially(in.hit, capped * draws.normal[0]);
    const auto choose = [met](float a, float b) __attribute__((always_inline)) { return math::select(met, a, b); };
    return {{choose(moved.x, in.hit.x), choose(moved.y, in.hit.y), choose(moved.z, in.hit.z),
             choose(moved.range_m, in.hit.range_m), choose(moved.radius_m, in.hit.radius_m)},
            in.reason,
            in.intensity,
            in.from_medium};
  }
};

}  // namespace fathom
