// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <fathom/core/random.hpp>

#include "fit/report/figures.hpp"
#include "fit/report/sanity.hpp"

namespace fathom {

namespace {

constexpr double kAll = 1.0 - 1e-15;            // nothing lies beyond: half of all cdfs need not be worked out
constexpr std::size_t kModelledPairs = 16'384;  // the error of a bar is at most 0.4 % of all readings

MixtureBin& bin_at(MixtureShares& shares, double value) {
  const auto upper = std::ranges::upper_bound(shares.edges, value);
  if (upper == shares.edges.begin()) return shares.below;
  if (upper == shares.edges.end()) return shares.beyond;
  return shares.bins[static_cast<std::size_t>(upper - shares.edges.begin()) - 1];
}

/// Adds the mass of the components between one edge and the next, for one pair.
class ComponentCounter {
 public:
  ComponentCounter(const FitReport& report, const BeamDensity& density)
      : density_(density), p_(report.fit.model), limit_m_(report.model.sensor.max_range_m) {}

  /// What lies between the last edge, at first 0, and this one.
  void add_up_to(double edge_m, MixtureBin& bin) {
    const double to_m = std::clamp(edge_m, from_m_, limit_m_);
    if (!(to_m > from_m_)) return;
    const double hits = hits_ < kAll ? density_.hit().cdf(to_m) : hits_;
    const double shorts = shorts_ < kAll ? density_.shorts().cdf(to_m) : shorts_;
    bin.hit += density_.w_hit() * (hits - hits_);
    bin.shorts += p_.w_short * (shorts - shorts_);
    bin.rand += p_.w_rand * (to_m - from_m_) / limit_m_;
    from_m_ = to_m, hits_ = hits, shorts_ = shorts;
  }

 private:
  const BeamDensity& density_;
  const BeamParameters& p_;
  double limit_m_, from_m_ = 0.0, hits_ = 0.0, shorts_ = 0.0;
};

/// `origin_m`: where the edges count from.
void add_components(const FitReport& report, const BeamDensity& density, double origin_m, MixtureShares& shares) {
  ComponentCounter counter(report, density);
  counter.add_up_to(origin_m + shares.edges.front(), shares.below);
  for (std::size_t i = 0; i < shares.bins.size(); ++i) {
    counter.add_up_to(origin_m + shares.edges[i + 1], shares.bins[i]);
  }
  counter.add_up_to(report.model.sensor.max_range_m, shares.beyond);
  shares.max_expected += density.w_max();
}

/// Which of `pairs` pairs stand for all, ascending: all, or one at random of every stretch of equal length. Pairs come
/// beam by beam and scan by scan, so that every k-th of them may be of one beam only.
std::vector<std::size_t> draw_pairs(std::size_t pairs) {
  std::vector<std::size_t> drawn(std::min(pairs, kModelledPairs));
  const NoiseKey key = {0, 0, make_stream("report", 0, "mixture_shares")};
  const double stretch = static_cast<double>(pairs) / static_cast<double>(std::max<std::size_t>(1, drawn.size()));
  for (std::size_t k = 0; k < drawn.size(); ++k) {
    const PhiloxBlock block = keyed_block(key, static_cast<std::uint32_t>(k), 0);
    const double u = pairs > kModelledPairs ? open_uniform(block.word[0], block.word[1]) : 0.5;
    drawn[k] = std::min(pairs - 1, static_cast<std::size_t>((static_cast<double>(k) + u) * stretch));
  }
  return drawn;
}

/// `by_residual`: bins count from where hits are centred, else from the sensor.
MixtureShares make_shares(const FitReport& report, std::vector<double> edges, bool by_residual) {
  const BeamSensor& sensor = report.model.sensor;
  const BeamData& data = report.shown;
  const auto counts = [&](std::size_t i) {
    return classify(data.reading_m[i], sensor) != ReadingKind::kNone &&
           !(by_residual && reaches(data.expected_m[i], sensor.max_range_m));
  };
  MixtureShares shares;
  shares.bins.resize(edges.size() - 1);
  shares.edges = std::move(edges);
  for (std::size_t i = 0; i < data.reading_m.size(); ++i) shares.pairs += counts(i) ? 1 : 0;
  const std::vector<std::size_t> drawn = draw_pairs(shares.pairs);
  shares.modelled = drawn.size();
  const double per_reading = 1.0 / static_cast<double>(std::max<std::size_t>(1, shares.pairs));
  auto next = drawn.begin();
  for (std::size_t i = 0, pair = 0; i < data.reading_m.size(); ++i) {
    if (!counts(i)) continue;
    // Most pairs need none, and it is costly.
    const auto density = [&] { return BeamDensity(report.fit.model, sensor, data.expected_m[i]); };
    const double origin_m = by_residual ? density().expected_m() : 0.0;
    const bool is_max = classify(data.reading_m[i], sensor) == ReadingKind::kMax;
    (is_max ? shares.max_readings : bin_at(shares, data.reading_m[i] - origin_m).readings) += per_reading;
    for (; next != drawn.end() && *next == pair; ++next) add_components(report, density(), origin_m, shares);
    ++pair;
  }
  const double per_modelled = 1.0 / static_cast<double>(std::max<std::size_t>(1, shares.modelled));
  const auto scale = [per_modelled](MixtureBin& bin) {
    for (double* component : {&bin.hit, &bin.shorts, &bin.rand}) *component *= per_modelled;
  };
  std::ranges::for_each(shares.bins, scale);
  scale(shares.below), scale(shares.beyond);
  shares.max_expected *= per_modelled;
  return shares;
}

}  // namespace

MixtureShares shares_by_range(const FitReport& report, std::vector<double> edges) {
  return make_shares(report, std::move(edges), false);
}

MixtureShares shares_by_residual(const FitReport& report, std::vector<double> edges) {
  return make_shares(report, std::move(edges), true);
}

MixtureShares tail_shares(const FitReport& report) {
  const double sigma_m = usual_sigma_m(report), core_m = kCoreSigmas * sigma_m, tail_m = kTailSigmas * sigma_m;
  return shares_by_residual(report, {-tail_m, -core_m, core_m, tail_m});
}

namespace {

constexpr double kLeastShare = 0.005, kLeastPart = 0.1;  // of all readings, and of the expected share
constexpr double kChance = 5.0;                          // standard deviations of a share

}  // namespace

void Disagreements::compare(const std::string& where, double readings, double expected, std::string_view more,
                            std::string_view less) {
  if (!disagree(readings, expected, shares)) return;
  found.push_back(fmt::format("{}: {:.2f} % of the readings, {:.2f} % by the model: {}", where, 100.0 * readings,
                              100.0 * expected,
                              is_wrong_map          ? "in a wrong map that says nothing of the sensor"
                              : readings > expected ? more
                                                    : less));
}

std::string tail_words(double readings, double expected) {
  return fmt::format("{:.1f} % of the readings lie {:g} to {:g} sigma from the surface, {:.1f} % by the model",
                     100.0 * readings, kCoreSigmas, kTailSigmas, 100.0 * expected);
}

bool disagree(double readings, double expected, const MixtureShares& shares) {
  const auto deviation = [](double share, std::size_t n) {
    return std::sqrt(std::max(0.0, share * (1.0 - share)) / static_cast<double>(std::max<std::size_t>(1, n)));
  };
  // By either share: where no reading is, that of the readings would be sure of it, however few there are. So at least
  // 25 readings are there or are expected.
  const double chance = kChance * (std::max(deviation(readings, shares.pairs), deviation(expected, shares.pairs)) +
                                   (shares.modelled < shares.pairs ? deviation(expected, shares.modelled) : 0.0));
  return std::abs(readings - expected) > std::max(kLeastShare + kLeastPart * expected, chance);
}

std::vector<std::string> disagreements(const FitReport& report) {
  const double far_m = usual_range_m(report), limit_m = report.model.sensor.max_range_m;
  const MixtureShares by_range = shares_by_range(report, {0.0, far_m});
  const bool is_wrong_map = !wrong_map_flag(report).empty();
  Disagreements ranges = {.shares = by_range, .is_wrong_map = is_wrong_map};
  const bool book = report.model.sensor.miss == MissPolicy::kBook;
  ranges.compare("no return", by_range.max_readings, by_range.max_expected,
                 book ? "where the map expects nothing, sensors return Z: miss: atom models this"
                      : "the sensor loses more returns than the model knows",
                 "the sensor loses fewer returns than the model says");
  if (far_m < limit_m) {
    ranges.compare(fmt::format("beyond {:.3g} m", far_m), by_range.beyond.readings, by_range.beyond.expected(),
                   "the model does not know what lies there",
                   book && by_range.beyond.hit > 0.5 * by_range.beyond.expected()
                       ? "the model has hits where the sensor returns nothing: try miss: atom"
                       : "random readings of the model reach farther than the sensor's: try a smaller maximum range");
  }
  const MixtureShares near = tail_shares(report);
  Disagreements tails = {.shares = near, .is_wrong_map = is_wrong_map};
  const auto tail = [&](const char* side, const MixtureBin& bin) {
    tails.compare(fmt::format("{:g} to {:g} sigma {} the surface", kCoreSigmas, kTailSigmas, side), bin.readings,
                  bin.expected(), kHeavyTails, kLightTails);
  };
  tail("before", near.bins[0]);
  tail("behind", near.bins[2]);
  tails.compare(fmt::format("more than {:g} sigma before the surface", kTailSigmas), near.below.readings,
                near.below.expected(), "more is in front of the map's surfaces than the model says",
                "less is in front of the map's surfaces than the model says");
  tails.compare(fmt::format("more than {:g} sigma behind the surface", kTailSigmas), near.beyond.readings,
                near.beyond.expected(), kNothingBehind, "fewer readings pass the map's surfaces than the model says");
  std::vector<std::string> found = ranges.found;
  found.insert(found.end(), tails.found.begin(), tails.found.end());
  return found;
}

}  // namespace fathom
