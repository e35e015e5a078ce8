// SPDX-License-Identifier: MIT
#include "report/field_shares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include <fathom/math/trigonometry.hpp>

#include "report/mixture_shares.hpp"

namespace fathom {

namespace {

constexpr std::size_t kMostModelledRays = 8192;
constexpr double kMostPoints = 4e7;  // on all rays
constexpr double kPointsOfACell = 2.0;

/// Rays, spread over all of them so that no pattern of a scan is met again and again.
std::vector<std::size_t> spread_rays(std::size_t all, std::size_t most) {
  const std::size_t count = std::min(all, most);
  std::vector<std::size_t> chosen;
  for (std::size_t k = 0; k < count; ++k) {
    const double within = std::fmod(static_cast<double>(k) / std::numbers::phi, 1.0);
    chosen.push_back(
        std::min(all - 1, static_cast<std::size_t>((static_cast<double>(k) + within) * static_cast<double>(all) /
                                                   static_cast<double>(count))));
  }
  return chosen;
}

/// Adds up what the model expects along rays.
class ExpectedAlongRays {
 public:
  ExpectedAlongRays(const DistanceField& field, const LikelihoodFieldModel& model)
      : field_(field), model_(model), hit_(field.levels()), share_(field.levels()) {
    for (std::uint32_t level = 0; level < field.levels(); ++level) {
      hit_[level] = math::normal_density(field.distance_m(level) / model.sigma_hit_m);
    }
    step_m_ = field.cell_m() / kPointsOfACell;
    points_ = static_cast<std::size_t>(std::max(1.0, std::floor((model.max_range_m - model.min_range_m) / step_m_)));
    level_.resize(points_);
  }

  [[nodiscard]] std::size_t points() const { return points_; }
  [[nodiscard]] std::vector<double>& share() { return share_; }

  void add(double x_m, double y_m, double yaw_rad) {
    const auto [sine, cosine] = math::sincos(yaw_rad);
    double hits = 0.0;
    for (std::size_t i = 0; i < points_; ++i) {
      const double z = model_.min_range_m + (static_cast<double>(i) + 0.5) * step_m_;
      level_[i] = field_.level_at(x_m + cosine * z, y_m + sine * z);
      hits += hit_[level_[i]];
    }
    // A ray that passes no occupied cell has no hits.
    const double of_hits = hits > 0.0 ? model_.w_hit / hits : 0.0,
                 of_rand = (hits > 0.0 ? model_.w_rand : 1.0) / static_cast<double>(points_);
    for (const std::uint32_t level : level_) share_[level] += of_hits * hit_[level] + of_rand;
  }

 private:
  const DistanceField& field_;
  const LikelihoodFieldModel& model_;
  std::vector<double> hit_, share_;   // [levels]
  std::vector<std::uint32_t> level_;  // [points], of one ray
  double step_m_ = 0.0;
  std::size_t points_ = 0;
};

}  // namespace

void add_expected_shares(const ScanLog& log, std::span<const std::uint32_t> scans, const DistanceField& field,
                         FieldReport& report) {
  ExpectedAlongRays expected(field, report.fit.model);
  const auto most = static_cast<std::size_t>(std::max(64.0, kMostPoints / static_cast<double>(expected.points())));
  for (const std::size_t at : spread_rays(scans.size() * log.rays(), std::min(kMostModelledRays, most))) {
    const std::uint32_t scan = scans[at / log.rays()];
    const std::size_t ray = at % log.rays();
    if (!report.fit.model.counts(double{log.scan(scan)[ray]})) continue;
    const PlanarPose& pose = log.pose[scan];
    const std::span<const RayOffset> offsets = log.offsets(scan);
    const RayOffset o = offsets.empty() ? RayOffset{} : offsets[ray];
    const auto [sine, cosine] = math::sincos(pose.yaw_rad);
    expected.add(pose.x_m + cosine * double{o.x_m} - sine * double{o.y_m},
                 pose.y_m + sine * double{o.x_m} + cosine * double{o.y_m},
                 pose.yaw_rad + log.azimuth_rad[ray] + double{o.yaw_rad});
    ++report.modelled;
  }
  const double rays = static_cast<double>(std::max<std::size_t>(1, report.modelled));
  for (std::uint32_t level = 0; level < field.levels(); ++level) {
    if (expected.share()[level] == 0.0) continue;
    report.level_m.push_back(field.distance_m(level));
    report.level_share.push_back(expected.share()[level] / rays);
  }
}

FieldShare share_between(const FieldReport& report, double low_m, double high_m) {
  const auto is_in = [&](double d) { return d >= low_m && d < high_m; };
  FieldShare share;
  share.readings = static_cast<double>(std::ranges::count_if(report.distance_m, is_in)) /
                   static_cast<double>(std::max<std::size_t>(1, report.distance_m.size()));
  for (std::size_t i = 0; i < report.level_m.size(); ++i) {
    if (is_in(report.level_m[i])) share.expected += report.level_share[i];
  }
  return share;
}

bool disagree(const FieldShare& share, const FieldReport& report) {
  MixtureShares shares;
  shares.pairs = report.distance_m.size(), shares.modelled = report.modelled;
  return disagree(share.readings, share.expected, shares);
}

std::vector<std::string> field_disagreements(const FieldReport& report) {
  std::vector<std::string> found;
  const double sigma_m = report.fit.model.sigma_hit_m;
  const auto compare = [&](const std::string& where, const FieldShare& share, std::string_view more,
                           std::string_view less) {
    if (!disagree(share, report)) return;
    found.push_back(fmt::format("{}: {:.2f} % of the readings, {:.2f} % by the model: {}", where,
                                100.0 * share.readings, 100.0 * share.expected,
                                share.readings > share.expected ? more : less));
  };
  compare(fmt::format("{:g} to {:g} sigma from occupied cells", kFieldCoreSigmas, kFieldTailSigmas),
          share_between(report, kFieldCoreSigmas * sigma_m, kFieldTailSigmas * sigma_m),
          "tails heavier than the model's", "tails lighter than the model's");
  compare(fmt::format("more than {:g} sigma from occupied cells", kFieldTailSigmas),
          share_between(report, kFieldTailSigmas * sigma_m, std::numeric_limits<double>::infinity()),
          "surfaces of the map are missing, or poses are wrong",
          "random readings are not spread over all ranges, as the model has them, but lie near the map's surfaces");
  return found;
}

}  // namespace fathom
