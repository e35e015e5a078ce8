// SPDX-License-Identifier: MIT
#include <fathom/fit/score.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/distributions.hpp>
#include <fathom/core/error.hpp>
#include <fathom/core/field.hpp>

#include "core/compute.hpp"
#include "fit/beam/scans.hpp"
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

constexpr std::uint32_t kCellBits = 6;
constexpr std::uint32_t kCellsAcross = 1U << kCellBits;
constexpr std::size_t kFewPoses = 512;  // which take less time than their cells

/// Cells across the values of one axis.
class Axis {
 public:
  void add(double value) { low_ = std::min(low_, value), high_ = std::max(high_, value); }
  [[nodiscard]] std::uint32_t cell(double value) const {
    const double share = high_ > low_ ? (value - low_) / (high_ - low_) : 0.0;
    return std::min(static_cast<std::uint32_t>(share * kCellsAcross), kCellsAcross - 1);
  }

 private:
  double low_ = 1e300, high_ = -1e300;
};

/// The bits of a cell's number, a gap after each.
constexpr std::uint32_t spread(std::uint32_t cell) {
  std::uint32_t bits = 0;
  for (std::uint32_t b = 0; b < kCellBits; ++b) bits |= (cell >> b & 1U) << 2 * b;
  return bits;
}

/// An order of poses in which neighbours follow each other. The casts of a chunk then read the same parts of a map:
/// a cloud all over a building is cast about a tenth faster.
class PlaceOrder {
 public:
  static constexpr std::size_t kMostPoses = 8192;

  PlaceOrder() : order_(kMostPoses), cells_(kMostPoses), first_(kCells + 1) {}

  /// Numbers of these poses, at most kMostPoses and finite, by the cell that they lie in, of 64 x 64 over all of them,
  /// in Morton order. Poses of one cell keep their order, and so do few poses. Valid until the next call.
  std::span<const std::uint32_t> sort(std::span<const Pose> poses) {
    const std::span<std::uint32_t> order = std::span(order_).first(poses.size());
    if (poses.size() < kFewPoses) {
      std::iota(order.begin(), order.end(), 0U);
      return order;
    }
    Axis x, y;
    for (const Pose& pose : poses) x.add(pose.translation_m.x), y.add(pose.translation_m.y);
    std::ranges::fill(first_, 0U);
    for (std::size_t i = 0; i < poses.size(); ++i) {
      const Vec3& at = poses[i].translation_m;
      cells_[i] = static_cast<std::uint16_t>(spread(x.cell(at.x)) | spread(y.cell(at.y)) << 1U);
      ++first_[cells_[i] + 1U];
    }
    for (std::size_t c = 0; c < kCells; ++c) first_[c + 1] += first_[c];
    for (std::size_t i = 0; i < poses.size(); ++i) order[first_[cells_[i]]++] = static_cast<std::uint32_t>(i);
    return order;
  }

  [[nodiscard]] std::size_t bytes() const {
    return (order_.size() + first_.size()) * sizeof(std::uint32_t) + cells_.size() * sizeof(std::uint16_t);
  }

 private:
  static constexpr std::size_t kCells = std::size_t{kCellsAcross} * kCellsAcross;

  std::vector<std::uint32_t> order_;
  std::vector<std::uint16_t> cells_;  // of each pose
  std::vector<std::uint32_t> first_;  // place in the order of each cell's next pose
};

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

/// Computes the terms that depend only on the readings; reading_m [all rays], every ray_step-th is kept. Allocates
/// nothing once `terms` has its size.
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
        fan_(rays.every(options.ray_step)),
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
    scratch_.resize(static_cast<std::size_t>(executor_->threads()), {.ranges = std::vector<float>(chunk_ * fan_.size()),
                                                                     .poses = std::vector<Pose>(chunk_),
                                                                     .scores = std::vector<double>(chunk_)});
    for (Room& room : scratch_) idle_.push_back(&room);
    set_readings(parameters_, sensor_, std::vector<float>(rays_), options_.ray_step, terms_);
  }

  void score(std::span<const Pose> poses, std::span<const float> reading_m, std::span<double> out) {
    check_sizes(poses.size(), reading_m.size(), out.size());
    for (std::size_t i = 0; i < poses.size(); ++i) {
      if (!is_finite(poses[i])) throw InputError(fmt::format("pose {} is not finite", i));
    }
    prepare(reading_m);
    for (std::size_t first = 0; first < poses.size(); first += PlaceOrder::kMostPoses) {
      const std::size_t count = std::min(PlaceOrder::kMostPoses, poses.size() - first);
      score_by_place(poses.subspan(first, count), out.subspan(first, count));
    }
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
    const std::size_t room = chunk_ * (fan_.size() * sizeof(float) + sizeof(Pose) + sizeof(double));
    return tables_.bytes() + scratch_.size() * room + 6 * fan_.size() * sizeof(float) + places_.bytes();
  }

 private:
  /// What a thread needs to score a chunk of poses.
  struct Room {
    std::vector<float> ranges;
    std::vector<Pose> poses;
    std::vector<double> scores;
  };

  void score_by_place(std::span<const Pose> poses, std::span<double> out) {
    const std::span<const std::uint32_t> order = places_.sort(poses);
    executor_->parallel_for(poses.size(), chunk_, [&](std::size_t begin, std::size_t end) {
      const auto give_back = [this](Room* room) {
        const std::lock_guard lock(mutex_);
        idle_.push_back(room);
      };
      const std::unique_ptr<Room, decltype(give_back)> room(take_room(), give_back);  // also when a cast throws
      for (std::size_t at = begin; at < end; at += chunk_) {
        score_chunk(poses, order.subspan(at, std::min(chunk_, end - at)), *room, out);
      }
    });
  }

  Room* take_room() {
    const std::lock_guard lock(mutex_);
    Room* room = idle_.back();
    idle_.pop_back();
    return room;
  }

  void score_chunk(std::span<const Pose> poses, std::span<const std::uint32_t> numbers, Room& room,
                   std::span<double> out) const {
    for (std::size_t i = 0; i < numbers.size(); ++i) room.poses[i] = poses[numbers[i]];
    const std::span<float> ranges = std::span(room.ranges).first(numbers.size() * fan_.size());
    expected_.cast(std::span(room.poses).first(numbers.size()), fan_, sensor_.max_range_m, ranges);
    evaluate(ranges.data(), numbers.size(), room.scores.data());
    for (std::size_t i = 0; i < numbers.size(); ++i) out[numbers[i]] = room.scores[i];
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
  PlaceOrder places_;
  std::vector<Room> scratch_;  // one per thread
  std::vector<Room*> idle_;
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
