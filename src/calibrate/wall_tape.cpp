// SPDX-License-Identifier: MIT
#include "calibrate/wall_tape.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "fit/covariance.hpp"

namespace fathom {

namespace {

constexpr int kMostBiasSteps = 20;

/// Where readings of a frame err alike, frames of one place differ by more than independent readings let them.
double crowding_of(const WallWork& work, const std::vector<TapePlace>& places) {
  double square = 0.0, degrees = 0.0;
  for (const TapePlace& place : places) {
    const std::vector<std::size_t>& frames = place.frames;
    double mean_m = 0.0;
    for (const std::size_t f : frames) mean_m += work.measure.planes[f].distance_m / static_cast<double>(frames.size());
    for (const std::size_t f : frames) {
      const double off_m = work.measure.planes[f].distance_m - mean_m;
      square += off_m * off_m / variance_of_distance(*work.fits[f]);
    }
    degrees += static_cast<double>(frames.size()) - 1.0;
  }
  return degrees > 0.0 ? std::max(1.0, square / degrees) : 1.0;
}

/// How far the plane of a frame moves when every range is longer by a unit: the step of the fit that this causes.
double distance_per_bias(const WallWork& work, std::size_t f) {
  const FrameRays of_frame = work.rays_of(f);
  const WallRays& rays = *of_frame;
  const Vec3 plane = work.fits[f]->m;
  PlaneStep step;
  for (std::size_t i = 0; i < rays.size(); ++i) {
    if (work.measure.pixels[f * rays.size() + i] != WallPixel::kWall) continue;
    const double clean_m = rays.clean_m(i, plane), square = clean_m * clean_m;
    // How the error moves with a range that is longer.
    const double per_bias = (rays.has_disparity() ? -rays.focal_baseline_px_m / square : 1.0) / rays.length[i];
    step.add(rays.slope(i, clean_m, plane), per_bias, work.scale.at(rays, i, clean_m));
  }
  const auto covariance = inverse_of(step.information, rays.unknowns());
  if (!covariance) return 1.0;
  return -dot(plane, product(*covariance, step.right)) / (norm(plane) * dot(plane, plane));
}

double spread_of(double square, std::size_t places, std::size_t parameters) {
  return places > parameters ? std::sqrt(square / static_cast<double>(places - parameters)) : kNoNumber;
}

/// The larger of the error that the spread of places says, which is uncertain where they are few, and of that which
/// their readings say. NaN where there is no spread.
double larger_error(double of_spread, std::size_t degrees, double variance_of_readings) {
  if (std::isnan(of_spread)) return kNoNumber;
  return std::max(two_errors_widening(degrees) * of_spread, std::sqrt(variance_of_readings));
}

/// Bias and gain by least squares over the places; the bias alone without a gain.
void fit_gain(const std::vector<TapePlace>& places, bool has_gain, WallTape& tape) {
  tape.gain = tape.bias_m = {kNoNumber, kNoNumber}, tape.spread_m = kNoNumber;
  const std::size_t count = places.size(), parameters = has_gain ? 2 : 1;
  Eigen::MatrixXd slopes(count, parameters);
  Eigen::VectorXd off_m(count), variances(count);
  for (std::size_t k = 0; k < count; ++k) {
    slopes(k, 0) = places[k].per_bias;
    if (has_gain) slopes(k, 1) = places[k].tape_m;
    off_m[k] = places[k].measured_m - places[k].tape_m, variances[k] = places[k].variance;
  }
  const auto inverse = inverse_of(slopes.transpose() * slopes, 0.0);
  if (!inverse) return;
  const Eigen::MatrixXd to_values = *inverse * slopes.transpose();
  const Eigen::VectorXd values = to_values * off_m, of_readings = to_values.cwiseAbs2() * variances;
  tape.spread_m = spread_of((off_m - slopes * values).squaredNorm(), count, parameters);
  const std::size_t degrees = count - std::min(parameters, count);
  const auto estimate = [&](Eigen::Index k) -> Estimate {
    return {values[k], larger_error(tape.spread_m * std::sqrt((*inverse)(k, k)), degrees, of_readings[k])};
  };
  tape.bias_m = estimate(0);
  if (has_gain) tape.gain = estimate(1);
}

/// Mean distance of the planes whose disparities are smaller by the bias.
double distance_without(const TapePlace& p, double bias_px, double focal_baseline_px_m) {
  double sum_m = 0.0;
  for (const Vec3& m : p.m) sum_m += 1.0 / norm(m - Vec3{bias_px / focal_baseline_px_m, 0.0, 0.0});
  return sum_m / static_cast<double>(p.m.size());
}

void fit_disparity_bias(const std::vector<TapePlace>& places, double focal_baseline_px_m, WallTape& tape) {
  constexpr double kStepPx = 1e-4;
  double bias_px = 0.0, slopes = 0.0;
  for (int step = 0; step < kMostBiasSteps; ++step) {
    double right = 0.0;
    slopes = 0.0;
    for (const TapePlace& p : places) {
      const double at = distance_without(p, bias_px, focal_baseline_px_m);
      const double slope = (distance_without(p, bias_px + kStepPx, focal_baseline_px_m) - at) / kStepPx;
      slopes += slope * slope, right += slope * (p.tape_m - at);
    }
    bias_px += right / slopes;
    if (std::abs(right / slopes) < 1e-10) break;
  }
  double square = 0.0, of_readings = 0.0;
  for (const TapePlace& p : places) {
    const double at = distance_without(p, bias_px, focal_baseline_px_m), left_m = at - p.tape_m;
    const double slope = (distance_without(p, bias_px + kStepPx, focal_baseline_px_m) - at) / kStepPx;
    square += left_m * left_m, of_readings += slope * slope * p.variance / (slopes * slopes);
  }
  tape.bias_px_spread_m = spread_of(square, places.size(), 1);
  tape.bias_px = {bias_px, larger_error(tape.bias_px_spread_m / std::sqrt(slopes), places.size() - 1, of_readings)};
}

/// Whether a value is within two errors of 0; without an error it is not.
bool is_zero(const Estimate& e) { return std::abs(e.value) < 2.0 * e.std_error; }

}  // namespace

double variance_of_distance(const WallPlaneFit& fit) {
  const double square = dot(fit.m, fit.m);
  return quadratic_form(fit.covariance, fit.m) / (square * square * square);
}

std::vector<TapePlace> tape_places(const WallFrames& frames, const WallWork& work) {
  std::vector<TapePlace> places;
  double last_m = kNoNumber;
  for (std::size_t f = 0; f < frames.tape_m.size(); ++f) {
    const double tape_m = frames.tape_m[f];
    if (!work.fits[f] || std::isnan(tape_m)) continue;
    if (tape_m != last_m) places.push_back({.tape_m = tape_m});
    last_m = tape_m;
    TapePlace& place = places.back();
    place.measured_m += work.measure.planes[f].distance_m, place.m.push_back(work.fits[f]->m);
    place.per_bias += distance_per_bias(work, f), place.variance += variance_of_distance(*work.fits[f]);
    place.frames.push_back(f);
  }
  const double crowding = crowding_of(work, places);
  for (TapePlace& place : places) {
    const double share = 1.0 / static_cast<double>(place.m.size());
    place.measured_m *= share, place.per_bias *= share, place.variance *= crowding * share * share;
  }
  return places;
}

double off_the_law_m(const TapePlace& place, const WallTape& tape, const WallRays& rays) {
  if (tape.is_disparity) return distance_without(place, tape.bias_px.value, rays.focal_baseline_px_m) - place.tape_m;
  const double gain = std::isnan(tape.gain.value) ? 0.0 : tape.gain.value;
  return place.measured_m - place.tape_m * (1.0 + gain) - place.per_bias * tape.bias_m.value;
}

std::optional<WallTape> fit_tape(const WallFrames& frames, const WallWork& work) {
  const std::vector<TapePlace> places = tape_places(frames, work);
  if (places.empty()) return std::nullopt;
  WallTape tape{.places = places.size()};
  bool has_gain = false;
  for (const TapePlace& p : places) has_gain = has_gain || p.tape_m != places.front().tape_m;
  fit_gain(places, has_gain, tape);
  tape.bias_px = {kNoNumber, kNoNumber}, tape.bias_px_spread_m = kNoNumber;
  if (work.rays.has_disparity()) {
    fit_disparity_bias(places, work.rays.focal_baseline_px_m, tape);
    tape.is_disparity = !(tape.spread_m < tape.bias_px_spread_m);
  }
  const bool no_gain = std::isnan(tape.gain.value) || is_zero(tape.gain);
  tape.is_exact = tape.is_disparity ? is_zero(tape.bias_px) : no_gain && is_zero(tape.bias_m);
  return tape;
}

WallFrames without_gain(const WallFrames& frames, const WallRays& rays, const WallTape& tape) {
  WallFrames freed = frames;
  const double gain = std::isnan(tape.gain.value) ? 0.0 : tape.gain.value;
  for (std::size_t i = 0; i < freed.measured_m.size(); ++i) {
    const double bias_m = tape.bias_m.value / rays.length[i % rays.size()];
    freed.measured_m[i] = static_cast<float>((double{freed.measured_m[i]} - bias_m) / (1.0 + gain));
  }
  return freed;
}

WallTape joined(const WallTape& first, const WallTape& rest) {
  WallTape both = first;
  const bool has_gain = !std::isnan(first.gain.value);
  const double stretch = has_gain ? 1.0 + first.gain.value : 1.0;
  if (has_gain) both.gain = {stretch * (1.0 + rest.gain.value) - 1.0, stretch * rest.gain.std_error};
  both.bias_m = {first.bias_m.value + stretch * rest.bias_m.value, stretch * rest.bias_m.std_error};
  both.spread_m = rest.spread_m;
  return both;
}

}  // namespace fathom
