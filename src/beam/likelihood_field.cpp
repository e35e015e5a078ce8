// SPDX-License-Identifier: MIT
#include <fathom/beam/likelihood_field.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/math/trigonometry.hpp>

#include "base/executor.hpp"

namespace fathom {

namespace {

constexpr std::size_t kPosesOfATask = 64;

bool is_finite(const PlanarPose& pose) {
  return std::isfinite(pose.x_m) && std::isfinite(pose.y_m) && std::isfinite(pose.yaw_rad);
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
  const std::span<const RayOffset> offsets = log.offsets(scan);
  ReadingEnds ends;
  for (std::size_t ray = 0; ray < log.rays(); ray += ray_step) {
    const double range_m = log.scan(scan)[ray];
    if (!model.counts(range_m)) continue;
    const RayOffset o = offsets.empty() ? RayOffset{} : offsets[ray];
    const auto [sine, cosine] = math::sincos(log.azimuth_rad[ray] + o.yaw_rad);
    ends.x_m.push_back(o.x_m + range_m * cosine);
    ends.y_m.push_back(o.y_m + range_m * sine);
  }
  return ends;
}

FieldData make_field_data(const ScanLog& log, std::span<const std::uint32_t> scans, const DistanceField& field,
                          const LikelihoodFieldModel& model) {
  validate(log);
  if (scans.empty()) throw InputError("no scans are selected");
  FieldData data;
  for (const std::uint32_t scan : scans) {
    const ReadingEnds ends = reading_ends(log, scan, model);
    const auto [sine, cosine] = math::sincos(log.pose[scan].yaw_rad);
    for (std::size_t i = 0; i < ends.x_m.size(); ++i) {
      data.level.push_back(field.level_at(log.pose[scan].x_m + cosine * ends.x_m[i] - sine * ends.y_m[i],
                                          log.pose[scan].y_m + sine * ends.x_m[i] + cosine * ends.y_m[i]));
      data.scan.push_back(scan);
    }
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

class FieldScorer::Impl {
 public:
  Impl(const LikelihoodFieldModel& model, const DistanceField& field, const Compute& compute) : field_(field) {
    validate(model);
    validate(compute);
    log_f_ = log_densities(model, field);
    executor_ = make_executor(compute.threads);
  }

  void score(std::span<const PlanarPose> poses, const ReadingEnds& ends, std::span<double> out) {
    if (poses.size() != out.size()) {
      throw InputError(fmt::format("room for {} scores given for {} poses", out.size(), poses.size()));
    }
    for (std::size_t i = 0; i < poses.size(); ++i) {
      if (!is_finite(poses[i])) throw InputError(fmt::format("pose {} is not finite", i));
    }
    executor_->parallel_for(poses.size(), kPosesOfATask, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) out[i] = score_one(poses[i], ends);
    });
  }

 private:
  [[nodiscard]] double score_one(const PlanarPose& pose, const ReadingEnds& ends) const {
    const auto [sine, cosine] = math::sincos(pose.yaw_rad);
    double sum = 0.0;
    for (std::size_t k = 0; k < ends.x_m.size(); ++k) {
      sum += log_f_[field_.level_at(pose.x_m + cosine * ends.x_m[k] - sine * ends.y_m[k],
                                    pose.y_m + sine * ends.x_m[k] + cosine * ends.y_m[k])];
    }
    return sum;
  }

  const DistanceField& field_;
  std::vector<double> log_f_;  // [levels]
  std::unique_ptr<Executor> executor_;
};

FieldScorer::FieldScorer(const LikelihoodFieldModel& model, const DistanceField& field, const Compute& compute)
    : impl_(std::make_unique<Impl>(model, field, compute)) {}
FieldScorer::~FieldScorer() = default;
FieldScorer::FieldScorer(FieldScorer&&) noexcept = default;
FieldScorer& FieldScorer::operator=(FieldScorer&&) noexcept = default;

void FieldScorer::score(std::span<const PlanarPose> poses, const ReadingEnds& ends, std::span<double> out) {
  impl_->score(poses, ends, out);
}

}  // namespace fathom
