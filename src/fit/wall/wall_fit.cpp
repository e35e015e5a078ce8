// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/fit/wall.hpp>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "fit/chain/chain_fit.hpp"
#include "fit/chain/chain_likelihood.hpp"
#include "fit/uncertainty.hpp"
#include "fit/wall/wall_work.hpp"

namespace fathom {

namespace {

constexpr std::size_t kLeastReadings = 100, kMostForLaws = 20'000, kMostNamed = 3;
constexpr double kMuchTails = 1e-3, kMuchMisfit = 0.05, kLeastRangeRatio = 1.25, kOffTheLaw = 3.0;

/// "gain_bias.rings.3.gain"; `ring`: "rings.3.", or nothing.
template <class Model>
std::string name_in_chain(std::string_view field, std::string_view ring = "") {
  return fmt::format("{}.{}{}", Model::kSlug, ring, field);
}

class WallLearner {
 public:
  WallLearner(const WallFrames& frames, const WallOptions& options)
      : frames_(frames), options_(options), work_(measure_frames(frames, options, nullptr)) {}

  WallFit learn() {
    if (options_.rings && !frames_.sensor.lidar) throw InputError("rings need a lidar, and the sensor is no lidar");
    check_tape(frames_, work_);
    check_depths(frames_, work_);
    // With depths of another unit, later errors would name no file.
    return with_prefix(depths_flag(frames_, work_.measure.planes), [&] { return learn_chain(); });
  }

 private:
  WallFit learn_chain() {
    tape_ = fit_tape(frames_, options_, work_);
    flag_frames();
    flag_turns();
    WallLaw ranges = learn_ranges();
    if (!work_.rays.has_disparity()) ranges = with_tails(ranges);
    fit_.correlation = fit_correlation(work_, shared_by(ranges.chain), options_);
    refuse_time_of_moving();
    fit_.returns = returns(options_.most_returns, fit_.correlation.sum);
    learn_all(ranges);
    flag_measure();
    flag_sanity();
    flag_rings();
    for (const std::string& text : tape_.flags) flag("tape", text);
    std::vector<Finding>& all = fit_.chain.findings;
    all.insert(all.begin(), findings_.begin(), findings_.end());
    fit_.sensor = frames_.sensor, fit_.turns = frames_.turns;
    fit_.measure = std::move(work_.measure);
    fit_.tape = tape_.tape;
    return std::move(fit_);
  }

  /// What does not stand still has no correlation in time.
  void refuse_time_of_moving() {
    if (!options_.still || frames_.turns) return;
    const std::string moves = moving_wall_flag(work_, fit_.correlation.sum);
    if (moves.empty()) return;
    fit_.correlation.time_s = {0.0, kNoNumber};
    flag("moving", moves);
  }

  void flag_sanity() {
    double steps = 0.0;
    for (const Fit::Parameter& p : fit_.chain.parameters) {
      if (p.name == name_in_chain<Disparity>(Disparity::kStepsPerPx)) steps = p.value;
    }
    for (Finding& found : sanity_findings(frames_, work_, steps)) findings_.push_back(std::move(found));
  }

  void flag(std::string_view code, Message text) {
    findings_.push_back({Finding::Severity::kNote, std::string(code), std::move(text)});
  }

  /// `without_rings`: for laws that are chosen before rings are learned one by one.
  [[nodiscard]] ChainReturns returns(std::size_t most, double sum, bool without_rings = false) const {
    return wall_returns(tape_.has_gain() ? tape_.freed : frames_, work_,
                        {.without_rings = without_rings,
                         .sum = sum,
                         .most_returns = std::min(most, options_.most_returns),
                         .tails = takes_tails_,
                         .seed = options_.seed,
                         .tape = tape_.is_in_chain() ? &*tape_.tape : nullptr});
  }

  /// Readings to choose a law of ranges from; losses play no part.
  [[nodiscard]] ChainReturns some_readings() const {
    const std::size_t all = work_.measure.readings + work_.measure.lost;
    const std::size_t per_reading = all / std::max<std::size_t>(work_.measure.readings, 1) + 1;
    const ChainReturns some = returns(kMostForLaws * per_reading, 1.0, options_.rings);
    std::vector<std::size_t> readings;
    for (std::size_t i = 0; i < some.size(); ++i) {
      if (!std::isnan(some.range_m[i])) readings.push_back(i);
    }
    return returns_at(some, readings);
  }

  /// Whether walls were near and far, so that a growth with range can be learned.
  [[nodiscard]] bool range_varies() const {
    const std::vector<WallMeasure::Bin>& bins = work_.measure.by_range;
    double nearest = 1e9, farthest = 0.0;
    for (const WallMeasure::Bin& bin : bins) {
      if (bin.readings * 50 < work_.measure.readings) continue;  // of 2 % and less
      nearest = std::min(nearest, bin.low), farthest = std::max(farthest, bin.high);
    }
    return farthest >= kLeastRangeRatio * nearest;
  }

  /// The models of range with a start.
  WallLaw models_of_range() {
    WallLaw ranges = work_.rays.has_disparity() ? disparity_law() : distance_law();
    if (!tape_.has_gain()) return ranges;
    const WallFit::Tape& tape = *tape_.tape;
    ranges.chain.push_back(GainBias{static_cast<float>(gain_of(tape)), static_cast<float>(tape.bias_m.value)});
    return ranges;
  }

  WallLaw disparity_law() {
    Disparity disparity{.stddev_px = static_cast<float>(std::max(work_.scale.constant, 1e-3))};
    if (tape_.is_in_chain() && !tape_.has_gain()) disparity.bias_px = static_cast<float>(tape_.tape->bias_px.value);
    WallLaw law = {{disparity}, {name_in_chain<Disparity>(Disparity::kStddevPx)}};
    // Levels are found in ranges that no other model moves.
    if (!tape_.has_gain()) law.free.push_back(name_in_chain<Disparity>(Disparity::kStepsPerPx));
    if (tape_.has_gain()) flag("tape", "steps of the disparity cannot be read off ranges that gain and bias move, too");
    return law;
  }

  WallLaw distance_law() {
    const std::string deviation = name_in_chain<DistanceNoise>(DistanceNoise::kStddev);
    if (range_varies()) {
      return {{DistanceNoise{.stddev_m = static_cast<float>(std::max(work_.scale.constant, 1e-6)),
                             .stddev_per_m = static_cast<float>(work_.scale.per_m)}},
              {deviation, name_in_chain<DistanceNoise>(DistanceNoise::kStddevPerM)}};
    }
    flag("one_range",
         "all readings are about as far away: how the deviation grows with the range cannot be learned, and counts as "
         "0");
    return {{DistanceNoise{.stddev_m = static_cast<float>(std::max(work_.measure.deviation, 1e-6))}}, {deviation}};
  }

  /// Learned from some of the readings, for the next steps; losses play no part.
  WallLaw learn_ranges() {
    WallLaw ranges = models_of_range();
    const ChainReturns some = some_readings();
    if (some.size() < kLeastReadings) {
      throw InputError(fmt::format("{} readings are on walls: at least {} are needed", some.size(), kLeastReadings));
    }
    ranges.chain = fit_chain_laws(ranges.chain, chain_parameters(ranges.chain, ranges.free), some,
                                  {.hold_out = 0, .threads = options_.threads}, {.of_intervals = false})
                       .chain;
    return ranges;
  }

  /// Replaces the law where frames show heavy tails: these readings count, too, from here on.
  WallLaw with_tails(const WallLaw& ranges) {
    takes_tails_ = true;
    WallLaw law = choose_range_law(ranges, some_readings(), options_);
    fit_.range_laws = std::move(law.tried);
    takes_tails_ = law.chain.front().noise.slug() != ranges.chain.front().noise.slug();
    return law;
  }

  /// The share of the variance that is not of rounding, of disparities or of images.
  [[nodiscard]] double shared_by(const NoiseChain& ranges) const {
    const WallMeasure& m = work_.measure;
    const double step_m = 2.0 * frames_.half_step_m;
    double square = step_m * step_m;
    if (work_.rays.has_disparity()) {
      double count = 0.0;
      square = 0.0;
      for (const WallMeasure::Bin& bin : m.by_range) {
        const double at_m = 0.5 * (bin.low + bin.high), n = static_cast<double>(bin.readings);
        const double px = step_m * work_.rays.focal_baseline_px_m / (at_m * at_m);
        square += n * px * px, count += n;
      }
      square /= std::max(count, 1.0);
      const double steps = ranges.front().noise.number("steps_per_px");
      if (steps > 0.0) square += 1.0 / (steps * steps);
    }
    return std::clamp(1.0 - square / 12.0 / std::max(m.deviation * m.deviation, 1e-300), 0.05, 1.0);
  }

  void learn_all(const WallLaw& ranges) {
    NoiseChain chain;
    std::vector<std::string> patterns;
    if (work_.measure.lost > 0) {
      std::vector<Message> flags;
      WallLaw losses = choose_losses(returns(kMostForLaws, fit_.correlation.sum), options_, flags);
      for (Message& text : flags) flag("loss_law", std::move(text));
      fit_.loss_laws = std::move(losses.tried);
      chain = std::move(losses.chain), patterns = std::move(losses.free);
    } else if (work_.measure.knows_losses) {
      flag("no_loss", "no return was lost: the chain has no model of loss");
    }
    const std::size_t first_range = chain.size();
    chain.insert(chain.end(), ranges.chain.begin(), ranges.chain.end());
    add_free_ranges(ranges, chain, patterns);
    // One law of energies is tried, among the laws of losses.
    fit_.chain = fit_chain_laws(
        chain, chain_parameters(chain, patterns, fit_.returns.rings()), fit_.returns,
        {.hold_out = options_.hold_out, .block_frames = options_.block_frames, .threads = options_.threads},
        {.of_laws = false});
    fit_.chain.chain[first_range].correlation = fit_.correlation.correlation();
    forget_start();
  }

  /// No user gave it.
  void forget_start() {
    ChainFit& chain = fit_.chain;
    chain.start_log_likelihood = kNoNumber;
    for (Fit::Parameter& p : chain.parameters) p.start = kNoNumber;
    if (chain.held_out) hold_out(chain.held_out->nats, chain.held_out->readings, "", chain);
  }

  /// The rings where this is not 0.
  [[nodiscard]] std::vector<std::size_t> rings_that(double WallRingError::*err) const {
    std::vector<std::size_t> rings;
    for (std::size_t ring = 0; ring < work_.rings.size(); ++ring) {
      if (work_.rings[ring].*err != 0.0) rings.push_back(ring);
    }
    return rings;
  }

  /// Free parameters of the models of range, of single rings if options ask for rings.
  void add_free_ranges(const WallLaw& ranges, NoiseChain& chain, std::vector<std::string>& patterns) {
    if (!options_.rings) {
      patterns.insert(patterns.end(), ranges.free.begin(), ranges.free.end());
      return;
    }
    for (const std::string& name : ranges.free) {
      const std::size_t dot = name.find('.');
      patterns.push_back(takes_tails_ ? name : name.substr(0, dot) + ".rings.*" + name.substr(dot));
    }
    if (!tape_.has_gain()) chain.emplace_back(GainBias{});
    patterns.push_back(name_in_chain<GainBias>(GainBias::kBias, "rings.*."));
    for (const std::size_t ring : rings_that(&WallRingError::gain)) {
      patterns.push_back(name_in_chain<GainBias>(GainBias::kGain, fmt::format("rings.{}.", ring)));
    }
    flag("rings",
         "biases of rings are about the planes, which take what all rings have in common and what rises with the "
         "elevation");
  }

  void flag_frames() {
    std::size_t without = 0, found = 0;
    for (std::size_t f = 0; f < work_.fits.size(); ++f) {
      if (work_.fits[f]) {
        ++found;
      } else if (++without <= kMostNamed) {
        flag("no_wall", fmt::format("{}: {}; it is left out", name_of(frames_, f), work_.measure.planes[f].why_not));
      }
    }
    if (without > kMostNamed)
      flag("no_wall", fmt::format("{} more frames show no wall and are left out", without - kMostNamed));
    if (!frames_.tape_m.empty() || found == 0) return;
    flag("tape",
         "no distance was measured by tape: bias and scale are not known, because they move the plane with the "
         "readings");
  }

  void flag_turns() {
    if (!frames_.turns) return;
    const auto [least, most] = std::ranges::minmax_element(frames_.turns->cols);
    const std::string columns =
        frames_.turns->knows_losses ? fmt::format(", {} to {} columns a turn", *least, *most) : "";
    flag("turns", "points lie between the rays of the sensor: the fit takes the directions of the points" + columns);
    if (options_.still) flag("turns", "turns have different rays: the correlation in time is not known");
    if (frames_.turns->knows_losses) return;
    flag("turns",
         "azimuths lie on no regular grid: which rays came back with nothing is not known, so the share of losses is "
         "not, "
         "and the chain has no model of loss");
  }

  void flag_measure() {
    const WallMeasure& m = work_.measure;
    const double tails =
        static_cast<double>(m.tails) / static_cast<double>(std::max<std::size_t>(m.readings + m.tails, 1));
    if (tails > kMuchTails && !takes_tails_) {
      flag("heavy_tails",
           fmt::format(
               "{:.2f} % of the readings lie alone and more than {:g} deviations off the wall, and are left out: "
               "the error has heavier tails than a normal one",
               100.0 * tails, kWallGate));
    }
    if (m.hidden > 0) {
      flag("hidden",
           fmt::format("{} in the band at the left side that the right lens does not see {} left out: {} simulates it",
                       counted(m.hidden, "loss"), are(m.hidden), InvalidBand::kSlug));
    }
    // Among other surfaces most losses are of rays that look elsewhere.
    if (m.not_known > m.hidden && !work_.rays.sees_more) {
      const std::size_t left_out = m.not_known - m.hidden;
      flag("unknown_losses", fmt::format("{} {} left out, because it is not known whether the wall is there",
                                         counted(left_out, "loss"), are(left_out)));
    }
    const WallFit::CorrelationFit& c = fit_.correlation;
    if (c.misfit > kMuchMisfit) {
      flag("correlation",
           fmt::format("the correlation of the error is not of the shape {}: it is off by {:.2f} in the mean",
                       kChoiceWords<CorrelationShape>[static_cast<std::size_t>(c.shape)], c.misfit));
    }
    for (const WallMeasure::Bin& bin : m.by_range) flag_bin(bin);
  }

  void flag_rings() {
    const std::vector<std::size_t> erring = rings_that(&WallRingError::bias_m),
                                   growing = rings_that(&WallRingError::gain);
    if (erring.empty()) return;
    const std::vector<WallMeasure::Bin>& bins = work_.measure.by_range;
    const double nearest_m = bins.front().low, farthest_m = bins.back().high;
    const auto most_m = [&](std::size_t ring) {
      const WallRingError& error = work_.rings[ring];
      return std::max(std::abs(error.at(nearest_m)), std::abs(error.at(farthest_m)));
    };
    const std::size_t worst = *std::ranges::max_element(erring, {}, most_m);
    std::string what = erring.size() == 1 ? fmt::format("ring {} is off in all frames", worst)
                                          : fmt::format("{} rings are off in all frames, ring {} the most",
                                                        grouped(erring.size()), worst);
    what += fmt::format(", by up to {:.2g} m", most_m(worst));
    if (!options_.rings) {
      flag("rings",
           what + ": that is no noise, but counts as noise where all rings have one law; learn each ring (rings)");
    } else if (!growing.empty()) {
      flag("rings", fmt::format("{}; errors that grow with the range are learned as gains, too: ring {}", what,
                                fmt::join(growing, ", ")));
    }
  }

  /// Flags a range where errors are far from the learned law.
  void flag_bin(const WallMeasure::Bin& bin) {
    const double measured = work_.rays.has_disparity() ? bin.deviation_px : bin.deviation_m;
    const double law = work_.scale.constant + work_.scale.per_m * 0.5 * (bin.low + bin.high);
    if (!(measured > 0.0) || !(law > 0.0) || bin.readings * 50 < work_.measure.readings) return;
    if (measured < kOffTheLaw * law && law < kOffTheLaw * measured) return;
    flag("misfit", fmt::format("at {:.2f} to {:.2f} m the deviation is {:.3g} {}, and the law has {:.3g}", bin.low,
                               bin.high, measured, work_.rays.has_disparity() ? "px" : "m", law));
  }

  const WallFrames& frames_;
  const WallOptions& options_;
  bool takes_tails_ = false;  ///< whether single readings off the wall are returns
  WallWork work_;
  TapeFit tape_;
  WallFit fit_;
  std::vector<Finding> findings_;
};

}  // namespace

WallFit fit_wall(const WallFrames& frames, const WallOptions& options) { return WallLearner(frames, options).learn(); }

}  // namespace fathom
