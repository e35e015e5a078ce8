// SPDX-License-Identifier: MIT
// Gain and bias of a sensor from walls whose distance was measured with a tape, and checks of these distances.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/noise/disparity.hpp>
#include <fathom/noise/gain_bias.hpp>

#include "core/text.hpp"
#include "fit/uncertainty.hpp"
#include "fit/wall/wall_work.hpp"

namespace fathom {

namespace {

constexpr double kMostTimes = 1.5, kMostTimesOfOne = 3.0;    // factors between tape and readings
constexpr double kAlikeTimes = 1.2, kNearTimes = 1.1;        // within which factors are the same
constexpr double kTapeErrorM = 0.01, kTapeErrorPerM = 0.02;  // of a careful tape, and of a frame held in the hand
constexpr double kApart = 0.05, kFarApart = 0.2, kFarOffPerM = 0.1;
constexpr double kSurely = 5.0;  // deviations by the readings

constexpr std::array<std::pair<double, std::string_view>, 4> kUnits = {
    {{100.0, "cm"}, {1000.0, "mm"}, {39.37, "inches"}, {3.281, "feet"}}};  // in a metre

/// A run of frames with one distance: means over its frames.
struct TapePlace {
  double tape_m = 0.0, measured_m = 0.0;
  double per_bias = 0.0;                 ///< by how much the distance of the plane moves with a bias along the rays
  double variance = 0.0;                 ///< of measured_m as its readings say, m^2
  std::vector<std::size_t> frames = {};  ///< with a wall
  /// Of the frame whose readings are nearest to the tape.
  std::size_t nearest = 0;
  double by_tape = 0.0;  ///< its distance by tape over that by its readings

  [[nodiscard]] double times() const { return std::max(by_tape, 1.0 / by_tape); }
};

/// Variance of the distance 1 / |m| of a plane through readings with independent errors, m^2.
double variance_of_distance(const WallPlaneFit& fit) {
  const double square = dot(fit.m, fit.m);
  return quadratic_form(fit.covariance, fit.m) / (square * square * square);
}

/// How far the plane of a frame moves when every range is longer by a unit: the step of the fit that this causes.
double distance_per_bias(const WallWork& work, std::size_t f) {
  const Vec3 plane = work.fits[f]->m;
  PlaneStep step;
  work.for_each_ray(f, [&](const WallRays& rays, std::size_t i, WallMeasure::Pixel pixel) {
    if (pixel != WallMeasure::Pixel::kWall) return;
    const double clean_m = rays.clean_m(i, plane), square = clean_m * clean_m;
    // How the error moves with a range that is longer.
    const double per_bias = (rays.has_disparity() ? -rays.focal_baseline_px_m / square : 1.0) / rays.length[i];
    step.add(rays.slope(i, clean_m, plane), per_bias, work.scale.at(rays, i, clean_m));
  });
  const auto covariance = plane_inverse(step.information, work.rays.unknowns());
  if (!covariance) return 1.0;
  return -vector_of(plane).dot(*covariance * step.right) / (norm(plane) * dot(plane, plane));
}

/// Correlated readings of a frame make frames of one place differ by more than independent readings would.
double crowding_of(const WallWork& work, const std::vector<TapePlace>& places) {
  double square = 0.0, degrees = 0.0;
  for (const TapePlace& place : places) {
    for (const std::size_t f : place.frames) {
      const double off_m = work.measure.planes[f].distance_m - place.measured_m;
      square += off_m * off_m / variance_of_distance(*work.fits[f]);
    }
    degrees += static_cast<double>(place.frames.size()) - 1.0;
  }
  return degrees > 0.0 ? std::max(1.0, square / degrees) : 1.0;
}

/// Of the frames with a wall and a distance.
std::vector<TapePlace> tape_places(const WallFrames& frames, const WallWork& work) {
  std::vector<TapePlace> places;
  double last_m = kNoNumber;
  for (std::size_t f = 0; f < frames.tape_m.size(); ++f) {
    const double tape_m = frames.tape_m[f];
    if (!work.fits[f] || std::isnan(tape_m)) continue;
    if (tape_m != last_m) places.push_back({.tape_m = tape_m});
    last_m = tape_m;
    TapePlace& place = places.back();
    place.measured_m += work.measure.planes[f].distance_m;
    place.per_bias += distance_per_bias(work, f), place.variance += variance_of_distance(*work.fits[f]);
    place.frames.push_back(f);
    const double by_tape = tape_m / work.measure.planes[f].distance_m;
    if (place.frames.size() > 1 && std::max(by_tape, 1.0 / by_tape) >= place.times()) continue;
    place.nearest = f, place.by_tape = by_tape;
  }
  for (TapePlace& place : places) {
    const double share = 1.0 / static_cast<double>(place.frames.size());
    place.measured_m *= share, place.per_bias *= share, place.variance *= share * share;
  }
  const double crowding = crowding_of(work, places);
  for (TapePlace& place : places) place.variance *= crowding;
  return places;
}

/// Least squares over places.
struct PlaceFit {
  std::vector<Estimate> values;
  double spread_m = kNoNumber;  ///< deviation of the places about them; NaN for too few
};

/// `slopes` [places, values]. An error is the larger of two: by the spread of places, which is uncertain where they are
/// few, and by their readings. NaN where there is no spread. Nothing where the places do not determine the values.
std::optional<PlaceFit> fit_places(const std::vector<TapePlace>& places, const Eigen::MatrixXd& slopes,
                                   const Eigen::VectorXd& off_m) {
  const auto inverse = inverse_of(slopes.transpose() * slopes, 0.0);
  if (!inverse) return std::nullopt;
  Eigen::VectorXd variances(slopes.rows());
  for (std::size_t k = 0; k < places.size(); ++k) variances[k] = places[k].variance;
  const Eigen::MatrixXd to_values = *inverse * slopes.transpose();
  const Eigen::VectorXd values = to_values * off_m, of_readings = to_values.cwiseAbs2() * variances;
  const auto degrees = static_cast<std::size_t>(std::max<Eigen::Index>(0, slopes.rows() - slopes.cols()));
  PlaceFit fit;
  if (degrees > 0) fit.spread_m = (off_m - slopes * values).norm() / std::sqrt(static_cast<double>(degrees));
  for (Eigen::Index k = 0; k < values.size(); ++k) {
    const double of_spread = two_errors_widening(degrees) * fit.spread_m * std::sqrt((*inverse)(k, k));
    const double error = degrees > 0 ? std::max(of_spread, std::sqrt(of_readings[k])) : kNoNumber;
    fit.values.push_back({values[k], error});
  }
  return fit;
}

/// Whether a value is within two errors of 0; without an error it is not.
bool is_zero(const Estimate& e) { return std::abs(e.value) < 2.0 * e.std_error; }

bool is_near(double times, double unit) { return times < kNearTimes * unit && unit < kNearTimes * times; }

/// A power of ten or of two that the factor is near to; else the factor.
double usual_factor(double times) {
  for (const double base : {10.0, 2.0}) {
    const double power = std::round(std::log(times) / std::log(base));
    if (power >= 1.0 && is_near(times, std::pow(base, power))) return std::pow(base, power);
  }
  return times;
}

/// What may be wrong where all are off by such a factor.
Message cause_of(const WallFrames& frames, bool sees_more, double by_tape) {
  const double times = usual_factor(std::max(by_tape, 1.0 / by_tape));
  const bool has_levels = frames.sensor.camera && frames.half_step_m > 0.0;
  std::string cause;
  for (const auto& [per_m, unit] : kUnits) {
    // Readings that were levels have no other unit.
    if (!is_near(times, per_m) || (by_tape <= 1.0 && has_levels)) continue;
    cause = fmt::format("are {} in {}, not in m", by_tape > 1.0 ? "the distances" : "the readings", unit);
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

std::string others_of(std::size_t all) {
  return all > 1 ? fmt::format(" (so it is at {})", counted(all - 1, "more place")) : "";
}

/// In the words of the chain; empty if its models take it.
std::string beyond_limits(const WallFit::Tape& tape) {
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

/// Distances by tape beside planes.
class TapeReader {
 public:
  TapeReader(const WallFrames& frames, const WallWork& work)
      : frames_(frames), work_(work), places_(tape_places(frames, work)) {}

  /// As check_tape().
  void check() const {
    if (places_.empty()) return;
    check_all();
    const TapePlace& worst = *std::ranges::max_element(places_, {}, &TapePlace::times);
    const auto off =
        std::ranges::count_if(places_, [](const TapePlace& place) { return place.times() > kMostTimesOfOne; });
    if (off == 0) return;
    const double times = worst.times();
    const bool is_shifted = is_near(times, 10.0) || is_near(times, 100.0) || is_near(times, 1000.0);
    const std::string others =
        off == 1 ? ", unlike others" : fmt::format(", and {} of {} places are as far off", off, places_.size());
    refuse(worst,
           fmt::format("{}: is the distance typed right{}?", others, is_shifted ? ", with its decimal point" : ""));
  }

  /// Nothing where no distance of a frame with a wall is given.
  [[nodiscard]] std::optional<WallFit::Tape> fit() const {
    if (places_.empty()) return std::nullopt;
    WallFit::Tape tape{.places = places_.size()};
    tape.gain = tape.bias_m = tape.bias_px = {kNoNumber, kNoNumber};
    tape.spread_m = tape.bias_px_spread_m = kNoNumber;
    fit_gain(tape);
    if (work_.rays.has_disparity()) {
      fit_disparity_bias(tape);
      tape.is_disparity = !(tape.spread_m < tape.bias_px_spread_m);
    }
    const bool no_gain = std::isnan(tape.gain.value) || is_zero(tape.gain);
    tape.is_exact = tape.is_disparity ? is_zero(tape.bias_px) : no_gain && is_zero(tape.bias_m);
    return tape;
  }

  /// Flags on places far from gain and bias, and on frames far from their places. Sets is_contradicted of `tape`.
  [[nodiscard]] std::vector<std::string> doubts(WallFit::Tape& tape) const {
    std::vector<std::string> doubts;
    doubt_gaps(tape, doubts), doubt_places(tape, doubts);
    if (tape.is_exact) return doubts;
    const std::string beyond = beyond_limits(tape);
    if (beyond.empty()) return doubts;
    tape.is_contradicted = true;
    doubts.push_back("distances by tape tell " + beyond +
                     ": see whether two of them were swapped, or places are too near to each other");
    return doubts;
  }

 private:
  [[nodiscard]] double distance_m(std::size_t f) const { return work_.measure.planes[f].distance_m; }

  [[noreturn]] void refuse(const TapePlace& place, const Message& more) const {
    throw InputError(Setting{"tape_m"},
                     fmt::format(": {} is {:g} m by tape and {} m by its readings, {} times as far by {}",
                                 name_of(frames_, place.nearest), place.tape_m, rough(distance_m(place.nearest)),
                                 rough(place.times()), place.by_tape > 1.0 ? "tape" : "its readings"),
                     more);
  }

  void check_all() const {
    double logs = 0.0;
    for (const TapePlace& place : places_) logs += std::log(place.by_tape);
    const auto [nearest, farthest] = std::ranges::minmax_element(places_, {}, &TapePlace::by_tape);
    const double least = nearest->by_tape, most = farthest->by_tape;
    if (least < kMostTimes && most > 1.0 / kMostTimes) return;
    const bool are_alike = most < kAlikeTimes * least;
    const std::string others = places_.size() == 1 ? ""
                               : are_alike         ? ", as all others are"
                                                   : ", and all others are off, too";
    const double by_tape = std::exp(logs / static_cast<double>(places_.size()));
    const Message cause = are_alike ? cause_of(frames_, work_.rays.sees_more, by_tape)
                                    : Message("look at the units of distances and readings");
    refuse(places_.front(), Message(others, ": ", cause));
  }

  /// Bias and gain; only the bias if all distances are equal.
  void fit_gain(WallFit::Tape& tape) const {
    const bool has_gain =
        std::ranges::any_of(places_, [&](const TapePlace& place) { return place.tape_m != places_.front().tape_m; });
    Eigen::MatrixXd slopes(places_.size(), has_gain ? 2 : 1);
    Eigen::VectorXd off_m(places_.size());
    for (std::size_t k = 0; k < places_.size(); ++k) {
      slopes(k, 0) = places_[k].per_bias;
      if (has_gain) slopes(k, 1) = places_[k].tape_m;
      off_m[k] = places_[k].measured_m - places_[k].tape_m;
    }
    const auto fit = fit_places(places_, slopes, off_m);
    if (!fit) return;
    tape.bias_m = fit->values[0], tape.spread_m = fit->spread_m;
    if (has_gain) tape.gain = fit->values[1];
  }

  /// Mean distance of the planes whose disparities are smaller by the bias.
  [[nodiscard]] double distance_without(const TapePlace& place, double bias_px) const {
    double sum_m = 0.0;
    for (const std::size_t f : place.frames) {
      sum_m += 1.0 / norm(work_.fits[f]->m - Vec3{bias_px / work_.rays.focal_baseline_px_m, 0.0, 0.0});
    }
    return sum_m / static_cast<double>(place.frames.size());
  }

  /// By Gauss-Newton steps.
  void fit_disparity_bias(WallFit::Tape& tape) const {
    constexpr double kStepPx = 1e-4;
    constexpr int kMostBiasSteps = 20;
    Eigen::MatrixXd slopes(places_.size(), 1);
    Eigen::VectorXd off_m(places_.size());
    const auto step_at = [&](double bias_px) {
      for (std::size_t k = 0; k < places_.size(); ++k) {
        const double at_m = distance_without(places_[k], bias_px);
        slopes(k, 0) = (distance_without(places_[k], bias_px + kStepPx) - at_m) / kStepPx;
        off_m[k] = at_m - places_[k].tape_m;
      }
      return fit_places(places_, slopes, off_m);
    };
    double bias_px = 0.0;
    for (int step = 0; step < kMostBiasSteps; ++step) {
      const auto fit = step_at(bias_px);
      if (!fit) return;
      bias_px -= fit->values[0].value;
      if (std::abs(fit->values[0].value) < 1e-10) break;
    }
    const auto fit = step_at(bias_px);  // spread and error at the last bias
    if (fit) tape.bias_px = {bias_px, fit->values[0].std_error}, tape.bias_px_spread_m = fit->spread_m;
  }

  /// The distance of a place less that by tape, gain and bias, or the bias of the disparity where that is chosen.
  [[nodiscard]] double off_the_law_m(const TapePlace& place, const WallFit::Tape& tape) const {
    if (tape.is_disparity) return distance_without(place, tape.bias_px.value) - place.tape_m;
    return place.measured_m - place.tape_m * (1.0 + gain_of(tape)) - place.per_bias * tape.bias_m.value;
  }

  void doubt_gaps(WallFit::Tape& tape, std::vector<std::string>& doubts) const {
    std::size_t gaps = 0, near = 0, far = 0;
    double largest = 0.0;  // as a share of the nearer distance
    for (const TapePlace& place : places_) {
      const auto [a, b] = std::ranges::minmax_element(place.frames, {}, [&](std::size_t f) { return distance_m(f); });
      const double apart_m = distance_m(*b) - distance_m(*a), share = apart_m / distance_m(*a);
      const double error_m = std::sqrt(variance_of_distance(*work_.fits[*a]) + variance_of_distance(*work_.fits[*b]));
      if (!(share > kApart && apart_m > kSurely * error_m)) continue;
      ++gaps;
      if (share > largest) largest = share, near = *a, far = *b;
    }
    if (gaps == 0) return;
    tape.is_contradicted = tape.is_contradicted || largest > kFarApart;
    doubts.push_back(fmt::format(
        "frames of one distance by tape lie {:.2g} m apart by their readings: {} at {:.2f} m and {} at {:.2f} m are "
        "both {:g} m by tape{}; give each place its own distance",
        distance_m(far) - distance_m(near), name_of(frames_, near), distance_m(near), name_of(frames_, far),
        distance_m(far), frames_.tape_m[near], others_of(gaps)));
  }

  void doubt_places(WallFit::Tape& tape, std::vector<std::string>& doubts) const {
    const TapePlace* worst = nullptr;
    double worst_m = 0.0;
    std::size_t off = 0;
    for (const TapePlace& place : places_) {
      const double off_m = off_the_law_m(place, tape);
      const double allowed_m =
          std::max(kTapeErrorM + kTapeErrorPerM * place.tape_m, kSurely * std::sqrt(place.variance));
      if (!(std::abs(off_m) > allowed_m)) continue;
      ++off;
      tape.is_contradicted = tape.is_contradicted || std::abs(off_m) > kTapeErrorM + kFarOffPerM * place.tape_m;
      if (worst == nullptr || std::abs(off_m) > std::abs(worst_m)) worst = &place, worst_m = off_m;
    }
    if (worst == nullptr) return;
    doubts.push_back(fmt::format(
        "distances by tape lie on no line of {}: {}, {:g} m by tape, is {:.2g} m too {} for it{}; see whether a "
        "distance was read or typed wrongly, or two were swapped",
        tape.is_disparity ? "a bias of the disparity" : "gain and bias", name_of(frames_, worst->frames.front()),
        worst->tape_m, std::abs(worst_m), worst_m > 0.0 ? "far" : "near", others_of(off)));
  }

  const WallFrames& frames_;
  const WallWork& work_;
  std::vector<TapePlace> places_;
};

/// The frames without gain and bias along their rays.
WallFrames without_gain(const WallFrames& frames, const WallRays& rays, const WallFit::Tape& tape) {
  WallFrames freed = frames;
  for (std::size_t i = 0; i < freed.measured_m.size(); ++i) {
    const double bias_m = tape.bias_m.value / rays.length[i % rays.size()];
    freed.measured_m[i] = static_cast<float>((double{freed.measured_m[i]} - bias_m) / (1.0 + gain_of(tape)));
  }
  return freed;
}

/// `first`, followed by the gain and bias that remain in frames without it.
WallFit::Tape joined(const WallFit::Tape& first, const WallFit::Tape& rest) {
  WallFit::Tape both = first;
  const double stretch = 1.0 + gain_of(first);
  if (!std::isnan(first.gain.value)) {
    both.gain = {stretch * (1.0 + rest.gain.value) - 1.0, stretch * rest.gain.std_error};
  }
  both.bias_m = {first.bias_m.value + stretch * rest.bias_m.value, stretch * rest.bias_m.std_error};
  both.spread_m = rest.spread_m;
  return both;
}

/// Flags on questions that the distances leave open, and doubts.
std::vector<std::string> flags_of(const WallFit::Tape& tape, const std::vector<std::string>& doubts) {
  std::vector<std::string> flags;
  if (std::isnan(tape.gain.value)) {
    flags.emplace_back(
        "all distances by tape are the same: scale and bias cannot be separated, and the scale counts as exact");
  }
  if (tape.places < 4) {
    flags.push_back(fmt::format("{} by tape: so few say little about the errors of gain and bias",
                                counted(tape.places, "distance")));
  }
  flags.insert(flags.end(), doubts.begin(), doubts.end());
  if (tape.is_contradicted) {
    flags.emplace_back(
        "distances by tape and readings contradict each other: the chain has neither gain nor bias of them");
  }
  return flags;
}

}  // namespace

void check_tape(const WallFrames& frames, const WallWork& work) { TapeReader(frames, work).check(); }

TapeFit fit_tape(const WallFrames& frames, const WallOptions& options, WallWork& work) {
  constexpr int kFreeingRounds = 3;
  TapeFit fit{.tape = TapeReader(frames, work).fit()};
  if (!fit.tape) {
    if (!frames.tape_m.empty()) fit.flags = {"no frame with a wall has a distance: bias and scale are not known"};
    return fit;
  }
  std::vector<std::string> doubts = TapeReader(frames, work).doubts(*fit.tape);
  for (int round = 0; round < kFreeingRounds && fit.has_gain(); ++round) {
    fit.freed = without_gain(frames, work.rays, *fit.tape);
    work = measure_frames(fit.freed, options, nullptr);
    const TapeReader reader(fit.freed, work);
    auto rest = reader.fit();
    if (!rest) continue;
    fit.tape = joined(*fit.tape, *rest), rest->is_disparity = false;
    doubts = reader.doubts(*rest);
  }
  if (fit.is_in_chain()) {
    const std::string beyond = beyond_limits(*fit.tape);
    if (!beyond.empty()) throw InputError(Setting{"tape_m"}, ": distances and readings tell ", beyond);
  }
  fit.flags = flags_of(*fit.tape, doubts);
  return fit;
}

}  // namespace fathom
