// SPDX-License-Identifier: MIT
#include "fit/wall/wall_work.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include <fathom/core/compute.hpp>
#include <fathom/core/error.hpp>
#include <fathom/core/f64.hpp>

#include "core/numbers.hpp"
#include "core/text.hpp"
#include "fit/uncertainty.hpp"

namespace fathom {

namespace {

constexpr float kNoReading = std::numeric_limits<float>::quiet_NaN();
constexpr std::size_t kMostScalePairs = 20'000;
constexpr std::size_t kLeastToCompare = 5;
constexpr double kMostRestless = 4.0;
constexpr int kRegionGrowths = 3;
/// Planes take a part of the error of a ring, and give it to the others: the worst are found first.
constexpr std::array kRingParts = {0.3, 0.3, 0.1, 0.03};
constexpr double kAlikeShare = 0.01, kAlikeRad = std::numbers::pi / 180.0;

constexpr std::size_t kRangeBins = 12, kIncidenceBins = 18;

/// Equally wide; none without a range.
std::vector<WallMeasure::Bin> bins_between(double low, double high, std::size_t count) {
  std::vector<WallMeasure::Bin> bins;
  const double step = (high - low) / static_cast<double>(count);
  for (std::size_t k = 0; k < count && high > 0.0; ++k) {
    const double from = low + static_cast<double>(k) * step;
    bins.push_back({.low = from, .high = from + step});
  }
  return bins;
}

/// Rays by range or incidence. Until finished(), deviations are sums of squares.
class RayBins {
 public:
  explicit RayBins(std::vector<WallMeasure::Bin> bins) : bins_(std::move(bins)) {
    for (WallMeasure::Bin& bin : bins_) bin = {.low = bin.low, .high = bin.high};
  }

  /// Passes over a value outside of all bins.
  void add(double value, bool is_lost, double error_px, double error_m) {
    if (bins_.empty()) return;
    const double step = bins_.front().high - bins_.front().low, place = (value - bins_.front().low) / step;
    if (!(place > -1e-6 && place < static_cast<double>(bins_.size()) + 1e-6)) return;
    WallMeasure::Bin& bin = bins_[std::min(bins_.size() - 1, static_cast<std::size_t>(std::max(0.0, place)))];
    ++(is_lost ? bin.lost : bin.readings);
    bin.deviation_px += error_px * error_px, bin.deviation_m += error_m * error_m;
  }

  [[nodiscard]] std::vector<WallMeasure::Bin> finished(bool has_disparity) && {
    for (WallMeasure::Bin& bin : bins_) {
      const bool is_known = bin.readings >= kLeastInWallBin;
      const auto n = static_cast<double>(bin.readings);
      bin.deviation_px = is_known && has_disparity ? std::sqrt(bin.deviation_px / n) : kNoNumber;
      bin.deviation_m = is_known ? std::sqrt(bin.deviation_m / n) : kNoNumber;
    }
    return std::move(bins_);
  }

 private:
  std::vector<WallMeasure::Bin> bins_;
};

/// By WallMeasure::Pixel.
std::array<std::size_t, 6> counts_of(std::span<const WallMeasure::Pixel> pixels) {
  std::array<std::size_t, 6> counts{};
  for (const WallMeasure::Pixel pixel : pixels) ++counts[static_cast<std::size_t>(pixel)];
  return counts;
}

class WallFrameFitter {
 public:
  WallFrameFitter(const WallFrames& frames, const WallOptions& options, WallWork& work)
      : frames_(frames),
        options_(options),
        w_(work),
        executor_(make_executor(options.threads)),
        regions_(frames.frames()),
        hidden_(frames.frames()),
        standardised_(frames.measured_m.size(), kNoReading) {
    const std::size_t count = frames.frames(), pixels = frames.measured_m.size();
    w_.fits.resize(count), w_.sums.resize(count);
    w_.measure.planes.resize(count);
    w_.measure.pixels.assign(pixels, WallMeasure::Pixel::kLeftOut);
    w_.measure.residual.assign(pixels, kNoReading);
  }

  void run(const WallMeasure* like) {
    each_frame([&](std::size_t f) { fit(f, std::nullopt); });
    if (w_.rays.has_disparity()) drop_restless();
    find_scale();
    if (!w_.rays.has_disparity()) each_frame([&](std::size_t f) { refit(f); });
    check_found();
    find_reach();
    // Rays beside the wall are left out already.
    if (like != nullptr) w_.rays.reach_m = std::numeric_limits<double>::infinity();
    const WallOptions::BorderLosses usual = frames_.sensor.camera ? WallOptions::BorderLosses::kOfWall
                                                                  : WallOptions::BorderLosses::kNotKnown,
                                    border = like != nullptr ? WallOptions::BorderLosses::kOfWall
                                                             : options_.border.value_or(usual);
    const auto name_all = [&] { each_frame([&](std::size_t f) { name(f, border); }); };
    name_all();
    for (const double part : kRingParts) {
      if (frames_.sensor.lidar) w_.rings = ring_errors(w_, *frames_.sensor.lidar, part);
      if (w_.rings.empty()) break;
      each_frame([&](std::size_t f) { fit_without_ring_errors(f); });
      name_all();
    }
    each_frame([&](std::size_t f) { sum_products(f); });
    if (has_time()) each_frame([&](std::size_t f) { sum_in_time(f); });
    fill_correlations(w_, has_time());
    add_up(like);
  }

 private:
  /// In revolutions a ray is not the same in the next frame.
  [[nodiscard]] bool has_time() const { return options_.still && !w_.turns; }
  [[nodiscard]] std::size_t count() const { return w_.fits.size(); }

  template <class F>
  void each_frame(F f) {
    executor_->parallel_for(count(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t frame = begin; frame < end; ++frame) f(frame);
    });
  }

  template <class Values>
  [[nodiscard]] auto of_frame(Values& values, std::size_t f) const {
    return std::span(values).subspan(f * w_.rays.size(), w_.rays.size());
  }
  [[nodiscard]] std::span<const float> measured(std::size_t f) const { return of_frame(frames_.measured_m, f); }
  [[nodiscard]] std::span<const std::uint8_t> left_out(std::size_t f) const {
    if (frames_.left_out.empty()) return {};
    return of_frame(frames_.left_out, frames_.left_out.size() == w_.rays.size() ? 0 : f);
  }
  [[nodiscard]] std::span<WallMeasure::Pixel> pixels(std::size_t f) { return of_frame(w_.measure.pixels, f); }

  /// The measured ranges without errors of single rings.
  [[nodiscard]] std::vector<float> without_ring_errors(std::size_t f) const {
    std::vector<float> readings(measured(f).begin(), measured(f).end());
    for (std::size_t i = 0; i < readings.size() && !w_.rings.empty(); ++i) {
      if (!is_reading(w_.rays, i, readings[i])) continue;
      const WallRingError& error = w_.rings[frames_.sensor.lidar->ring[i]];
      readings[i] = static_cast<float>((double{readings[i]} - error.bias_m) / (1.0 + error.gain));
    }
    return readings;
  }

  /// NaN where a ray has no reading, is left out, or shows another surface.
  [[nodiscard]] std::vector<float> readings_of(std::size_t f) const {
    std::vector<float> readings = without_ring_errors(f);
    const auto out = left_out(f);
    for (std::size_t i = 0; i < readings.size(); ++i) {
      const bool is_out = (!out.empty() && out[i] != 0) || (!regions_[f].empty() && regions_[f][i] == 0);
      if (is_out || !is_reading(w_.rays, i, measured(f)[i])) readings[i] = kNoReading;
    }
    return readings;
  }

  void fit(std::size_t f, const std::optional<WallScale>& scale) {
    std::string& why_not = w_.measure.planes[f].why_not;
    if (w_.turns && !w_.turns->why_not.empty()) why_not = w_.turns->why_not[f];
    if (w_.turns && !why_not.empty()) return;
    const auto rays = w_.rays_of(f);
    const NoiseKey key = {options_.seed, static_cast<std::uint32_t>(f)};
    if (w_.rays.sees_more && regions_[f].empty()) {
      auto region =
          find_region(*rays, readings_of(f), options_.wall.value_or(WallOptions::Choice::kLargest), key, why_not);
      if (!region) return;
      regions_[f] = std::move(*region);
    }
    w_.fits[f] = fit_plane(*rays, readings_of(f), frames_.half_step_m, scale, key, why_not);
  }

  /// Frames whose errors are much larger than in most frames show no wall. Disparities have the same deviation
  /// everywhere.
  void drop_restless() {
    std::vector<double> deviations;
    for (const auto& fit : w_.fits) {
      if (fit) deviations.push_back(fit->deviation);
    }
    if (deviations.size() < kLeastToCompare) return;
    const double usual = median(deviations);
    for (std::size_t f = 0; f < count(); ++f) {
      if (!w_.fits[f] || !(usual > 0.0) || !(w_.fits[f]->deviation > kMostRestless * usual)) continue;
      w_.measure.planes[f].why_not = fmt::format(
          "its readings deviate {:.1f} times as much as the readings of other frames", w_.fits[f]->deviation / usual);
      w_.fits[f].reset();
    }
  }

  /// The deviation of all frames together.
  void find_scale() {
    w_.scale.half_step_m = frames_.half_step_m;
    if (w_.rays.has_disparity()) {
      double square = 0.0, readings = 0.0;
      for (const auto& fit : w_.fits) {
        if (!fit) continue;
        const auto n = static_cast<double>(fit->on_wall);
        square += n * fit->deviation * fit->deviation, readings += n;
      }
      w_.scale.constant = std::sqrt(square / std::max(readings, 1.0));
      return;
    }
    const RangePairs pairs = scale_pairs();
    if (pairs.range_m.size() < 3) return;
    const DistanceCalibration law = calibrate_distance(pairs);
    w_.scale.constant = law[DistanceNoise::kStddev].value;
    w_.scale.per_m = law[DistanceNoise::kStddevPerM].value;
  }

  /// Calls take(ray, reading, clean value) for the readings within gate(ray, clean value) of the plane of a frame.
  template <class Gate, class Take>
  void each_near(std::size_t f, Gate gate, Take take) const {
    if (!w_.fits[f]) return;
    const std::vector<float> readings = readings_of(f);
    const auto rays = w_.rays_of(f);
    for (std::size_t i = 0; i < readings.size(); ++i) {
      const double reading_m = double{readings[i]}, clean_m = rays->clean_m(i, w_.fits[f]->m);
      if (std::isnan(reading_m) || !(clean_m > 0.0)) continue;
      if (std::abs(w_.rays.error(reading_m, clean_m)) <= kWallGate * gate(i, clean_m)) take(i, reading_m, clean_m);
    }
  }

  /// Some readings within the gate beside the plane.
  [[nodiscard]] RangePairs scale_pairs() const {
    RangePairs pairs;
    std::size_t all = 0, seen = 0;
    for (const auto& fit : w_.fits) all += fit ? fit->on_wall : 0;
    const std::size_t every = all / kMostScalePairs + 1;
    for (std::size_t f = 0; f < count(); ++f) {
      const auto deviation = [&](std::size_t, double) { return w_.fits[f]->deviation; };
      each_near(f, deviation, [&](std::size_t i, double reading_m, double clean_m) {
        if (seen++ % every != 0) return;
        pairs.range_m.push_back(static_cast<float>(reading_m * w_.rays.length[i]));
        pairs.expected_m.push_back(static_cast<float>(w_.rays.length[i] * clean_m));
      });
    }
    return pairs;
  }

  void refit(std::size_t f) {
    if (!w_.fits[f]) return;
    // If the error is not linear in range, the linear law underestimates it in some frames.
    const double middle_m = 1.0 / norm(w_.fits[f]->m);
    const double expected = w_.scale.constant + w_.scale.per_m * middle_m;
    const double times = expected > 0.0 ? std::max(1.0, w_.fits[f]->deviation / expected) : 1.0;
    const WallScale scale = {times * w_.scale.constant, times * w_.scale.per_m, frames_.half_step_m};
    if (!w_.rays.sees_more) return fit(f, scale);
    // Where it is found among other surfaces, the first plane is too rough to say how far the wall goes.
    for (int round = 0; round < kRegionGrowths && w_.fits[f]; ++round) {
      w_.fits[f]->scale = scale;
      regions_[f] = region_of(*w_.rays_of(f), measured(f), left_out(f), *w_.fits[f]);
      fit(f, scale);
    }
  }

  void check_found() const {
    const auto found = std::ranges::count_if(w_.fits, [](const auto& fit) { return fit.has_value(); });
    if (found == 0) refuse();
    if (static_cast<double>(found) >= kLeastShown * static_cast<double>(count())) return;
    throw InputError(fmt::format("{} of {} frames show a wall, fewer than one in twenty: these are no frames of a wall",
                                 found, count()));
  }

  /// By the first frame. Readings of a planar laser at its reach or beyond count as lost.
  [[noreturn]] void refuse() const {
    const double max_range_m = w_.rays.max_range_m;
    const std::span<const float> readings = measured(0);
    const auto beyond =
        std::ranges::count_if(readings, [&](float m) { return std::isfinite(m) && double{m} >= max_range_m; });
    Message lost;
    if (w_.rays.is_planar && max_range_m != 0.0 && beyond != 0) {
      lost = Message(fmt::format(" ({} more {} not below ", beyond, are(static_cast<std::uint64_t>(beyond))),
                     Setting{"max_range_m"}, fmt::format(" = {:g})", max_range_m));
    }
    throw InputError(name_of(frames_, 0), ": ", w_.measure.planes[0].why_not, lost,
                     count() > 1 ? "; no frame shows a wall" : "");
  }

  /// How far away walls were seen: losses beyond may be beyond the sensor's reach.
  void find_reach() {
    std::vector<double> reach_m(count(), 0.0);
    each_frame([&](std::size_t f) {
      const auto deviation = [&](std::size_t i, double clean_m) { return w_.fits[f]->scale.at(w_.rays, i, clean_m); };
      each_near(f, deviation, [&](std::size_t i, double, double clean_m) {
        reach_m[f] = std::max(reach_m[f], w_.rays.length[i] * clean_m);
      });
    });
    for (const double reach : reach_m) w_.rays.reach_m = std::max(w_.rays.reach_m, reach);
    if (w_.rays.max_range_m > 0.0) w_.rays.reach_m = std::min(w_.rays.reach_m, w_.rays.max_range_m);
  }

  void fit_without_ring_errors(std::size_t f) {
    const std::optional<WallPlaneFit> before = w_.fits[f];
    if (before) fit(f, before->scale);
    if (!w_.fits[f]) w_.fits[f] = before;
  }

  void name(std::size_t f, WallOptions::BorderLosses border) {
    if (!w_.fits[f]) return;
    const WallPlaneFit& fit = *w_.fits[f];
    const auto rays = w_.rays_of(f);
    hidden_[f] = name_pixels(*rays, without_ring_errors(f), left_out(f), fit, border, pixels(f));
    for (std::size_t i = 0; i < w_.rays.size(); ++i) {
      WallMeasure::Pixel& pixel = pixels(f)[i];
      if (pixel == WallMeasure::Pixel::kLost && !w_.measure.knows_losses) pixel = WallMeasure::Pixel::kNotKnown;
      const double error = w_.rays.error(double{measured(f)[i]}, rays->clean_m(i, fit.m));
      of_frame(w_.measure.residual, f)[i] = pixel == WallMeasure::Pixel::kWall ? static_cast<float>(error) : kNoReading;
    }
    const auto [on_wall, tails, lost, other, not_known, out] = counts_of(pixels(f));
    const double distance_m = 1.0 / norm(fit.m);
    w_.measure.planes[f] = {.is_found = true,
                            .normal = distance_m * fit.m,
                            .distance_m = distance_m,
                            .deviation = fit.deviation,
                            .on_wall = on_wall,
                            .tails = tails,
                            .lost = lost,
                            .other = other};
  }

  /// Of errors without the common errors of rings, which would seem to be correlations.
  void sum_products(std::size_t f) {
    const std::span<float> errors = of_frame(standardised_, f);
    w_.for_each_ray(f, [&](const WallRays& rays, std::size_t i, WallMeasure::Pixel pixel) {
      if (pixel != WallMeasure::Pixel::kWall) return;
      const double clean_m = rays.clean_m(i, w_.fits[f]->m),
                   own = double{of_frame(w_.measure.residual, f)[i]} - w_.of_ring(frames_.sensor, i, clean_m);
      errors[i] = static_cast<float>(own / w_.fits[f]->scale.at(w_.rays, i, clean_m));
    });
    if (w_.fits[f]) add_lags(w_.rays, errors, w_.sums[f]);
  }

  /// Whether two frames show the wall from one place.
  [[nodiscard]] bool are_alike(std::size_t f, std::size_t g) const {
    const WallMeasure::Plane &a = w_.measure.planes[f], &b = w_.measure.planes[g];
    return std::abs(a.distance_m - b.distance_m) <= kAlikeShare * a.distance_m &&
           norm(cross(a.normal, b.normal)) <= kAlikeRad;
  }

  void sum_in_time(std::size_t f) {
    for (std::size_t lag = 0; lag <= WallMeasure::kLagsInTime && f + lag < count(); ++lag) {
      if (!w_.fits[f] || !w_.fits[f + lag] || !are_alike(f, f + lag)) continue;
      w_.sums[f].in_time.add(lag, of_frame(standardised_, f), of_frame(standardised_, f + lag));
    }
  }

  /// Calls take(frame, rays, ray, clean value) for the readings and losses of all walls. Frames have an order, so that
  /// sums do not depend on threads.
  template <class Take>
  void each_on_wall(Take take) const {
    for (std::size_t f = 0; f < count(); ++f) {
      w_.for_each_ray(f, [&](const WallRays& rays, std::size_t i, WallMeasure::Pixel pixel) {
        const bool is_of_wall = pixel == WallMeasure::Pixel::kWall || pixel == WallMeasure::Pixel::kLost;
        if (is_of_wall) take(f, rays, i, rays.clean_m(i, w_.fits[f]->m));
      });
    }
  }

  [[nodiscard]] std::vector<WallMeasure::Bin> range_bins() const {
    double nearest_m = std::numeric_limits<double>::infinity(), farthest_m = 0.0;
    each_on_wall([&](std::size_t, const WallRays& rays, std::size_t i, double clean_m) {
      nearest_m = std::min(nearest_m, clean_m * rays.length[i]);
      farthest_m = std::max(farthest_m, clean_m * rays.length[i]);
    });
    return bins_between(nearest_m, farthest_m, kRangeBins);
  }

  void add_up(const WallMeasure* like) {
    WallMeasure& m = w_.measure;
    RayBins by_range(like != nullptr ? like->by_range : range_bins()),
        by_incidence(bins_between(0.0, 90.0, kIncidenceBins));
    m.error_shares.assign(WallMeasure::kErrorBins, 0.0);
    double square = 0.0;
    each_on_wall([&](std::size_t f, const WallRays& rays, std::size_t i, double clean_m) {
      const double residual = double{of_frame(m.residual, f)[i]};
      const bool is_lost = std::isnan(residual);
      const double error = is_lost ? 0.0 : residual, off_m = is_lost ? 0.0 : double{measured(f)[i]} - clean_m;
      const double cosine = std::min(1.0, dot(m.planes[f].normal, rays.q[i]) / rays.length[i]);
      by_range.add(clean_m * rays.length[i], is_lost, error, off_m);
      by_incidence.add(math::acos(cosine) * 180.0 / std::numbers::pi, is_lost, error, off_m);
      if (is_lost) return;
      square += error * error;
      const double unit = error / w_.fits[f]->scale.at(w_.rays, i, clean_m),
                   place = (unit / WallMeasure::kErrorSpan + 1.0) * 0.5 * WallMeasure::kErrorBins;
      m.error_shares[std::min(WallMeasure::kErrorBins - 1, static_cast<std::size_t>(std::max(0.0, place)))] += 1.0;
    });
    m.by_range = std::move(by_range).finished(w_.rays.has_disparity());
    m.by_incidence = std::move(by_incidence).finished(w_.rays.has_disparity());
    const auto counts = counts_of(m.pixels);
    m.readings = counts[0], m.tails = counts[1], m.lost = counts[2], m.other = counts[3], m.not_known = counts[4];
    for (const std::size_t hidden : hidden_) m.hidden += hidden;
    const auto readings = static_cast<double>(std::max<std::size_t>(m.readings, 1));
    for (double& share : m.error_shares) share /= readings;
    m.deviation = std::sqrt(square / readings);
  }

  const WallFrames& frames_;
  const WallOptions& options_;
  WallWork& w_;
  std::unique_ptr<Executor> executor_;
  std::vector<std::vector<std::uint8_t>> regions_;  ///< [frames] of [rays]: readings of a lidar's wall; empty: all
  std::vector<std::size_t> hidden_;                 ///< [frames], of WallMeasure::hidden
  std::vector<float> standardised_;                 ///< [frames, rays] errors by their deviations; NaN: none
};

}  // namespace

std::string name_of(const WallFrames& frames, std::size_t frame) {
  return frames.names.empty() ? fmt::format("frame {}", frame) : frames.names[frame];
}

std::shared_ptr<const WallRays> WallWork::rays_of(std::size_t frame) const {
  if (!turns) return {std::shared_ptr<const WallRays>(), &rays};
  auto own = std::make_shared<WallRays>(rays);
  own->q = turn_directions(*turns, rays.size(), frame);
  own->used_cols = turns->cols[frame], own->is_full_turn = true;
  return own;
}

WallWork measure_frames(const WallFrames& frames, const WallOptions& options, const WallMeasure* like) {
  validate(options);
  validate(frames);
  WallWork work{.rays = WallRays(frames.sensor), .turns = frames.turns};
  work.measure.knows_losses = !frames.turns || frames.turns->knows_losses;
  if (work.rays.is_planar && options.wall) work.rays.sees_more = true;
  WallFrameFitter(frames, options, work).run(like);
  return work;
}

WallMeasure measure_wall(const WallFrames& frames, const WallOptions& options, const WallMeasure* like) {
  return measure_frames(frames, options, like).measure;
}

}  // namespace fathom
