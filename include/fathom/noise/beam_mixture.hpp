// SPDX-License-Identifier: MIT
#pragma once
// beam_mixture: a range finder reports the expected surface, something unexpected in front of it, nothing at all, or a
// random number.
//
//   f(z | z*) = w_hit p_hit + w_short p_short + w_rand / Z for z < Z,     f(Z | z*) = w_max
//
//   p_hit    Normal(z*, sigma) cut to [0, Z]           p_short  l e^{-l z} / (1 - e^{-l z*}) on [0, z*]
//
// z* is the range so far, with the offset; Z is the maximum range of the sensor's ray. fathom/noise/beam_density.hpp
// defines the densities and parameters; it scores and fits such readings.
//
// Acts on valid returns, and on rays that met nothing within Z (reasons miss and above_max_range), for which z* = Z.
// Returns lost for other reasons stay lost, such as returns below the minimum range. A reading of Z is the absence of a
// return: a return becomes lost with reason dropout, a ray that met nothing keeps its reason. Any other reading is a
// valid return at range z. A return moves there along the line from the sensor origin through it; of a ray that met
// nothing, the point lies on the ray. Shorts and random readings may lie below the sensor's minimum range: the range
// policy decides on them, and a reading of 0 is lost.
//
// Draws: u1 picks the component, u2 inverts it; both have 24 bits, so hits reach 5.4 sigma from z*.
// Source: Thrun, Burgard, Fox, Probabilistic Robotics (2005), section 6.3, equations 6.4 to 6.11, and
// docs/beam-model.md. Not modelled: dependence between neighbouring rays, multiple returns.

#include <array>

#include <fathom/core/f64.hpp>
#include <fathom/noise/beam_density.hpp>
#include <fathom/noise/detail/measured_range_law.hpp>
#include <fathom/noise/model.hpp>

namespace fathom {

struct BeamMixture {
  float w_hit = 0.7F;
  float w_short = 0.15F;
  float w_max = 0.05F;
  float w_rand = 0.1F;
  float sigma_hit_m = 0.1F;
  float lambda_short_per_m = 0.4F;
  float hit_offset_m = 0.0F;
  MissPolicy miss = MissPolicy::kBook;

  static constexpr std::string_view kSlug = kBeamMixtureSlug;
  static constexpr std::string_view kDoc =
      "The beam model of range finders: a mixture of hits, short, maximum and random readings.";
  static constexpr Stage kStage = Stage::kReading;
  static constexpr DrawCount kDraws = {.uniforms = 2};

  static constexpr auto fields() {
    return std::array<Field<BeamMixture>, 8>{{
        {"w_hit", "1", &BeamMixture::w_hit, 0, 1, "weight of readings of the surface; the four weights sum to 1"},
        {"w_short", "1", &BeamMixture::w_short, 0, 1, "weight of readings of something in front of it"},
        {"w_max", "1", &BeamMixture::w_max, 0, 1, "weight of readings without a return"},
        {"w_rand", "1", &BeamMixture::w_rand, 0, 1, "weight of readings that nothing explains"},
        {"sigma_hit_m", "m", &BeamMixture::sigma_hit_m, kLeastSigmaHitM, kMostSigmaHitM, "standard deviation of hits"},
        {"lambda_short_per_m", "1/m", &BeamMixture::lambda_short_per_m, 0, kMostLambdaShortPerM,
         "rate of short readings"},
        {"hit_offset_m", "m", &BeamMixture::hit_offset_m, -kMostHitOffsetM, kMostHitOffsetM,
         "offset of hits beyond the surface"},
        {"miss", "book|atom", choice<&BeamMixture::miss>, 0, 0,
         "rays that meet nothing: hits just below the maximum range, or no return"},
    }};
  }

  /// Throws InputError unless the weights sum to 1.
  void check() const {
    const double sum = double{w_hit} + double{w_short} + double{w_max} + double{w_rand};
    check_sum_is_one(kSlug, "w_hit + w_short + w_max + w_rand", sum);
  }

  [[nodiscard]] constexpr bool is_identity() const { return false; }

  FATHOM_KERNEL static Reading apply(const BeamMixture& p, const Ray& ray, const Reading& in, float max_range_m,
                                     const Draws<kDraws>& draws) {
    const bool met = in.reason == Reason::kHit;
    const bool nothing = (in.reason == Reason::kMiss) | (in.reason == Reason::kAboveMaxRange);
    const bool missed = nothing | !(in.hit.range_m < max_range_m);
    const double limit = double{max_range_m};
    const double moved = double{in.hit.range_m} + double{p.hit_offset_m};
    const double expected = math::select(missed | (moved > limit), limit, math::select(moved > kLeast, moved, kLeast));

    const double w_hit = math::select(missed & (p.miss == MissPolicy::kAtom), 0.0, double{p.w_hit});
    const double u1 = double{draws.uniform[0]}, u2 = double{draws.uniform[1]} + 0x1p-25;
    const double w_short = w_hit + double{p.w_short}, w_rand = w_short + double{p.w_rand};
    const double below_limit =
        math::select(u1 < w_hit, draw_hit(expected, double{p.sigma_hit_m}, limit, u2),
                     math::select(u1 < w_short, draw_short(expected, double{p.lambda_short_per_m}, u2), u2 * limit));
    const auto z = static_cast<float>(below_limit);
    const float most = max_range_m - max_range_m * 0x1p-23F;
    const bool is_reading = u1 < w_rand;
    return report(ray, in, math::select(z < most, z, most), met, nothing, is_reading);
  }

  /// The weight of hits is 1 less the other weights.
  static constexpr std::string_view kOneMixture = "one mixture of readings is taken for all rings";
  static constexpr std::array<LearnedField, 6> kLearned = {{{"w_short", LearnedRole::kWeight, 1, kOneMixture},
                                                            {"w_max", LearnedRole::kWeight, 3, kOneMixture},
                                                            {"w_rand", LearnedRole::kWeight, 1, kOneMixture},
                                                            {"sigma_hit_m", LearnedRole::kPlain, 1, kOneMixture},
                                                            {"lambda_short_per_m", LearnedRole::kPlain, 1, kOneMixture},
                                                            {"hit_offset_m", LearnedRole::kPlain, 1, kOneMixture}}};
  /// If the other three weights sum to more than 1, they shrink by one factor, and the weight of hits is 0.
  FATHOM_API static void settle(BeamMixture& p);
  /// The maximum that expectation maximisation (LearnedReturns::fit_beam) finds for the mixture alone.
  FATHOM_API static BeamMixture begin(const BeamMixture& given, const LearnedReturns& returns,
                                      std::span<const std::string_view> free);

  /// For a return within Z; rays that met nothing have z* = Z.
  static void act(const BeamMixture& p, MeasuredRangeLaw& law) {
    law.read_by_mixture({double{p.w_hit}, double{p.w_short}, double{p.w_rand}}, double{p.hit_offset_m},
                        double{p.sigma_hit_m}, double{p.lambda_short_per_m});
  }

 private:
  static constexpr double kLeast = 1e-6;  ///< of z*: there is no density on [0, 0]

  /// Inverts the nearer tail of the normal cut to [0, limit], so that neither end loses digits.
  FATHOM_KERNEL static double draw_hit(double center, double sigma, double limit, double u) {
    const double before = 0.5 * math::erfc(center / sigma * math::kSqrtHalf);
    const double after = 0.5 * math::erfc((limit - center) / sigma * math::kSqrtHalf);
    const double mass = 1.0 - before - after;
    const double below = before + u * mass, above = after + (1.0 - u) * mass;
    const double x = math::normal_quantile(math::select(below < above, below, above));
    const double z = center + sigma * math::select(below < above, x, -x);
    return math::select(z > 0.0, z, 0.0);
  }

  FATHOM_KERNEL static double draw_short(double expected, double lambda, double u) {
    const bool flat = lambda * expected < 1e-290;
    const double rate = math::select(flat, 1.0, lambda);
    return math::select(flat, u * expected, -math::log1p(u * math::expm1(-rate * expected)) / rate);
  }

  FATHOM_KERNEL static Reading report(const Ray& ray, const Reading& in, float z, bool met, bool nothing,
                                      bool is_reading) {
    const Return on_line = move_radially(in.hit, z - in.hit.range_m);
    const float x = ray.ox + ray.dx * z, y = ray.oy + ray.dy * z, w = ray.oz + ray.dz * z;
    const float radius = math::sqrt(x * x + y * y + w * w);
    const bool new_line = met & is_reading, new_ray = nothing & is_reading;
    const auto choose = [&](float line, float on_ray, float old) __attribute__((always_inline)) {
      return math::select(new_line, line, math::select(new_ray, on_ray, old));
    };
    const Return hit = {choose(on_line.x, x, in.hit.x), choose(on_line.y, y, in.hit.y), choose(on_line.z, w, in.hit.z),
                        choose(z, z, in.hit.range_m), choose(on_line.radius_m, radius, in.hit.radius_m)};
    const Reason lost = met ? Reason::kDropout : in.reason;
    return {hit, (new_line | new_ray) ? Reason::kHit : lost};
  }
};

}  // namespace fathom
