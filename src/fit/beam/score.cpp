// SPDX-License-Identifier: MIT
#include <fathom/fit/score.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/distributions.hpp>
#include <fathom/core/error.hpp>
#include <fathom/core/field.hpp>

#include "core/compute.hpp"
#include "fit/beam/score_kernels.hpp"
#include "sensor/expected_range.hpp"

namespace fathom {

namespace {

constexpr std::size_t kRaysAtOnce = 4096;  // expected ranges of a chunk of poses stay in the first cache

ScoreKernel pick_kernel(Isa isa) { return FATHOM_FOR_ISA(isa, kScoreKernel); }

bool is_finite(const Pose& pose) {
  const Vec3& t = pose.translation_m;
  const Quaternion& q = pose.rotation;
  // A sum is finite only when all its terms are; 0 * keeps it from overflowing.
  return 0.0 * t.x + 0.0 * t.y + 0.0 * t.z + 0.0 * q.w + 0.0 * q.x + 0.0 * q.y + 0.0 * q.z == 0.0;
}

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

/// Whether single precision and tables of bounded size can stand for these parameters: some random readings, or hits
/// with tails heavy enough to stand for them (without, densities underflow), lambda Z at most 800, no step of the
/// sensor, and of extended laws a sigma of at most 10 Z.
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

/// Works out what depends on the readings alone; reading_m [all rays], every ray_step-th is kept. Allocates nothing
/// once `terms` has its size.
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

}  // namespace

class ScanScorer::Impl {
 public:
  Impl(const BeamParameters& parameters, const BeamSensor& sensor, const ExpectedRanges& expected, const RayFan& rays,
       const ScoreOptions& options)
      : parameters_(parameters),
        sensor_(sensor),
        expected_(expected),
        fan_(subsample(rays, options.ray_step)),
        options_(options),
        rays_(rays.size()),
        kernel_(pick_kernel(options.compute.isa)) {
    validate(parameters);
    validate(sensor);
    check_in_range("score", "ray_step", static_cast<double>(options.ray_step), 1,
                   static_cast<double>(ScoreOptions::kMostRayStep), "1");
    check_in_range("score", "alpha", options.alpha, ScoreOptions::kLeastAlpha, 1, "1");
    if (rays.size() == 0) throw InputError("a scan of 0 rays cannot be scored");
    validate(options.compute);
    exact_ = options.exact || !tables_suffice(parameters, sensor);
    if (!exact_) tables_ = make_score_tables(parameters, sensor);
    executor_ = make_executor(options.compute.threads);
    chunk_ = std::max<std::size_t>(1, kRaysAtOnce / fan_.size());
    scratch_.resize(static_cast<std::size_t>(executor_->threads()), Ranges(chunk_ * fan_.size()));
    for (Ranges& room : scratch_) idle_.push_back(&room);
    set_readings(parameters_, sensor_, std::vector<float>(rays_), options_.ray_step, terms_);
  }

  void score(std::span<const Pose> poses, std::span<const float> reading_m, std::span<double> out) {
    check_sizes(poses.size(), reading_m.size(), out.size());
    for (std::size_t i = 0; i < poses.size(); ++i) {
      if (!is_finite(poses[i])) throw InputError(fmt::format("pose {} is not finite", i));
    }
    prepare(reading_m);
    executor_->parallel_for(poses.size(), chunk_, [&](std::size_t begin, std::size_t end) {
      const auto give_back = [this](Ranges* room) {
        const std::lock_guard lock(mutex_);
        idle_.push_back(room);
      };
      const std::unique_ptr<Ranges, decltype(give_back)> room(take_room(), give_back);  // also when a cast throws
      for (std::size_t at = begin; at < end; at += chunk_) {
        const std::size_t count = std::min(chunk_, end - at);
        const std::span<float> ranges = std::span(*room).first(count * fan_.size());
        expected_.cast(poses.subspan(at, count), fan_, sensor_.max_range_m, ranges);
        evaluate(ranges.data(), count, out.data() + at);
      }
    });
  }

  void score_expected(std::span<const float> expected_m, std::span<const float> reading_m, std::span<double> out) {
    if (expected_m.size() != out.size() * fan_.size()) {
      throw InputError(
          fmt::format("{} expected ranges given for {} poses of {} rays", expected_m.size(), out.size(), fan_.size()));
    }
    check_sizes(out.size(), reading_m.size(), out.size());
    for (std::size_t i = 0; i < expected_m.size(); ++i) check_expected(i, expected_m[i]);
    prepare(reading_m);
    executor_->parallel_for(out.size(), chunk_, [&](std::size_t begin, std::size_t end) {
      evaluate(expected_m.data() + begin * fan_.size(), end - begin, out.data() + begin);
    });
  }

  [[nodiscard]] std::size_t kept_rays() const { return fan_.size(); }
  [[nodiscard]] std::size_t bytes() const {
    return tables_.bytes() + (scratch_.size() * chunk_ + 6) * fan_.size() * sizeof(float);
  }

 private:
  using Ranges = std::vector<float>;  // of a chunk of poses

  Ranges* take_room() {
    const std::lock_guard lock(mutex_);
    Ranges* room = idle_.back();
    idle_.pop_back();
    return room;
  }

  void check_sizes(std::size_t poses, std::size_t readings, std::size_t outs) const {
    if (readings != rays_) throw InputError(fmt::format("a scan of {} readings given for {} rays", readings, rays_));
    if (poses != outs) throw InputError(fmt::format("room for {} scores given for {} poses", outs, poses));
  }

  void prepare(std::span<const float> reading_m) {
    set_readings(parameters_, sensor_, reading_m, options_.ray_step, terms_);
    reading_m_ = reading_m;
  }

  void evaluate(const float* expected_m, std::size_t poses, double* out) const {
    if (exact_) {
      evaluate_exactly(expected_m, poses, out);
    } else {
      kernel_(tables_, terms_, expected_m, poses, fan_.size(), out);
    }
    for (std::size_t p = 0; p < poses; ++p) out[p] *= options_.alpha;
  }

  void evaluate_exactly(const float* expected_m, std::size_t poses, double* out) const {
    for (std::size_t p = 0; p < poses; ++p) {
      out[p] = 0.0;
      for (std::size_t k = 0; k < fan_.size(); ++k) {
        const BeamDensity density(parameters_, sensor_, expected_m[p * fan_.size() + k]);
        out[p] += density.log_likelihood(reading_m_[k * options_.ray_step]);
      }
    }
  }

  BeamParameters parameters_;
  BeamSensor sensor_;
  const ExpectedRanges& expected_;
  RayFan fan_;
  ScoreOptions options_;
  std::size_t rays_;
  ScoreKernel kernel_;
  bool exact_ = false;
  ScoreTables tables_;
  ScanTerms terms_;
  std::span<const float> reading_m_;
  std::unique_ptr<Executor> executor_;
  std::size_t chunk_ = 1;
  std::vector<Ranges> scratch_;  // one per thread
  std::vector<Ranges*> idle_;
  std::mutex mutex_;
};

ScanScorer::ScanScorer(const BeamParameters& parameters, const BeamSensor& sensor, const ExpectedRanges& expected,
                       const RayFan& rays, const ScoreOptions& options)
    : impl_(std::make_unique<Impl>(parameters, sensor, expected, rays, options)) {}
ScanScorer::~ScanScorer() = default;
ScanScorer::ScanScorer(ScanScorer&&) noexcept = default;
ScanScorer& ScanScorer::operator=(ScanScorer&&) noexcept = default;

void ScanScorer::score(std::span<const Pose> world_from_sensor, std::span<const float> reading_m,
                       std::span<double> out) {
  impl_->score(world_from_sensor, reading_m, out);
}
void ScanScorer::score_expected(std::span<const float> expected_m, std::span<const float> reading_m,
                                std::span<double> out) {
  impl_->score_expected(expected_m, reading_m, out);
}
std::size_t ScanScorer::kept_rays() const { return impl_->kept_rays(); }
std::size_t ScanScorer::bytes() const { return impl_->bytes(); }

std::size_t rays_with_evidence(std::span<const float> reading_m, const BeamSensor& sensor, std::size_t step) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < reading_m.size(); i += step) {
    count += classify(reading_m[i], sensor) != ReadingKind::kNone ? 1 : 0;
  }
  return count;
}

}  // namespace fathom
