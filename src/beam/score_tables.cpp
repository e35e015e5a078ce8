// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <limits>

#include <fathom/math/student.hpp>

#include "beam/score_kernels.hpp"

namespace fathom {

namespace {

constexpr double kFlatSigmas = 8.0;   // N is 1 to single precision beyond
constexpr double kFlatShorts = 18.0;  // x / (1 - e^-x) is x to single precision beyond
constexpr double kMostLambdaRange = 800.0;
constexpr double kMostTableSigmaPerRange = 10.0;  // of extended laws: single precision keeps 1 - tails to 1e-5
constexpr std::size_t kTailSteps = 1024;

void fill_gaussian(const BeamParameters& p, double limit, ScoreTables& t) {
  const double sigma = p.sigma_hit_m;
  const double end = std::min(limit / 2, kFlatSigmas * sigma);
  const double step = end / static_cast<double>(CubicTable::kPieces);  // at most sigma / 4: right to 2e-5
  t.hit.fill([&](double place) {
    return p.w_hit * math::kInverseSqrtTwoPi / (sigma * TruncatedNormal{place * step, sigma, limit}.mass());
  });
  t.hit_per_m = static_cast<float>(1.0 / step);
  t.inverse_sigma = static_cast<float>(1.0 / sigma);
}

void fill_extended(const BeamParameters& p, double limit, ScoreTables& t) {
  const bool is_student = p.tail.hit == HitLaw::kStudentT;
  const double nu = p.tail.nu_hit, log_peak = is_student ? math::student_log_peak(nu) : 0.0;
  const double farthest = std::sqrt(limit / p.sigma_hit_m), knee = kTailKnee;
  const double last = farthest / (farthest + knee);
  for (std::size_t i = 0; i <= kTailSteps + 1; ++i) {
    const double place = last * static_cast<double>(std::min(i, kTailSteps)) / static_cast<double>(kTailSteps);
    const double root = knee * place / (1.0 - place), x = root * root;
    const double beyond =
        is_student ? math::student_mass(x, nu, log_peak).beyond : 0.5 * math::erfc(x * math::kSqrtHalf);
    t.tail.push_back(static_cast<float>(beyond));
  }
  t.tail_per_place = static_cast<float>(static_cast<double>(kTailSteps) / last);
  t.tail_last = static_cast<float>(kTailSteps);
  t.hit_weight = static_cast<float>(p.w_hit * (is_student ? math::exp(log_peak) : math::kInverseSqrtTwoPi));
  t.sigma = static_cast<float>(p.sigma_hit_m);
  t.sigma_per_m = static_cast<float>(p.tail.sigma_hit_per_m);
  t.power = static_cast<float>(-0.5 * (nu + 1.0)), t.inverse_nu = static_cast<float>(1.0 / nu);
}

void fill_shorts(const BeamParameters& p, double limit, ScoreTables& t) {
  const double lambda = p.lambda_short_per_m;
  const bool is_flat = lambda * limit > kFlatShorts;
  const double end = is_flat ? kFlatShorts / lambda : limit;
  const double step = end / static_cast<double>(CubicTable::kPieces);  // below 0.6 in x: right to 3e-6
  t.shorts.fill([&](double place) { return p.w_short * TruncatedExponential::rise(lambda * place * step); });
  t.short_per_m = static_cast<float>(1.0 / step);
  t.short_end_m = is_flat ? static_cast<float>(end) : std::numeric_limits<float>::infinity();
  t.short_far = static_cast<float>(p.w_short * lambda);
}

/// The least density that a reading can have where a surface is expected, or more.
double least_density(const BeamParameters& p, const BeamSensor& sensor) {
  const double limit = sensor.max_range_m, random = p.w_rand / limit;
  if (p.tail.hit != HitLaw::kStudentT || sensor.miss == MissPolicy::kAtom) return random;
  const double far = math::student_density(limit / p.sigma_hit_m, p.tail.nu_hit, math::student_log_peak(p.tail.nu_hit));
  return random + p.w_hit * far / p.sigma_hit_m;
}

}  // namespace

bool tables_suffice(const BeamParameters& p, const BeamSensor& sensor) {
  return !(sensor.step_m > 0.0) && least_density(p, sensor) > 1e-30 &&
         p.lambda_short_per_m * sensor.max_range_m <= kMostLambdaRange &&
         !(p.tail.is_extended() && p.sigma_hit_m > kMostTableSigmaPerRange * sensor.max_range_m);
}

ScoreTables make_score_tables(const BeamParameters& p, const BeamSensor& sensor) {
  ScoreTables t;
  const double limit = sensor.max_range_m;
  t.law = p.tail.hit;
  p.tail.is_extended() ? fill_extended(p, limit, t) : fill_gaussian(p, limit, t);
  fill_shorts(p, limit, t);
  t.offset_m = static_cast<float>(p.hit_offset_m);
  t.max_range_m = static_cast<float>(limit);
  t.floor_m = static_cast<float>(sensor.expected_floor_m);
  t.w_rand_density = static_cast<float>(p.w_rand / limit);
  t.atom = sensor.miss == MissPolicy::kAtom;
  t.max = static_cast<float>(p.w_max);
  t.max_miss = static_cast<float>(t.atom ? p.w_max + p.w_hit : p.w_max);
  return t;
}

void set_readings(const BeamParameters& p, const BeamSensor& sensor, std::span<const float> reading_m,
                  std::size_t ray_step, ScanTerms& terms) {
  const std::size_t kept = (reading_m.size() + ray_step - 1) / ray_step;
  const std::size_t lanes = (kept + kScoreLanes - 1) / kScoreLanes * kScoreLanes;
  terms.reading_m.assign(lanes, 0.0F);
  terms.short_factor.assign(lanes, 1.0F);
  terms.kind.assign(lanes, static_cast<std::uint32_t>(ReadingKind::kNone));
  for (std::size_t k = 0; k < kept; ++k) {
    const double z = reading_m[k * ray_step];
    const ReadingKind kind = classify(z, sensor);
    terms.kind[k] = static_cast<std::uint32_t>(kind);
    terms.reading_m[k] = kind == ReadingKind::kRange ? static_cast<float>(z) : 0.0F;
    terms.short_factor[k] = static_cast<float>(math::exp(-p.lambda_short_per_m * terms.reading_m[k]));
  }
}

}  // namespace fathom
