// SPDX-License-Identifier: MIT
#include "fit/beam/likelihood_field.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/f64.hpp>

#include "fit/beam/scans.hpp"
#include "fit/estimator.hpp"
#include "fit/uncertainty.hpp"

namespace fathom {

namespace {

/// The lower envelope of parabolas with their feet at the cells of a row or a column.
class Envelope {
 public:
  explicit Envelope(std::size_t cells) : foot_(cells), from_(cells + 1) {}

  /// `height` [cells]: squared distances across the line, at most `far`. Writes the least of
  /// height[q] + (c - q)^2 over q, or `far` where that is less.
  void lower(const std::vector<std::uint32_t>& height, std::uint32_t far, std::uint32_t* out) {
    std::size_t count = 0;
    for (std::size_t q = 0; q < height.size(); ++q) {
      if (height[q] < far) count = add(height, q, count);
    }
    std::size_t k = 0;
    for (std::size_t c = 0; c < height.size(); ++c) {
      if (count == 0) {
        out[c] = far;
        continue;
      }
      while (k + 1 < count && from_[k + 1] < static_cast<double>(c)) ++k;
      const std::uint64_t apart = c > foot_[k] ? c - foot_[k] : foot_[k] - c;
      out[c] = static_cast<std::uint32_t>(std::min<std::uint64_t>(far, height[foot_[k]] + apart * apart));
    }
  }

 private:
  std::size_t add(const std::vector<std::uint32_t>& height, std::size_t q, std::size_t count) {
    double from = -std::numeric_limits<double>::infinity();
    for (; count > 0; --count) {
      const auto a = static_cast<double>(foot_[count - 1]), b = static_cast<double>(q);
      from = (height[q] + b * b - height[foot_[count - 1]] - a * a) / (2.0 * (b - a));
      if (from > from_[count - 1]) break;
      from = -std::numeric_limits<double>::infinity();
    }
    foot_[count] = q;
    from_[count] = from;
    return count + 1;
  }

  std::vector<std::size_t> foot_;
  std::vector<double> from_;  // where a parabola becomes the lowest
};

}  // namespace

DistanceField::DistanceField(const GridMap& map, double max_distance_m)
    : resolution_m_(map.resolution_m), max_distance_m_(max_distance_m), rows_(map.rows), cols_(map.cols) {
  validate(map);
  const double cells = max_distance_m / map.resolution_m;
  if (!(max_distance_m > 0.0 && cells <= kMostCells)) {
    throw InputError(Setting{"max_distance_m"},
                     fmt::format(" = {} is not above 0 and at most {:g} m, {} cells of the map", max_distance_m,
                                 kMostCells * map.resolution_m, kMostCells));
  }
  far_ = static_cast<std::uint32_t>(std::ceil(cells * cells));
  const auto [sine, cosine] = math::sincos(map.world_from_map.yaw_rad);
  sin_ = sine, cos_ = cosine, x_m_ = map.world_from_map.x_m, y_m_ = map.world_from_map.y_m;
  std::vector<std::uint32_t> level(std::size_t{rows_} * cols_), column(rows_), of_column(rows_), row(cols_);
  Envelope along_columns(rows_), along_rows(cols_);
  for (std::size_t c = 0; c < cols_; ++c) {
    for (std::size_t r = 0; r < rows_; ++r) column[r] = map.cells[r * cols_ + c] == Cell::kOccupied ? 0 : far_;
    along_columns.lower(column, far_, of_column.data());
    for (std::size_t r = 0; r < rows_; ++r) level[r * cols_ + c] = of_column[r];
  }
  for (std::size_t r = 0; r < rows_; ++r) {
    std::copy_n(level.data() + r * cols_, cols_, row.data());
    along_rows.lower(row, far_, level.data() + r * cols_);
  }
  level_ = std::make_shared<const std::vector<std::uint32_t>>(std::move(level));
}

CellLookup cell_lookup(Localizer localizer) {
  return localizer == Localizer::kBeluga ? CellLookup::kContaining : CellLookup::kRounded;
}

DistanceField DistanceField::looked_up(CellLookup lookup) const {
  DistanceField field = *this;
  field.rounding_ = lookup == CellLookup::kRounded ? 0.5 : 0.0;
  return field;
}

std::uint32_t DistanceField::level_at(double x_m, double y_m) const {
  const double dx = x_m - x_m_, dy = y_m - y_m_;
  const double col = std::floor((cos_ * dx + sin_ * dy) / resolution_m_ + rounding_);
  const double row = std::floor((cos_ * dy - sin_ * dx) / resolution_m_ + rounding_);
  if (!(col >= 0.0 && row >= 0.0 && col < cols_ && row < rows_)) return far_;
  return (*level_)[static_cast<std::size_t>(row) * cols_ + static_cast<std::size_t>(col)];
}

double DistanceField::distance_m(std::uint32_t level) const {
  if (level >= far_) return max_distance_m_;
  return std::min(max_distance_m_, std::sqrt(static_cast<double>(level)) * resolution_m_);
}

namespace {

constexpr std::size_t kPosesOfATask = 64;

bool is_finite(const PlanarPose& pose) {
  return std::isfinite(pose.x_m) && std::isfinite(pose.y_m) && std::isfinite(pose.yaw_rad);
}

/// Calls add(level) for the ends of readings of a scan that was made at `pose`.
template <class Add>
void for_each_level(const PlanarPose& pose, const ReadingEnds& ends, const DistanceField& field, const Add& add) {
  const auto [sine, cosine] = math::sincos(pose.yaw_rad);
  for (std::size_t k = 0; k < ends.x_m.size(); ++k) {
    add(field.level_at(pose.x_m + cosine * ends.x_m[k] - sine * ends.y_m[k],
                       pose.y_m + sine * ends.x_m[k] + cosine * ends.y_m[k]));
  }
}

/// log f by level.
std::vector<double> log_densities(const LikelihoodFieldModel& model, const DistanceField& field) {
  std::vector<double> log_f(field.levels());
  for (std::uint32_t level = 0; level < field.levels(); ++level) {
    log_f[level] = std::log(model.density(field.distance_m(level)));
  }
  return log_f;
}

}  // namespace

void LikelihoodFieldModel::check() const {
  check_sum_is_one(kSlug, "w_hit + w_rand", w_hit + w_rand);
  check_in_range(kSlug, "min_range_m", min_range_m, 0, max_range_m, "m");
}

double LikelihoodFieldModel::density(double distance_m) const {
  return w_hit * math::normal_density(distance_m / sigma_hit_m) / sigma_hit_m + w_rand / max_range_m;
}

bool LikelihoodFieldModel::counts(double reading_m) const {
  return reading_m >= min_range_m && reading_m >= 0.0 && !reaches(reading_m, max_range_m);
}

ReadingEnds reading_ends(const ScanLog& log, std::uint32_t scan, const LikelihoodFieldModel& model,
                         std::size_t ray_step) {
  if (scan >= log.scans()) throw InputError(fmt::format("scan {} is not in [0, {})", scan, log.scans()));
  check_in_range("score", "ray_step", static_cast<double>(ray_step), 1, 1e6, "1");
  ReadingEnds ends;
  for (std::size_t ray = 0; ray < log.rays(); ray += ray_step) {
    const double range_m = log.scan(scan)[ray];
    if (!model.counts(range_m)) continue;
    const PlanarPose from = ray_of(log, scan, ray);
    const auto [sine, cosine] = math::sincos(from.yaw_rad);
    ends.x_m.push_back(from.x_m + range_m * cosine);
    ends.y_m.push_back(from.y_m + range_m * sine);
  }
  return ends;
}

FieldData make_field_data(const ScanLog& log, std::span<const std::uint32_t> scans, const DistanceField& field,
                          const LikelihoodFieldModel& model) {
  validate(log);
  if (scans.empty()) throw InputError("no scans are selected");
  FieldData data;
  for (const std::uint32_t scan : scans) {
    for_each_level(log.pose[scan], reading_ends(log, scan, model), field, [&](std::uint32_t level) {
      data.level.push_back(level);
      data.scan.push_back(scan);
    });
  }
  return data;
}

double field_nats_per_reading(const FieldData& data, const DistanceField& field, const LikelihoodFieldModel& model) {
  validate(model);
  const std::vector<double> log_f = log_densities(model, field);
  double sum = 0.0;
  for (const std::uint32_t level : data.level) sum += log_f.at(level);
  return sum / static_cast<double>(data.level.size());
}

FieldScorer::FieldScorer(const LikelihoodFieldModel& model, const DistanceField& field, const Compute& compute)
    : field_(&field) {
  validate(model);
  validate(compute);
  log_f_ = log_densities(model, field);
  executor_ = make_executor(compute.threads);
}

void FieldScorer::score(std::span<const PlanarPose> poses, const ReadingEnds& ends, std::span<double> out) {
  if (poses.size() != out.size()) {
    throw InputError(fmt::format("room for {} scores given for {} poses", out.size(), poses.size()));
  }
  for (std::size_t i = 0; i < poses.size(); ++i) {
    if (!is_finite(poses[i])) throw InputError(fmt::format("pose {} is not finite", i));
  }
  executor_->parallel_for(poses.size(), kPosesOfATask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      double sum = 0.0;
      for_each_level(poses[i], ends, *field_, [&](std::uint32_t level) { sum += log_f_[level]; });
      out[i] = sum;
    }
  });
}

// The likelihood field learned by expectation maximisation, and its standard errors from the derivatives of each
// reading by w_hit and sigma.

namespace {

/// Of one reading, by w_hit and sigma: derivatives of log f, and the observed information.
struct FieldCurvature {
  Eigen::Vector2d score;
  Eigen::Matrix2d information;

  FieldCurvature(const LikelihoodFieldModel& m, double distance_m) {
    const double s = m.sigma_hit_m, t = distance_m * distance_m / (s * s);
    const double g = math::normal_density(distance_m / s) / s, u = 1.0 / m.max_range_m;
    const double f = m.w_hit * g + m.w_rand * u;
    const double g1 = g * (t - 1.0) / s, g2 = g * ((t - 1.0) * (t - 1.0) + 1.0 - 3.0 * t) / (s * s);
    score = {(g - u) / f, m.w_hit * g1 / f};
    information = score * score.transpose() - Eigen::Matrix2d{{0.0, g1 / f}, {g1 / f, m.w_hit * g2 / f}};
  }
};

/// [blocks, 2], by w_hit and sigma. `scan`: counted_scans() of the data.
Eigen::MatrixXd scores_of_blocks(const FieldData& data, const ScanNumbers& scan, const DistanceField& field,
                                 const LikelihoodFieldModel& model, const TrajectoryBlocks& blocks) {
  Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(blocks.count, 2);
  for (std::size_t i = 0; i < scan.size(); ++i) {
    sums.row(blocks.of_scan(scan[i])) += FieldCurvature(model, field.distance_m(data.level[i])).score.transpose();
  }
  return sums;
}

/// The likelihood field as a Likelihood with an EM step, over the number of readings that end at each level. `field`
/// must outlive it.
class FieldLikelihood {
 public:
  FieldLikelihood(const FieldData& data, const DistanceField& field, const LikelihoodFieldModel& start)
      : field_(field), model_(start), count_(field.levels()), floor_m_(field.cell_m() / std::sqrt(12.0)) {
    for (const std::uint32_t level : data.level) {
      if (level >= field.levels()) throw InputError(fmt::format("level {} is not of this field", level));
      count_[level] += 1.0;
    }
    readings_ = data.level.size();
    model_.sigma_hit_m = std::max(start.sigma_hit_m, floor_m_);
    for (std::size_t k = 0; k < 3; ++k) numbers_.add(LikelihoodFieldModel::fields()[k], model_);
  }
  FieldLikelihood(const FieldLikelihood&) = delete;

  [[nodiscard]] std::size_t size() const { return readings_; }
  [[nodiscard]] std::size_t parameters() const { return numbers_.limits().size(); }
  [[nodiscard]] Interval limits(std::size_t k) const { return numbers_.limits()[k]; }
  double total(std::span<const double> values) {
    numbers_.set(values);
    double sum = 0.0;
    for_each_level([&](double count, double distance_m) { sum += count * std::log(model_.density(distance_m)); });
    return sum;
  }

  EmStep m_step(const std::vector<double>& values, double /*before*/) {
    const double log_likelihood = total(values);
    double hits = 0.0, squares = 0.0;
    for_each_level([&](double count, double d) {
      const double hit = count * (1.0 - model_.w_rand / model_.max_range_m / model_.density(d));
      hits += hit, squares += hit * d * d;
    });
    model_.w_hit = std::clamp(hits / static_cast<double>(readings_), 0.0, 1.0);
    model_.w_rand = 1.0 - model_.w_hit;
    if (hits > 0.0) model_.sigma_hit_m = std::max(floor_m_, std::sqrt(squares / hits));
    return {log_likelihood, numbers_.values()};
  }
  [[nodiscard]] static bool has_settled() { return true; }

  [[nodiscard]] const LikelihoodFieldModel& model_at(std::span<const double> values) {
    numbers_.set(values);
    return model_;
  }
  [[nodiscard]] const ModelNumbers& numbers() const { return numbers_; }
  [[nodiscard]] double floor_m() const { return floor_m_; }
  /// Of the present model, by w_hit and sigma.
  [[nodiscard]] Eigen::Matrix2d information() const {
    Eigen::Matrix2d sum = Eigen::Matrix2d::Zero();
    for_each_level([&](double count, double d) { sum += count * FieldCurvature(model_, d).information; });
    return sum;
  }

 private:
  template <class Use>
  void for_each_level(const Use& use) const {
    for (std::uint32_t level = 0; level < field_.levels(); ++level) {
      if (count_[level] > 0.0) use(count_[level], field_.distance_m(level));
    }
  }

  const DistanceField& field_;
  LikelihoodFieldModel model_;
  ModelNumbers numbers_;       // w_hit, w_rand and sigma of model_
  std::vector<double> count_;  // [levels]
  std::size_t readings_ = 0;
  double floor_m_;
};

/// Flags limits. Returns which of w_hit and sigma are inside them.
std::vector<std::size_t> flag_limits(double floor_m, FieldFit& fit) {
  const LikelihoodFieldModel& model = fit.model;
  const bool no_rand = !(model.w_rand > kWeightBoundary), no_hits = !(model.w_hit > kWeightBoundary);
  const bool at_floor = model.sigma_hit_m <= floor_m * (1.0 + 1e-9);
  add_limit_flag(no_rand, "w_rand", "its boundary 0", fit);
  add_limit_flag(no_hits, "w_hit", "its boundary 0", fit);
  add_limit_flag(at_floor, "sigma_hit_m", "its floor, the size of a cell / sqrt(12)", fit);
  if (no_rand || no_hits) fit.parameters[0].status = fit.parameters[1].status = Fit::Status::kAtLimit;
  std::vector<std::size_t> free;
  if (!no_rand && !no_hits) free.push_back(0);
  if (!no_hits && !at_floor) free.push_back(1);
  return free;
}

}  // namespace

FieldFit fit_likelihood_field(const FieldData& data, const DistanceField& field, const LikelihoodFieldModel& start,
                              const FieldFitOptions& options) {
  validate(start);
  const MaximiseOptions climb = maximise_options(options);
  if (data.scan.size() != data.level.size()) {
    throw InputError(fmt::format("{} scans given for {} readings", data.scan.size(), data.level.size()));
  }
  if (data.level.empty()) throw InputError("no reading carries evidence");
  FieldLikelihood likelihood(data, field, start);
  const Maximum maximum = maximise(likelihood, likelihood.numbers().values(), climb);
  FieldFit fit;
  fit.model = likelihood.model_at(maximum.values);
  fit.parameters = likelihood.numbers().parameters();
  fit.readings = data.level.size();
  take_maximum(maximum, fit);
  const ScanNumbers scan = counted_scans(data.scan);
  const TrajectoryBlocks blocks(scan.back() + std::uint64_t{1}, options.stretches, options.stretch_of_scan);
  const Curvature curvature = {.information = likelihood.information(),
                               .scores = scores_of_blocks(data, scan, field, fit.model, blocks),
                               .slope = Eigen::Matrix<double, 3, 2>{{1.0, 0.0}, {-1.0, 0.0}, {0.0, 1.0}},
                               .free = flag_limits(likelihood.floor_m(), fit)};
  add_std_errors(curvature, blocks, likelihood.numbers().limits(), fit);
  return fit;
}

}  // namespace fathom
