// SPDX-License-Identifier: MIT
#pragma once
// student: an error of the range with heavy tails, most returns near the surface and some far from it.
//
//   s(d) = scale + d scale_per_m;   d := d + s(d) T,   T ~ Student's t with nu degrees of freedom, per return
//
// nu = 1 is the Cauchy law, whose error has no mean; above 2 the deviation is s sqrt(nu / (nu - 2)); a large nu is the
// normal law of `distance`. Real range finders in rooms have a nu of 1 to 5: edges, glass and people are in their
// tails.
//
//   T = N1 sqrt((e^x - 1) / x),   x = (N1^2 + N2^2) / nu
//
// N1 and N2 are standard normals. Source: Bailey, "Polar generation of random variates with the t-distribution",
// Mathematics of Computation 62 (1994), theorem 1 with U = e^(-(N1^2 + N2^2) / 2). T has the sign of N1 and grows with
// it, so that correlated draws (noise/correlation.hpp) give correlated errors. x is at most 80, and draws end at about
// 5.4 deviations: with a nu below 1 the outermost errors, one in 10^8, are cut.
//
// Nothing is clamped here: a return carried to 0 or below is lost. Not modelled: errors to one side only.

#include <array>

#include <fathom/core/f64.hpp>
#include <fathom/noise/detail/measured_range_law.hpp>
#include <fathom/noise/model.hpp>

namespace fathom {

struct StudentNoise {
  float scale_m = 0.0F;
  float scale_per_m = 0.0F;
  float nu = 4.0F;

  static constexpr std::string_view kSlug = "student";
  static constexpr std::string_view kDoc = "Error of the range with the heavy tails of Student's t.";
  static constexpr Stage kStage = Stage::kRange;
  static constexpr DrawCount kDraws = {.normals = 2};

  static constexpr auto fields() {
    return std::array<Field<StudentNoise>, 3>{{
        {"scale_m", "m", &StudentNoise::scale_m, 0, 10, "scale of the error at range 0"},
        {"scale_per_m", "m/m", &StudentNoise::scale_per_m, 0, 1, "growth of the scale per metre of range"},
        {"nu", "1", &StudentNoise::nu, 0.5, 1e6, "degrees of freedom: the smaller, the heavier the tails"},
    }};
  }

  [[nodiscard]] constexpr bool is_identity() const { return scale_m == 0.0F && scale_per_m == 0.0F; }

  FATHOM_KERNEL static Return apply(const StudentNoise& p, Return hit, const Draws<kDraws>& draws) {
    const float scale_m = p.scale_m + hit.range_m * p.scale_per_m;
    const double a = double{draws.normal[0]}, b = double{draws.normal[1]};
    const double square = (a * a + b * b) / double{p.nu}, x = math::select(square < 80.0, square, 80.0);
    const bool is_small = x < 1e-9;
    const double growth = math::select(is_small, 1.0, math::expm1(x) / math::select(is_small, 1.0, x));
    return move_radially(hit, scale_m * (draws.normal[0] * math::sqrt(static_cast<float>(growth))));
  }

  static constexpr std::array<LearnedField, 3> kLearned = {
      {{"scale_m", LearnedRole::kDeviation},
       {"scale_per_m", LearnedRole::kGrowth},
       {"nu", LearnedRole::kPlain, 1, "one law of heavy tails is taken for all rings"}}};
  static constexpr std::array<Remedy, 2> kRemedies = {Remedy::kRangeError, Remedy::kHeavyTails};
  static void act(const StudentNoise& p, MeasuredRangeLaw& law) {
    law.add_student(double{p.scale_m} + law.mean_m * double{p.scale_per_m}, double{p.nu});
  }
};

}  // namespace fathom
