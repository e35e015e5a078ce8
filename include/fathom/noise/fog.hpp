// SPDX-License-Identifier: MIT
#pragma once
// fog: droplets dim surfaces, and their common return may be stronger than the surface behind them.
//
//   alpha = ln(20) / V,  V: visibility, at which 5 % of a contrast is left;   beta = 0.046 / V per m and sr
//   soft(R) = pi beta integral of sin^2(pi (R - r) / (2 l)) xi(r) exp(-2 alpha r) / r^2 dr,  over R - 2 l < r < min(R, d)
//
// The pulse is sin^2 of half-power length l = c tau / 2 in range; xi rises from 0 to 1 between crossover_begin_m and
// crossover_end_m, where the receiver begins to see the beam. The peak of soft(R) and its place R - l depend on the
// range d of the surface alone, and are tabulated. pi: a matt surface of reflectivity 1 returns 1 / pi per sr. The
// sensor reports the stronger of this peak and of the surface (noise/detail/weather.hpp).
//
// The place of the soft return is scattered, because droplets fluctuate: by scatter_m times a number of the beta
// distribution (2, 20), 1 - u1^(1/21) u2^(1/20). Its power is not drawn. Hahner's program has this law with 10 m as its
// variant 4; no measurement of it is published. A return from droplets has no entity.
//
// Sources: Rasshofer, Spies and Spies, "Influences of weather phenomena on automotive laser radar systems", Advances in
// Radio Science 9 (2011), equations of the soft target; Hahner et al., "Fog simulation on real LiDAR point clouds",
// ICCV 2021, arXiv 2108.05249, and its program LiDAR_fog_sim: V, beta, the pulse of 20 ns and the crossover. The program
// scales the soft return by the target's intensity and a fitted constant; here it does not depend on the target.
//
// Not modelled: multiple scattering, and fog that varies in space.

#include <array>

#include <fathom/noise/detail/weather.hpp>

namespace fathom {

struct Fog {
  float visibility_m = 0.0F;
  float extinction_per_m = 0.0F;
  float backscatter_per_m_sr = 0.0F;
  float pulse_m = 3.0F;
  float crossover_begin_m = 0.9F;
  float crossover_end_m = 1.0F;
  float scatter_m = 10.0F;

  static constexpr std::string_view kSlug = "fog";
  static constexpr std::string_view kDoc = "Fog: dims surfaces, and reports droplets that return more light.";
  static constexpr Stage kStage = Stage::kReading;
  static constexpr DrawCount kDraws = {.uniforms = 2};
  static constexpr SurfaceNeeds kNeeds = {.power = true};

  static constexpr auto fields() {
    return std::array<Field<Fog>, 7>{{
        {"visibility_m", "m", &Fog::visibility_m, 0, 1e12, "visibility; 0: no fog"},
        {"extinction_per_m", "1/m", &Fog::extinction_per_m, 0, 100, "above 0: extinction, else ln(20) / visibility_m"},
        {"backscatter_per_m_sr", "1/m/sr", &Fog::backscatter_per_m_sr, 0, 100,
         "above 0: backscatter, else 0.046 / visibility"},
        {"pulse_m", "m", &Fog::pulse_m, 0.01, 100, "half-power length of the pulse in range, c tau / 2"},
        {"crossover_begin_m", "m", &Fog::crossover_begin_m, 0.01, 50, "range at which the receiver begins to see the beam"},
        {"crossover_end_m", "m", &Fog::crossover_end_m, 0.01, 50, "range from which on it sees all of it"},
        {"scatter_m", "m", &Fog::scatter_m, 0, 100, "scale of the scatter of returns from droplets"},
    }};
  }

  [[nodiscard]] constexpr bool is_identity() const { return extinction() == 0.0F; }
  [[nodiscard]] constexpr std::string_view idle(std::string_view field) const {
    return field == "visibility_m" && extinction_per_m > 0.0F ? "extinction_per_m > 0" : "";
  }

  [[nodiscard]] constexpr float extinction() const {
    if (extinction_per_m > 0.0F) return extinction_per_m;
    return visibility_m > 0.0F ? kLogTwenty / visibility_m : 0.0F;
  }
  [[nodiscard]] constexpr float backscatter() const {
    return backscatter_per_m_sr > 0.0F ? backscatter_per_m_sr : extinction() * (0.046F / kLogTwenty);
  }

  [[nodiscard]] FATHOM_API std::vector<float> tabulate() const;

  FATHOM_KERNEL static PoweredReading apply(const Fog& p, const Ray& ray, const PoweredReading& in,
                                            const Receiver& receiver, const Draws<kDraws>& draws) {
    const float d = air_ahead(in, receiver);
    const float* const table = receiver.table;
    const float along = (d - p.crossover_begin_m) / p.table_span_m() * static_cast<float>(kRanges - 1);
    const TablePlace at = place_in_table(along, kRanges);
    const float place = table_value_at(table + kRangeOf, at) + p.scatter_m * beta_2_20(draws);
    const SoftReturn soft = {table_value_at(table + kPowerOf, at), math::select(place < d, place, d)};
    return report_stronger(ray, in, transmittance(p.extinction(), d), soft, receiver);
  }

 private:
  static constexpr std::int32_t kRanges = 128, kPowerOf = 0, kRangeOf = kRanges;
  static constexpr float kLogTwenty = 2.9957323F;

  /// From crossover_begin_m on. Surfaces behind do not change the soft return.
  [[nodiscard]] FATHOM_KERNEL float table_span_m() const {
    const float rise = crossover_end_m - crossover_begin_m;
    return math::select(rise > 0.0F, rise, 0.0F) + 2.0F * pulse_m;
  }

  FATHOM_KERNEL static float beta_2_20(const Draws<kDraws>& draws) {
    return 1.0F - math::exp(math::log(1.0F - draws.uniform[0]) / 21.0F + math::log(1.0F - draws.uniform[1]) / 20.0F);
  }
};

}  // namespace fathom
