// SPDX-License-Identifier: MIT
#include "calibrate/wall_tape.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/noise/disparity.hpp>
#include <fathom/noise/gain_bias.hpp>

#include "base/counts.hpp"
#include "calibrate/wall_sanity.hpp"
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

namespace {

constexpr double kMostTimes = 1.5, kMostTimesOfOne = 3.0;    // factors between tape and readings
constexpr double kAlikeTimes = 1.2, kNearTimes = 1.1;        // within which factors are the same
constexpr double kTapeErrorM = 0.01, kTapeErrorPerM = 0.02;  // of a careful tape, and of a frame held in the hand
constexpr double kApart = 0.05, kFarApart = 0.2, kFarOffPerM = 0.1;
constexpr double kSurely = 5.0;  // deviations by the readings

/// The frame of a place whose readings are nearest to the tape.
struct PlaceRatio {
  std::size_t frame = 0;
  double tape_m = 0.0, measured_m = 0.0;

  [[nodiscard]] double by_tape() const { return tape_m / measured_m; }
  [[nodiscard]] double times() const { return std::max(tape_m / measured_m, measured_m / tape_m); }
};

bool is_less_off(const PlaceRatio& a, const PlaceRatio& b) { return a.times() < b.times(); }

std::vector<PlaceRatio> ratios_of(const WallFrames& frames, const WallWork& work) {
  std::vector<PlaceRatio> ratios;
  for (const TapePlace& place : tape_places(frames, work)) {
    std::vector<PlaceRatio> of_frames;
    for (const std::size_t f : place.frames) of_frames.push_back({f, place.tape_m, work.measure.planes[f].distance_m});
    ratios.push_back(*std::min_element(of_frames.begin(), of_frames.end(), is_less_off));
  }
  return ratios;
}

bool is_near(double times, double unit) { return times < kNearTimes * unit && unit < kNearTimes * times; }

/// A power of ten or of two that the factor is near to; else the factor.
double usual_factor(double times) {
  for (const double base : {10.0, 2.0}) {
    const double power = std::round(std::log(times) / std::log(base));
    if (power >= 1.0 && is_near(times, std::pow(base, power))) return std::pow(base, power);
  }
  return times;
}

struct UnitWord {
  double per_m;
  std::string_view name;
};
constexpr std::array<UnitWord, 4> kUnits = {{{100.0, "cm"}, {1000.0, "mm"}, {39.37, "inches"}, {3.281, "feet"}}};

/// What may be wrong where all are off by such a factor.
Message cause_of(const WallFrames& frames, bool sees_more, double by_tape) {
  const double times = usual_factor(std::max(by_tape, 1.0 / by_tape));
  const char* what = by_tape > 1.0 ? "the distances" : "the readings";
  const bool has_levels = frames.sensor.camera && frames.half_step_m > 0.0;
  std::string cause;
  for (const UnitWord& unit : kUnits) {
    // Readings that were levels have no other unit.
    if (is_near(times, unit.per_m) && (by_tape > 1.0 || !has_levels))
      cause = fmt::format("are {} in {}, not in m", what, unit.name);
  }
  if (has_levels) {
    const double levels_per_m = 0.5 / frames.half_step_m;
    return Message(cause, cause.empty() ? "" : "? Or ", Setting{"levels_per_m"},
                   fmt::format(" = {:.10g} may be wrong, and {} agrees with the tape", levels_per_m,
                               rough(by_tape > 1.0 ? levels_per_m / times : levels_per_m * times)));
  }
  if (!cause.empty()) return cause + "?";
  return sees_more ? "are their units the same, and is it the wall of the tape?" : "are their units the same?";
}

[[noreturn]] void refuse(const WallFrames& frames, const WallWork& work, const PlaceRatio& place, const Message& more) {
  const std::string times = fmt::format("{} times as far by {}", rough(place.times()),
                                        place.tape_m > place.measured_m ? "tape" : "its readings");
  throw InputError(Setting{"tape_m"},
                   fmt::format(": {} is {:g} m by tape and {} m by its readings, {}", work.name_of(frames, place.frame),
                               place.tape_m, rough(place.measured_m), times),
                   more);
}

void refuse_all(const WallFrames& frames, const WallWork& work, const std::vector<PlaceRatio>& ratios) {
  double least = ratios.front().by_tape(), most = least, logs = 0.0;
  for (const PlaceRatio& ratio : ratios) {
    least = std::min(least, ratio.by_tape()), most = std::max(most, ratio.by_tape());
    logs += std::log(ratio.by_tape());
  }
  if (least < kMostTimes && most > 1.0 / kMostTimes) return;
  const bool are_alike = most < kAlikeTimes * least;
  const std::string others = ratios.size() == 1 ? ""
                             : are_alike        ? ", as all others are"
                                                : ", and all others are off, too";
  const Message cause = are_alike
                            ? cause_of(frames, work.rays.sees_more, std::exp(logs / static_cast<double>(ratios.size())))
                            : Message("look at the units of distances and readings");
  refuse(frames, work, ratios.front(), Message(others, ": ", cause));
}

/// By how much two frames of a place lie apart, the nearest and the farthest.
struct Gap {
  std::size_t near = 0, far = 0;
  double tape_m = 0.0, apart_m = 0.0, share = 0.0;  ///< of the nearer distance
};

std::optional<Gap> gap_of(const WallWork& work, const TapePlace& place) {
  const auto distance_m = [&](std::size_t f) { return work.measure.planes[f].distance_m; };
  const auto [near, far] =
      std::minmax_element(place.frames.begin(), place.frames.end(),
                          [&](std::size_t a, std::size_t b) { return distance_m(a) < distance_m(b); });
  const double apart_m = distance_m(*far) - distance_m(*near);
  const double error_m = std::sqrt(variance_of_distance(*work.fits[*near]) + variance_of_distance(*work.fits[*far]));
  const double share = apart_m / distance_m(*near);
  if (!(share > kApart && apart_m > kSurely * error_m)) return std::nullopt;
  return Gap{*near, *far, place.tape_m, apart_m, share};
}

std::string others_of(std::size_t all) {
  return all > 1 ? fmt::format(" (so it is at {})", counted(all - 1, "more place")) : "";
}

void doubt_gaps(const WallFrames& frames, const WallWork& work, const std::vector<TapePlace>& places,
                TapeDoubts& doubts) {
  std::vector<Gap> gaps;
  for (const TapePlace& place : places) {
    if (const auto gap = gap_of(work, place)) gaps.push_back(*gap);
  }
  if (gaps.empty()) return;
  const Gap& worst =
      *std::max_element(gaps.begin(), gaps.end(), [](const Gap& a, const Gap& b) { return a.share < b.share; });
  doubts.is_contradicted = doubts.is_contradicted || worst.share > kFarApart;
  doubts.flags.push_back(fmt::format(
      "frames of one distance by tape lie {:.2g} m apart by their readings: {} at {:.2f} m and {} at {:.2f} m are both "
      "{:g} m by tape{}; give each place its own distance",
      worst.apart_m, work.name_of(frames, worst.near), work.measure.planes[worst.near].distance_m,
      work.name_of(frames, worst.far), work.measure.planes[worst.far].distance_m, worst.tape_m,
      others_of(gaps.size())));
}

void doubt_places(const WallFrames& frames, const WallWork& work, const std::vector<TapePlace>& places,
                  const WallTape& tape, TapeDoubts& doubts) {
  const TapePlace* worst = nullptr;
  double worst_m = 0.0;
  std::size_t off = 0;
  for (const TapePlace& place : places) {
    const double off_m = off_the_law_m(place, tape, work.rays);
    const double allowed_m = std::max(kTapeErrorM + kTapeErrorPerM * place.tape_m, kSurely * std::sqrt(place.variance));
    if (!(std::abs(off_m) > allowed_m)) continue;
    ++off;
    doubts.is_contradicted = doubts.is_contradicted || std::abs(off_m) > kTapeErrorM + kFarOffPerM * place.tape_m;
    if (worst == nullptr || std::abs(off_m) > std::abs(worst_m)) worst = &place, worst_m = off_m;
  }
  if (worst == nullptr) return;
  doubts.flags.push_back(fmt::format(
      "distances by tape lie on no line of {}: {}, {:g} m by tape, is {:.2g} m too {} for it{}; see whether a distance "
      "was read or typed wrongly, or two were swapped",
      tape.is_disparity ? "a bias of the disparity" : "gain and bias", work.name_of(frames, worst->frames.front()),
      worst->tape_m, std::abs(worst_m), worst_m > 0.0 ? "far" : "near", others_of(off)));
}

/// In the words of the chain; empty: its models take it.
std::string beyond_limits(const WallTape& tape) {
  const auto is_within = [](const auto& field, double value) { return value >= field.low && value <= field.high; };
  if (tape.is_disparity) {
    const auto bias_px = Disparity::fields()[0];
    if (is_within(bias_px, tape.bias_px.value)) return "";
    return fmt::format("a bias of the disparity of {:.3g} px, which is not in [{:g}, {:g}]", tape.bias_px.value,
                       bias_px.low, bias_px.high);
  }
  const auto [gain, bias_m] = GainBias::fields();
  if (!std::isnan(tape.gain.value) && !is_within(gain, tape.gain.value)) {
    return fmt::format("a gain of {:.3g}, which is not in [{:g}, {:g}]", tape.gain.value, gain.low, gain.high);
  }
  if (is_within(bias_m, tape.bias_m.value)) return "";
  return fmt::format("a bias of {:.3g} m, which is not in [{:g}, {:g}] m", tape.bias_m.value, bias_m.low, bias_m.high);
}

}  // namespace

void check_tape(const WallFrames& frames, const WallWork& work) {
  const std::vector<PlaceRatio> ratios = ratios_of(frames, work);
  if (ratios.empty()) return;
  refuse_all(frames, work, ratios);
  const PlaceRatio& worst = *std::max_element(ratios.begin(), ratios.end(), is_less_off);
  const auto off = std::count_if(ratios.begin(), ratios.end(),
                                 [](const PlaceRatio& ratio) { return ratio.times() > kMostTimesOfOne; });
  if (off == 0) return;
  const double times = worst.times();
  const bool is_shifted = is_near(times, 10.0) || is_near(times, 100.0) || is_near(times, 1000.0);
  const std::string others =
      off == 1 ? ", unlike others" : fmt::format(", and {} of {} places are as far off", off, ratios.size());
  refuse(frames, work, worst,
         fmt::format("{}: is the distance typed right{}?", others, is_shifted ? ", with its decimal point" : ""));
}

void check_tape_limits(const WallTape& tape) {
  if (tape.is_exact || tape.is_contradicted) return;
  const std::string beyond = beyond_limits(tape);
  if (!beyond.empty()) throw InputError(Setting{"tape_m"}, ": distances and readings tell ", beyond);
}

TapeDoubts doubts_of_tape(const WallFrames& frames, const WallWork& work, const WallTape& tape) {
  TapeDoubts doubts;
  const std::vector<TapePlace> places = tape_places(frames, work);
  doubt_gaps(frames, work, places, doubts);
  doubt_places(frames, work, places, tape, doubts);
  if (tape.is_exact) return doubts;
  if (const std::string beyond = beyond_limits(tape); !beyond.empty()) {
    doubts.is_contradicted = true;
    doubts.flags.push_back("distances by tape tell " + beyond +
                           ": see whether two of them were swapped, or places are too near to each other");
  }
  return doubts;
}

std::vector<std::string> tape_flags(const WallTape* tape, const TapeDoubts& doubts) {
  if (tape == nullptr) return {"no frame with a wall has a distance: bias and scale are not known"};
  std::vector<std::string> flags;
  if (std::isnan(tape->gain.value)) {
    flags.emplace_back(
        "all distances by tape are the same: scale and bias cannot be separated, and the scale counts as exact");
  }
  if (tape->places < 4) {
    flags.push_back(fmt::format("{} by tape: so few say little about the errors of gain and bias",
                                counted(tape->places, "distance")));
  }
  flags.insert(flags.end(), doubts.flags.begin(), doubts.flags.end());
  if (tape->is_contradicted) {
    flags.emplace_back(
        "distances by tape and readings contradict each other: the chain has neither gain nor bias of them");
  }
  return flags;
}

}  // namespace fathom
