// SPDX-License-Identifier: MIT
#include "calibrate/wall_work.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include <fathom/base/compute.hpp>
#include <fathom/base/error.hpp>
#include <fathom/math/f64.hpp>

#include "base/numbers.hpp"
#include "base/text.hpp"
#include "fit/uncertainty.hpp"

namespace fathom {

namespace {

constexpr std::size_t kMostScalePairs = 20'000;
constexpr std::size_t kLeastToCompare = 5;
constexpr double kMostRestless = 4.0;
constexpr int kRegionGrowths = 3;
/// Planes take a part of the error of a ring, and give it to the others: the worst are found first.
constexpr std::array kRingParts = {0.3, 0.3, 0.1, 0.03};
constexpr double kAlikeShare = 0.01, kAlikeRad = std::numbers::pi / 180.0;

constexpr std::size_t kRangeBins = 12, kIncidenceBins = 18;

/// Sums of a bin of one frame.
struct WallBinSums {
  std::size_t readings = 0, lost = 0;
  double square_px = 0.0, square_m = 0.0;

  void add(const WallBinSums& other) {
    readings += other.readings, lost += other.lost;
    square_px += other.square_px, square_m += other.square_m;
  }
};

/// Equally wide; none without a range.
std::vector<WallBin> bins_between(double low, double high, std::size_t count) {
  std::vector<WallBin> bins;
  const double step = (high - low) / static_cast<double>(count);
  for (std::size_t k = 0; k < count && high > 0.0; ++k) {
    const double from = low + static_cast<double>(k) * step;
    bins.push_back({.low = from, .high = from + step});
  }
  return bins;
}

/// Adds to the bin of a value, unless it is outside all of them.
void add_to_bin(const std::vector<WallBin>& bins, double value, const WallBinSums& sums, std::vector<WallBinSums>& to) {
  if (bins.empty()) return;
  const double step = bins.front().high - bins.front().low, place = (value - bins.front().low) / step;
  if (!(place > -1e-6 && place < static_cast<double>(bins.size()) + 1e-6)) return;
  to[std::min(bins.size() - 1, static_cast<std::size_t>(std::max(0.0, place)))].add(sums);
}

/// The part of one frame in the sums.
struct FramePart {
  std::vector<WallBinSums> by_range, by_incidence;
  std::array<std::size_t, WallMeasure::kErrorBins> errors{};
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
    // Rays beside the wall are left out already.
    if (like != nullptr) w_.rays.reach_m = std::numeric_limits<double>::infinity();
    const BorderLosses border =
        options_.border.value_or(frames_.sensor.camera ? BorderLosses::kOfWall : BorderLosses::kNotKnown);
    const auto name_all = [&] {
      each_frame([&](std::size_t f) { name(f, like != nullptr ? BorderLosses::kOfWall : border); });
    };
    name_all();
    for (const double part : kRingParts) {
      if (frames_.sensor.lidar) w_.rings = ring_errors(w_, *frames_.sensor.lidar, part);
      if (w_.rings.empty()) break;
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

  template <class Values>
  [[nodiscard]] auto of_frame(Values& values, std::size_t f) const {
    return std::span(values).subspan(f * w_.rays.size(), w_.rays.size());
  }
  [[nodiscard]] std::span<const float> measured(std::size_t f) const { return of_frame(frames_.measured_m, f); }
  [[nodiscard]] std::span<const std::uint8_t> left_out(std::size_t f) const {
    if (frames_.left_out.empty()) return {};
    return of_frame(frames_.left_out, frames_.left_out.size() == w_.rays.size() ? 0 : f);
  }
  /// Whether ray i has a reading that is neither left out nor on another surface that a lidar sees.
  [[nodiscard]] bool is_used(std::size_t f, std::size_t i) const {
    const auto out = left_out(f);
    if (!is_reading(w_.rays, i, measured(f)[i]) || (!out.empty() && out[i] != 0)) return false;
    return regions_[f].empty() || regions_[f][i] != 0;
  }
  [[nodiscard]] std::span<WallPixel> pixels(std::size_t f) { return of_frame(w_.measure.pixels, f); }
  [[nodiscard]] std::span<float> residual(std::size_t f) { return of_frame(w_.measure.residual, f); }

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

  /// NaN where a reading is not used.
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
    const auto rays = w_.rays_of(f);
    const NoiseKey key = {options_.seed, static_cast<std::uint32_t>(f)};
    if (w_.rays.sees_more && regions_[f].empty()) {
      auto region = find_region(*rays, readings_of(f), options_.wall.value_or(WallChoice::kLargest), key, why_not);
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
    for (std::size_t f = 0; f < parts_.size(); ++f) {
      if (!w_.fits[f] || !(usual > 0.0) || !(w_.fits[f]->deviation > kMostRestless * usual)) continue;
      w_.measure.planes[f].why_not = fmt::format(
          "its readings deviate {:.1f} times as much as the readings of other frames", w_.fits[f]->deviation / usual);
      w_.fits[f].reset();
    }
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

  /// Calls take(ray, clean value) for the used readings of a frame that are within gate(ray, clean value) of its plane.
  template <class Gate, class Take>
  void each_near(std::size_t f, Gate gate, Take take) const {
    if (!w_.fits[f]) return;
    const auto rays = w_.rays_of(f);
    for (std::size_t i = 0; i < w_.rays.size(); ++i) {
      if (!is_used(f, i)) continue;
      const double clean_m = rays->clean_m(i, w_.fits[f]->m);
      if (!(clean_m > 0.0)) continue;
      if (std::abs(w_.rays.error(double{measured(f)[i]}, clean_m)) <= kWallGate * gate(i, clean_m)) take(i, clean_m);
    }
  }

  /// Some readings within the gate beside the plane.
  [[nodiscard]] RangePairs scale_pairs() const {
    RangePairs pairs;
    std::size_t all = 0, seen = 0;
    for (const auto& fit : w_.fits) all += fit ? fit->on_wall : 0;
    const std::size_t every = all / kMostScalePairs + 1;
    for (std::size_t f = 0; f < parts_.size(); ++f) {
      const auto deviation = [&](std::size_t, double) { return w_.fits[f]->deviation; };
      each_near(f, deviation, [&](std::size_t i, double clean_m) {
        if (seen++ % every != 0) return;
        pairs.range_m.push_back(static_cast<float>(double{measured(f)[i]} * w_.rays.length[i]));
        pairs.expected_m.push_back(static_cast<float>(w_.rays.length[i] * clean_m));
      });
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
    std::vector<WallPixel> named(w_.rays.size());
    name_pixels(*w_.rays_of(f), measured(f), left_out(f), *w_.fits[f], scales_[f], std::nullopt, named);
    for (std::size_t i = 0; i < named.size(); ++i) regions_[f][i] = named[i] == WallPixel::kWall ? 1 : 0;
  }

  [[nodiscard]] double farthest_reading(std::size_t f) const {
    double farthest_m = 0.0;
    const auto deviation = [&](std::size_t i, double clean_m) { return scales_[f].at(w_.rays, i, clean_m); };
    each_near(f, deviation,
              [&](std::size_t i, double clean_m) { farthest_m = std::max(farthest_m, w_.rays.length[i] * clean_m); });
    return farthest_m;
  }

  void fit_without_ring_errors(std::size_t f) {
    const std::optional<WallPlaneFit> before = w_.fits[f];
    if (before) fit(f, scales_[f]);
    if (!w_.fits[f]) w_.fits[f] = before;
  }

  /// How far away walls were seen: losses beyond may be beyond the sensor's reach.
  void find_reach() {
    for (const FramePart& part : parts_) w_.rays.reach_m = std::max(w_.rays.reach_m, part.reach_m);
    if (w_.rays.max_range_m > 0.0) w_.rays.reach_m = std::min(w_.rays.reach_m, w_.rays.max_range_m);
  }

  /// By the first frame. Readings of a planar laser at its reach or beyond count as lost.
  [[noreturn]] void refuse() const {
    const double max_range_m = w_.rays.max_range_m;
    const std::span<const float> readings = measured(0);
    const auto beyond = std::count_if(readings.begin(), readings.end(),
                                      [&](float m) { return std::isfinite(m) && double{m} >= max_range_m; });
    Message lost;
    if (w_.rays.is_planar && max_range_m != 0.0 && beyond != 0) {
      lost = Message(fmt::format(" ({} more {} not below ", beyond, are(static_cast<std::uint64_t>(beyond))),
                     Setting{"max_range_m"}, fmt::format(" = {:g})", max_range_m));
    }
    throw InputError(name_of(frames_, 0), ": ", w_.measure.planes[0].why_not, lost,
                     parts_.size() > 1 ? "; no frame shows a wall" : "");
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
    const auto rays = w_.rays_of(f);
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
    w_.measure.by_range = like != nullptr ? like->by_range : bins_between(nearest, farthest, kRangeBins);
    w_.measure.by_incidence = bins_between(0.0, 90.0, kIncidenceBins);
  }

  void sum(std::size_t f) {
    if (!w_.fits[f]) return;
    FramePart& part = parts_[f];
    part.by_range.resize(w_.measure.by_range.size()), part.by_incidence.resize(w_.measure.by_incidence.size());
    std::vector<float> standardised(w_.rays.size(), std::numeric_limits<float>::quiet_NaN());
    const Vec3 normal = w_.measure.planes[f].normal;
    const auto rays = w_.rays_of(f);
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
        standardised[i] = static_cast<float>(own_error(f, i, clean) / scales_[f].at(w_.rays, i, clean));
        const double place = (unit / WallMeasure::kErrorSpan + 1.0) * 0.5 * WallMeasure::kErrorBins;
        ++part.errors[std::min(WallMeasure::kErrorBins - 1, static_cast<std::size_t>(std::max(0.0, place)))];
      }
      const double cosine = std::min(1.0, dot(normal, rays->q[i]) / rays->length[i]);
      const double degrees = math::acos(cosine) * 180.0 / std::numbers::pi;
      add_to_bin(w_.measure.by_range, clean * w_.rays.length[i], of_ray, part.by_range);
      add_to_bin(w_.measure.by_incidence, degrees, of_ray, part.by_incidence);
    }
    add_lags(w_.rays, standardised, w_.sums[f]);
  }

  /// Whether two frames show the wall from one place.
  [[nodiscard]] bool are_alike(std::size_t f, std::size_t g) const {
    const WallPlane &a = w_.measure.planes[f], &b = w_.measure.planes[g];
    return std::abs(a.distance_m - b.distance_m) <= kAlikeShare * a.distance_m &&
           norm(cross(a.normal, b.normal)) <= kAlikeRad;
  }

  /// The error without the common error of its ring.
  [[nodiscard]] double own_error(std::size_t f, std::size_t i, double clean_m) {
    return double{residual(f)[i]} - w_.of_ring(frames_.sensor, i, clean_m);
  }

  void sum_in_time(std::size_t f) {
    const auto own = [&](std::size_t k, std::size_t i) {
      const double clean_m = w_.rays.clean_m(i, w_.fits[k]->m);
      return own_error(k, i, clean_m) / scales_[k].at(w_.rays, i, clean_m);
    };
    for (std::size_t lag = 0; lag <= WallMeasure::kLagsInTime && f + lag < parts_.size(); ++lag) {
      const std::size_t g = f + lag;
      if (!w_.fits[f] || !w_.fits[g] || !are_alike(f, g)) continue;
      for (std::size_t i = 0; i < w_.rays.size(); ++i) w_.sums[f].in_time.add(lag, own(f, i) * own(g, i));
    }
  }

  [[nodiscard]] std::vector<WallBin> filled(std::vector<WallBin> bins,
                                            std::vector<WallBinSums> FramePart::*member) const {
    for (std::size_t k = 0; k < bins.size(); ++k) {
      WallBinSums sums;
      for (const FramePart& part : parts_) {
        if (!(part.*member).empty()) sums.add((part.*member)[k]);
      }
      const bool is_known = sums.readings >= kLeastInWallBin;
      const auto n = static_cast<double>(sums.readings);
      bins[k].readings = sums.readings, bins[k].lost = sums.lost;
      bins[k].deviation_px = is_known && w_.rays.has_disparity() ? std::sqrt(sums.square_px / n) : kNoNumber;
      bins[k].deviation_m = is_known ? std::sqrt(sums.square_m / n) : kNoNumber;
    }
    return bins;
  }

  void add_up() {
    WallMeasure& m = w_.measure;
    m.by_range = filled(m.by_range, &FramePart::by_range);
    m.by_incidence = filled(m.by_incidence, &FramePart::by_incidence);
    fill_correlations(w_, has_time());
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
  FrameMeter(frames, options, work).run(like);
  return work;
}

WallMeasure measure_wall(const WallFrames& frames, const WallOptions& options, const WallMeasure* like) {
  return measure_frames(frames, options, like).measure;
}

}  // namespace fathom
