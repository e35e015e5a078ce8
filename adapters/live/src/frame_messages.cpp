// SPDX-License-Identifier: MIT
#include "live/frame_messages.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "io/message/cdr.hpp"
#include "io/message/sensors.hpp"
#include "sensor/noise_access.hpp"

namespace fathom {

namespace {

constexpr std::uint8_t kUint8 = 2, kUint32 = 6, kFloat32 = 7;  // types of sensor_msgs/msg/PointField

/// The header of a cloud [rows, cols] in which every point is a `Point`.
template <class Point>
msg::PointCloud2 cloud_of(std::uint32_t rows, std::uint32_t cols, std::span<const Point> points, std::uint32_t step) {
  msg::PointCloud2 cloud;
  cloud.height = rows, cloud.width = cols;
  cloud.point_step = step, cloud.row_step = step * cols;
  cloud.point_fields = {{"x", 0, kFloat32, 1}, {"y", 4, kFloat32, 1}, {"z", 8, kFloat32, 1}};
  cloud.data = std::as_bytes(points);
  return cloud;
}

#pragma pack(push, 1)
struct LivePoint {
  float x, y, z, clean_range_m;
  std::uint32_t entity;
  std::uint8_t reason;
};
#pragma pack(pop)
static_assert(sizeof(LivePoint) == 21);

}  // namespace

std::string points_message(const Frame& frame, std::string_view frame_id) {
  std::vector<LivePoint> points(frame.rays());  // of return 0: the page finds the ray of a point by its position
  const Frame::Points hits = frame.hit_sensor_m();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const float clean = frame.clean_range_m()[i];
    points[i] = {hits.x[i],
                 hits.y[i],
                 hits.z[i],
                 std::isfinite(clean) ? clean : std::numeric_limits<float>::quiet_NaN(),
                 frame.entity_id()[i],
                 static_cast<std::uint8_t>(frame.reason()[i])};
  }
  auto cloud = cloud_of<LivePoint>(frame.rows(), frame.cols(), points, sizeof(LivePoint));
  cloud.header = {msg::time_of(frame.stamp_s()), std::string(frame_id)};
  cloud.point_fields.push_back({"clean_range", offsetof(LivePoint, clean_range_m), kFloat32, 1});
  cloud.point_fields.push_back({"entity", offsetof(LivePoint, entity), kUint32, 1});
  cloud.point_fields.push_back({"reason", offsetof(LivePoint, reason), kUint8, 1});
  cloud.is_dense = false;
  return write_message(cloud);
}

std::string rays_message(const RayPattern& pattern, double stamp_s, std::string_view frame_id) {
  std::vector<std::array<float, 3>> rays(pattern.direction_x.size());
  for (std::size_t i = 0; i < rays.size(); ++i) {
    rays[i] = {pattern.direction_x[i], pattern.direction_y[i], pattern.direction_z[i]};
  }
  auto cloud = cloud_of<std::array<float, 3>>(pattern.rows, pattern.cols, rays, sizeof(rays[0]));
  cloud.header = {msg::time_of(stamp_s), std::string(frame_id)};
  return write_message(cloud);
}

namespace {

constexpr std::size_t kBins = 60;
constexpr double kTail = 1e-3;           // share of the errors beyond each end
constexpr double kLeastHalfM = 1e-4;     // of a histogram
constexpr std::size_t kRangeBins = 200;  // of ranges: the standard deviation changes little within one

/// Whether a model lets the deviation grow with the range.
bool grows(const Noise& noise) {
  const auto learned = noise.learned();
  return std::any_of(learned.begin(), learned.end(), [&](const LearnedField& field) {
    return field.role == LearnedRole::kGrowth && noise.number(field.field) != 0.0;
  });
}

/// The law of measured ranges where the clean one is `range_m`: a normal error, a uniform one or both. Nothing for
/// other chains.
std::optional<MeasuredRangeLaw> law_of(const NoiseChain& chain, double range_m) {
  constexpr std::array kHarmless = {Stage::kAngleLoss, Stage::kShadow,   Stage::kEnergyLoss,
                                    Stage::kEdgeLoss,  Stage::kHitPoint, Stage::kDropout};
  MeasuredRangeLaw law = MeasuredRangeLaw::of_clean(range_m);
  for (const ChainEntry& entry : chain) {
    const Noise& noise = entry.noise;
    if (std::find(kHarmless.begin(), kHarmless.end(), noise.stage()) != kHarmless.end()) continue;
    if (!entry.by_entity.empty() || !entry.by_ring.empty()) return std::nullopt;
    if (noise.is_identity()) continue;
    const auto act = detail::NoiseAccess::hooks(noise).act;
    if (noise.stage() != Stage::kRange || act == nullptr) return std::nullopt;
    if (law.is_random() && grows(noise)) return std::nullopt;  // the law would be an estimate
    act(detail::NoiseAccess::model(noise), law);
  }
  const bool is_known = law.unknown.empty() && !law.from_disparity && law.student_m == 0.0;
  return is_known && law.is_random() ? std::optional(law) : std::nullopt;
}

}  // namespace

ErrorHistogram make_error_histogram(std::vector<float> errors_m) {
  ErrorHistogram histogram;
  double low = -kLeastHalfM, high = kLeastHalfM;
  if (!errors_m.empty()) {
    const auto tail = static_cast<std::ptrdiff_t>(kTail * static_cast<double>(errors_m.size()));
    const auto first = errors_m.begin() + tail, last = errors_m.end() - 1 - tail;
    std::nth_element(errors_m.begin(), first, errors_m.end());
    low = std::min(low, double{*first});
    std::nth_element(errors_m.begin(), last, errors_m.end());
    high = std::max(high, double{*last});
  }
  const double width = (high - low) / static_cast<double>(kBins);
  for (std::size_t i = 0; i <= kBins; ++i) histogram.edges_m.push_back(low + width * static_cast<double>(i));
  histogram.counts.resize(kBins);
  for (const float error : errors_m) {
    const double bin = std::floor((double{error} - low) / width);
    if (bin >= 0 && bin < static_cast<double>(kBins)) ++histogram.counts[static_cast<std::size_t>(bin)];
  }
  return histogram;
}

std::optional<std::vector<double>> error_density(const NoiseChain& chain, std::span<const float> clean_ranges_m,
                                                 std::span<const double> errors_m) {
  if (clean_ranges_m.empty()) return std::nullopt;
  const auto [low, high] = std::minmax_element(clean_ranges_m.begin(), clean_ranges_m.end());
  const double least = *low, width = std::max(double{*high} - least, 1e-9) / static_cast<double>(kRangeBins);
  std::array<double, kRangeBins> shares = {};
  for (const float range : clean_ranges_m) {
    const auto bin = static_cast<std::size_t>((double{range} - least) / width);
    shares[std::min(bin, kRangeBins - 1)] += 1.0 / static_cast<double>(clean_ranges_m.size());
  }
  std::vector<double> density_per_m(errors_m.size());
  for (std::size_t bin = 0; bin < kRangeBins; ++bin) {
    if (shares[bin] == 0) continue;
    const double range_m = least + width * (static_cast<double>(bin) + 0.5);
    const auto law = law_of(chain, range_m);
    if (!law) return std::nullopt;
    for (std::size_t i = 0; i < errors_m.size(); ++i)
      density_per_m[i] += shares[bin] * density(*law, range_m + errors_m[i]);
  }
  return density_per_m;
}

}  // namespace fathom
