// SPDX-License-Identifier: MIT
#include "calibrate/wall_work.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/base/executor.hpp>
#include <fathom/math/trigonometry.hpp>

#include "base/counts.hpp"
#include "base/median.hpp"
#include "calibrate/wall_correlation.hpp"
#include "calibrate/wall_pixels.hpp"
#include "calibrate/wall_region.hpp"
#include "calibrate/wall_returns.hpp"
#include "fit/uncertainty.hpp"

namespace fathom {

namespace {

constexpr std::size_t kMostScalePairs = 20'000;
constexpr std::size_t kLeastToCompare = 5;
constexpr double kMostRestless = 4.0;
constexpr int kRegionGrowths = 3;
/// Planes take a part of the error of a ring, and give it to the others: the worst are found first.
constexpr std::array kRingParts = {0.3, 0.3, 0.1, 0.03};
constexpr double kBinDeg = 5.0, kAlikeShare = 0.01, kAlikeRad = std::numbers::pi / 180.0;

/// What one frame gives.
struct FramePart {
  std::vector<WallBinSums> by_range, by_incidence;
  std::vector<std::size_t> errors;
  double square = 0.0;
  std::array<std::size_t, 6> pixels{};  ///< by WallPixel
  std::size_t hidden = 0;
  double reach_m = 0.0;                                                          ///< of the farthest reading
  double nearest_m = std::numeric_limits<double>::infinity(), farthest_m = 0.0;  ///< of the wall, along rays
};

class FrameMeter {
 public:
  FrameMeter(const WallFrames& frames, const WallOptions& options, WallWork& work)
      : frames_(frames),
        options_(options),
        w_(work),
        executor_(make_executor(options.threads)),
        parts_(frames.frames()),
        regions_(frames.frames()),
        scales_(frames.frames()) {
    const std::size_t count = frames.frames(), rays = w_.rays.size();
    w_.fits.resize(count), w_.sums.resize(count);
    w_.measure.planes.resize(count);
    w_.measure.pixels.assign(count * rays, WallPixel::kLeftOut);
    w_.measure.residual.assign(count * rays, std::numeric_limits<float>::quiet_NaN());
  }

  void run(const WallMeasure* like) {
    each_frame([&](std::size_t f) { fit(f, std::nullopt); });
    if (w_.rays.has_disparity()) drop_restless();
    find_scale();
    if (!w_.rays.has_disparity()) each_frame([&](std::size_t f) { refit(f); });
    const auto found = std::count_if(w_.fits.begin(), w_.fits.end(), [](const auto& fit) { return fit.has_value(); });
    if (found == 0) refuse();
    if (static_cast<double>(found) < kLeastShown * static_cast<double>(parts_.size())) {
      throw InputError(
          fmt::format("{} of {} frames show a wall, fewer than one in twenty: these are no frames of a wall", found,
                      parts_.size()));
    }
    each_frame([&](std::size_t f) { parts_[f].reach_m = farthest_reading(f); });
    find_reach();
    // What is no wall there is left out already.
    if (like != nullptr) w_.rays.reach_m = std::numeric_limits<double>::infinity();
    const BorderLosses border =
        options_.border.value_or(frames_.sensor.camera ? BorderLosses::kOfWall : BorderLosses::kNotKnown);
    const auto name_all = [&] {
      each_frame([&](std::size_t f) { name(f, like != nullptr ? BorderLosses::kOfWall : border); });
    };
    name_all();
    for (const double part : kRingParts) {
      if (!find_ring_errors(part)) break;
      each_frame([&](std::size_t f) { fit_without_ring_errors(f); });
      name_all();
    }
    make_bins(like);
    each_frame([&](std::size_t f) { sum(f); });
    if (has_time()) each_frame([&](std::size_t f) { sum_in_time(f); });
    add_up();
  }

 private:
  /// Of turns a ray is not the same in the next frame.
  [[nodiscard]] bool has_time() const { return options_.still && !w_.turns; }

  template <class F>
  void each_frame(F f) {
    executor_->parallel_for(parts_.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t frame = begin; frame < end; ++frame) f(frame);
    });
  }

  [[nodiscard]] std::span<const float> measured(std::size_t f) const {
    return std::span(frames_.measured_m).subspan(f * w_.rays.size(), w_.rays.size());
  }
  [[nodiscard]] std::span<const std::uint8_t> left_out(std::size_t f) const {
    if (frames_.left_out.empty()) return {};
    const std::size_t rays = w_.rays.size();
    return std::span(frames_.left_out).subspan(frames_.left_out.size() == rays ? 0 : f * rays, rays);
  }
  /// Whether ray i has a reading that is not left out, nor of another surface of those that a lidar sees.
  [[nodiscard]] bool is_used(std::size_t f, std::size_t i) const {
    const auto out = left_out(f);
    if (!is_reading(w_.rays, i, measured(f)[i]) || (!out.empty() && out[i] != 0)) return false;
    return regions_[f].empty() || regions_[f][i] != 0;
  }
  [[nodiscard]] std::span<WallPixel> pixels(std::size_t f) {
    return std::span(w_.measure.pixels).subspan(f * w_.rays.size(), w_.rays.size());
  }
  [[nodiscard]] std::span<float> residual(std::size_t f) {
    return std::span(w_.measure.residual).subspan(f * w_.rays.size(), w_.rays.size());
  }

  /// What was measured, without errors of single rings.
  [[nodiscard]] std::vector<float> without_ring_errors(std::size_t f) const {
    std::vector<float> readings(measured(f).begin(), measured(f).end());
    if (w_.rings.empty()) return readings;
    for (std::size_t i = 0; i < readings.size(); ++i) {
      if (!is_reading(w_.rays, i, readings[i])) continue;
      const WallRingError& error = w_.rings[frames_.sensor.lidar->ring[i]];
      readings[i] = static_cast<float>(error.taken_from(double{readings[i]}));
    }
    return readings;
  }

  /// What is used of a frame, else NaN.
  [[nodiscard]] std::vector<float> readings_of(std::size_t f) const {
    std::vector<float> readings = without_ring_errors(f);
    for (std::size_t i = 0; i < readings.size(); ++i) {
      if (!is_used(f, i)) readings[i] = std::numeric_limits<float>::quiet_NaN();
    }
    return readings;
  }

  void fit(std::size_t f, const std::optional<WallScale>& scale) {
    std::string& why_not = w_.measure.planes[f].why_not;
    if (w_.turns && !w_.turns->why_not.empty()) why_not = w_.turns->why_not[f];
    if (w_.turns && !why_not.empty()) return;
    const FrameRays rays = w_.rays_of(f);
    const WallKey key = {options_.seed, static_cast<std::uint32_t>(f)};
    if (w_.rays.sees_more && regions_[f].empty()) {
      auto region = find_region(*rays, readings_of(f), options_.wall.value_or(WallChoice::kLargest), key, why_not);
      if (!region) return;
      regions_[f] = std::move(*region);
    }
    w_.fits[f] = fit_plane(*rays, readings_of(f), frames_.half_step_m, scale, key, why_not);
  }

  /// Frames in which errors are much larger than in most show a wall that is none. Disparities err alike everywhere.
  void drop_restless() {
    std::vector<double> deviations;
    for (const auto& fit : w_.fits) {
      if (fit) deviations.push_back(fit->deviation);
    }
    if (deviations.size() < kLeastToCompare) return;
    const double usual = median(deviations);
    for (std::size_t f = 0; f < parts_.size(); ++f) drop_beyond(f, usual);
  }

  void drop_beyond(std::size_t f, double usual) {
    if (!w_.fits[f] || !(usual > 0.0) || !(w_.fits[f]->deviation > kMostRestless * usual)) return;
    w_.measure.planes[f].why_not = fmt::format("its readings deviate {:.1f} times as much as those of other frames do",
                                               w_.fits[f]->deviation / usual);
    w_.fits[f].reset();
  }

  /// The deviation of all frames together, and that of each, which may be larger.
  void find_scale() {
    w_.scale.half_step_m = frames_.half_step_m;
    if (w_.rays.has_disparity()) {
      double square = 0.0, count = 0.0;
      for (std::size_t f = 0; f < parts_.size(); ++f) {
        if (!w_.fits[f]) continue;
        const double n = static_cast<double>(w_.fits[f]->on_wall), deviation = w_.fits[f]->deviation;
        square += n * deviation * deviation, count += n;
        scales_[f] = {.constant = deviation, .per_m = 0.0, .half_step_m = frames_.half_step_m};
      }
      w_.scale.constant = std::sqrt(square / std::max(count, 1.0));
      return;
    }
    const RangePairs pairs = scale_pairs();
    if (pairs.range_m.size() < 3) return;
    const DistanceCalibration law = calibrate_distance(pairs);
    w_.scale.constant = law.stddev_m.value, w_.scale.per_m = law.stddev_per_m.value;
  }

  /// Some readings within the gate beside the plane.
  [[nodiscard]] RangePairs scale_pairs() const {
    RangePairs pairs;
    std::size_t all = 0;
    for (const auto& fit : w_.fits) all += fit ? fit->on_wall : 0;
    const std::size_t every = all / kMostScalePairs + 1;
    std::size_t seen = 0;
    for (std::size_t f = 0; f < parts_.size(); ++f) {
      if (!w_.fits[f]) continue;
      const double gate = kWallGate * w_.fits[f]->deviation;
      const FrameRays rays = w_.rays_of(f);
      for (std::size_t i = 0; i < w_.rays.size(); ++i) {
        const float value = measured(f)[i];
        if (!is_used(f, i)) continue;
        const double clean = rays->clean_m(i, w_.fits[f]->m);
        if (!(clean > 0.0) || std::abs(w_.rays.error(double{value}, clean)) > gate || seen++ % every != 0) continue;
        pairs.range_m.push_back(static_cast<float>(double{value} * w_.rays.length[i]));
        pairs.expected_m.push_back(static_cast<float>(w_.rays.length[i] * clean));
      }
    }
    return pairs;
  }

  void refit(std::size_t f) {
    if (!w_.fits[f]) return;
    // Errors that grow otherwise than linearly with the range are larger in some frames than the law has them.
    const double middle_m = 1.0 / norm(w_.fits[f]->m);
    const double expected = w_.scale.constant + w_.scale.per_m * middle_m;
    const double times = expected > 0.0 ? std::max(1.0, w_.fits[f]->deviation / expected) : 1.0;
    scales_[f] = {
        .constant = times * w_.scale.constant, .per_m = times * w_.scale.per_m, .half_step_m = frames_.half_step_m};
    // Where it is found among other surfaces, the first plane is too rough to say how far the wall goes.
    for (int round = 0; w_.rays.sees_more && round < kRegionGrowths && w_.fits[f]; ++round) {
      find_region_again(f);
      fit(f, scales_[f]);
    }
    if (!w_.rays.sees_more) fit(f, scales_[f]);
  }

  /// Which readings are of the wall, by the plane that is known and the deviation at every range.
  void find_region_again(std::size_t f) {
    std::vector<WallPixel> named(w_.rays.size(), WallPixel::kLost);
    name_readings(*w_.rays_of(f), measured(f), left_out(f), *w_.fits[f], scales_[f], named);
    for (std::size_t i = 0; i < named.size(); ++i) regions_[f][i] = named[i] == WallPixel::kWall ? 1 : 0;
  }

  [[nodiscard]] double farthest_reading(std::size_t f) const {
    double farthest_m = 0.0;
    if (!w_.fits[f]) return farthest_m;
    const FrameRays rays = w_.rays_of(f);
    for (std::size_t i = 0; i < w_.rays.size(); ++i) {
      if (!is_used(f, i)) continue;
      const double clean = rays->clean_m(i, w_.fits[f]->m);
      if (!(clean > 0.0)) continue;
      const double error = std::abs(w_.rays.error(double{measured(f)[i]}, clean));
      if (error > kWallGate * scales_[f].at(w_.rays, i, clean)) continue;
      farthest_m = std::max(farthest_m, w_.rays.length[i] * clean);
    }
    return farthest_m;
  }

  /// Whether rings of a lidar err by themselves, and so bend the planes.
  bool find_ring_errors(double part) {
    if (frames_.sensor.lidar) w_.rings = ring_errors(w_, *frames_.sensor.lidar, part);
    return !w_.rings.empty();
  }
  void fit_without_ring_errors(std::size_t f) {
    if (!w_.fits[f]) return;
    std::string why_not;
    const WallKey key = {options_.seed, static_cast<std::uint32_t>(f)};
    const auto again = fit_plane(*w_.rays_of(f), readings_of(f), frames_.half_step_m, scales_[f], key, why_not);
    if (again) w_.fits[f] = again;
  }

  /// How far walls were ever seen: what is lost beyond may be beyond the sensor's reach.
  void find_reach() {
    for (const FramePart& part : parts_) w_.rays.reach_m = std::max(w_.rays.reach_m, part.reach_m);
    if (w_.rays.max_range_m > 0.0) w_.rays.reach_m = std::min(w_.rays.reach_m, w_.rays.max_range_m);
  }

  [[noreturn]] void refuse() const {
    throw InputError(w_.name_of(frames_, 0), ": ", w_.measure.planes[0].why_not, beyond_reach(0),
                     parts_.size() > 1 ? "; no frame shows a wall" : "");
  }

  /// How many readings of a planar laser count as lost because they are at its reach or beyond.
  [[nodiscard]] Message beyond_reach(std::size_t f) const {
    const double max_range_m = w_.rays.max_range_m;
    const std::span<const float> readings = measured(f);
    const auto beyond = std::count_if(readings.begin(), readings.end(),
                                      [&](float m) { return std::isfinite(m) && double{m} >= max_range_m; });
    if (!w_.rays.is_planar || max_range_m == 0.0 || beyond == 0) return "";
    return Message(fmt::format(" ({} more {} not below ", beyond, are(static_cast<std::uint64_t>(beyond))),
                   Setting{"max_range_m"}, fmt::format(" = {:g})", max_range_m));
  }

  void name(std::size_t f, BorderLosses border) {
    WallPlane& plane = w_.measure.planes[f];
    if (!w_.fits[f]) return;
    const WallPlaneFit& fit = *w_.fits[f];
    plane.is_found = true, plane.why_not.clear();
    plane.distance_m = 1.0 / norm(fit.m);
    plane.normal = plane.distance_m * fit.m;
    plane.deviation = fit.deviation;
    FramePart& part = parts_[f];
    const FrameRays rays = w_.rays_of(f);
    part.pixels = {}, part.nearest_m = std::numeric_limits<double>::infinity(), part.farthest_m = 0.0;
    std::fill(residual(f).begin(), residual(f).end(), std::numeric_limits<float>::quiet_NaN());
    part.hidden = name_pixels(*rays, without_ring_errors(f), left_out(f), fit, scales_[f], border, pixels(f));
    for (std::size_t i = 0; i < w_.rays.size(); ++i) {
      WallPixel& pixel = pixels(f)[i];
      if (pixel == WallPixel::kLost && !w_.measure.knows_losses) pixel = WallPixel::kNotKnown;
      ++part.pixels[static_cast<std::size_t>(pixel)];
      if (pixel != WallPixel::kWall && pixel != WallPixel::kLost) continue;
      const double clean = rays->clean_m(i, fit.m), range_m = clean * w_.rays.length[i];
      part.nearest_m = std::min(part.nearest_m, range_m), part.farthest_m = std::max(part.farthest_m, range_m);
      if (pixel == WallPixel::kWall) {
        residual(f)[i] = static_cast<float>(w_.rays.error(double{measured(f)[i]}, clean));
      }
    }
    plane.on_wall = part.pixels[0], plane.tails = part.pixels[1], plane.lost = part.pixels[2];
    plane.other = part.pixels[3];
  }

  void make_bins(const WallMeasure* like) {
    double nearest = std::numeric_limits<double>::infinity(), farthest = 0.0;
    for (const FramePart& part : parts_) {
      nearest = std::min(nearest, part.nearest_m), farthest = std::max(farthest, part.farthest_m);
    }
    w_.measure.by_range = like != nullptr ? emptied(like->by_range) : range_bins(nearest, farthest);
    for (double low = 0.0; low < 90.0; low += kBinDeg) {
      w_.measure.by_incidence.push_back({.low = low, .high = low + kBinDeg});
    }
  }

  void sum(std::size_t f) {
    if (!w_.fits[f]) return;
    FramePart& part = parts_[f];
    part.by_range.resize(w_.measure.by_range.size()), part.by_incidence.resize(w_.measure.by_incidence.size());
    part.errors.resize(WallMeasure::kErrorBins);
    std::vector<float> standardised(w_.rays.size(), std::numeric_limits<float>::quiet_NaN());
    const Vec3 normal = w_.measure.planes[f].normal;
    const FrameRays rays = w_.rays_of(f);
    for (std::size_t i = 0; i < w_.rays.size(); ++i) {
      const WallPixel pixel = pixels(f)[i];
      if (pixel != WallPixel::kWall && pixel != WallPixel::kLost) continue;
      const double clean = rays->clean_m(i, w_.fits[f]->m);
      WallBinSums of_ray;
      of_ray.lost = pixel == WallPixel::kLost ? 1 : 0, of_ray.readings = 1 - of_ray.lost;
      if (pixel == WallPixel::kWall) {
        const double error = double{residual(f)[i]}, off_m = double{measured(f)[i]} - clean;
        const double unit = error / scales_[f].at(w_.rays, i, clean);
        of_ray.square_px = error * error, of_ray.square_m = off_m * off_m;
        part.square += error * error;
        const double own = error - w_.of_ring(frames_.sensor, i, clean);
        standardised[i] = static_cast<float>(own / scales_[f].at(w_.rays, i, clean));
        const double place = (unit / WallMeasure::kErrorSpan + 1.0) * 0.5 * WallMeasure::kErrorBins;
        ++part.errors[std::min(WallMeasure::kErrorBins - 1, static_cast<std::size_t>(std::max(0.0, place)))];
      }
      const double cosine = std::min(1.0, dot(normal, rays->q[i]) / rays->length[i]);
      const double degrees = math::acos(cosine) * 180.0 / std::numbers::pi;
      if (const auto k = wall_bin_of(w_.measure.by_range, clean * w_.rays.length[i])) part.by_range[*k].add(of_ray);
      if (const auto k = wall_bin_of(w_.measure.by_incidence, degrees)) part.by_incidence[*k].add(of_ray);
    }
    w_.sums[f].add(lag_sums(w_.rays, standardised));
  }

  /// Whether two frames show the wall from one place.
  [[nodiscard]] bool are_alike(std::size_t f, std::size_t g) const {
    const WallPlane &a = w_.measure.planes[f], &b = w_.measure.planes[g];
    return std::abs(a.distance_m - b.distance_m) <= kAlikeShare * a.distance_m &&
           norm(cross(a.normal, b.normal)) <= kAlikeRad;
  }

  /// The error without what it has in common with all of its ring; not of turns.
  [[nodiscard]] double own_error(std::size_t f, std::size_t i) {
    return double{residual(f)[i]} - w_.of_ring(frames_.sensor, i, w_.rays.clean_m(i, w_.fits[f]->m));
  }

  void sum_in_time(std::size_t f) {
    for (std::size_t lag = 0; lag <= WallMeasure::kLagsInTime && f + lag < parts_.size(); ++lag) {
      const std::size_t g = f + lag;
      if (!w_.fits[f] || !w_.fits[g] || !are_alike(f, g)) continue;
      for (std::size_t i = 0; i < w_.rays.size(); ++i) {
        const double product = own_error(f, i) * own_error(g, i);
        if (std::isnan(product)) continue;
        const auto size = [&](std::size_t k) { return scales_[k].at(w_.rays, i, w_.rays.clean_m(i, w_.fits[k]->m)); };
        w_.sums[f].in_time.products[lag] += product / (size(f) * size(g)), w_.sums[f].in_time.pairs[lag] += 1.0;
      }
    }
  }

  [[nodiscard]] std::vector<WallBin> filled(std::vector<WallBin> bins,
                                            std::vector<WallBinSums> FramePart::*member) const {
    for (std::size_t k = 0; k < bins.size(); ++k) {
      WallBinSums sums;
      for (const FramePart& part : parts_) {
        if (!(part.*member).empty()) sums.add((part.*member)[k]);
      }
      fill(bins[k], sums, w_.rays.has_disparity());
    }
    return bins;
  }

  void add_up() {
    WallMeasure& m = w_.measure;
    m.by_range = filled(m.by_range, &FramePart::by_range);
    m.by_incidence = filled(m.by_incidence, &FramePart::by_incidence);
    m.across = lag_correlations(w_, &WallFrameSums::across);
    if (!w_.rays.is_planar) m.down = lag_correlations(w_, &WallFrameSums::down);
    if (has_time()) m.in_time = lag_correlations(w_, &WallFrameSums::in_time);
    m.error_shares.assign(WallMeasure::kErrorBins, 0.0);
    double square = 0.0;
    for (const FramePart& part : parts_) {
      m.readings += part.pixels[0], m.tails += part.pixels[1], m.lost += part.pixels[2];
      m.other += part.pixels[3], m.not_known += part.pixels[4], m.hidden += part.hidden;
      square += part.square;
      for (std::size_t k = 0; k < part.errors.size(); ++k) m.error_shares[k] += static_cast<double>(part.errors[k]);
    }
    const auto readings = static_cast<double>(std::max<std::size_t>(m.readings, 1));
    for (double& share : m.error_shares) share /= readings;
    m.deviation = std::sqrt(square / readings);
  }

  const WallFrames& frames_;
  const WallOptions& options_;
  WallWork& w_;
  std::unique_ptr<Executor> executor_;
  std::vector<FramePart> parts_;
  std::vector<std::vector<std::uint8_t>> regions_;  ///< [frames] of [rays]: readings of a lidar's wall; empty: all
  std::vector<WallScale> scales_;
};

}  // namespace

std::string WallWork::name_of(const WallFrames& frames, std::size_t frame) const {
  return frames.names.empty() ? fmt::format("frame {}", frame) : frames.names[frame];
}

WallWork measure_frames(const WallFrames& frames, const WallOptions& options, const WallMeasure* like) {
  validate(options);
  validate(frames);
  WallWork work{
      .rays = WallRays(frames.sensor), .turns = frames.turns, .scale = {}, .fits = {}, .sums = {}, .measure = {}};
  work.measure.knows_losses = !frames.turns || frames.turns->knows_losses;
  if (work.rays.is_planar && options.wall) work.rays.sees_more = true;
  FrameMeter(frames, options, work).run(like);
  return work;
}

WallMeasure measure_wall(const WallFrames& frames, const WallOptions& options, const WallMeasure* like) {
  return measure_frames(frames, options, like).measure;
}

}  // namespace fathom
