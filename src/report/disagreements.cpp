// SPDX-License-Identifier: MIT
#include "report/disagreements.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/fit_figures.hpp"
#include "report/mixture_shares.hpp"
#include "report/sanity.hpp"

namespace fathom {

namespace {

constexpr double kLeastShare = 0.005, kLeastPart = 0.1;  // of all readings, and of what the model expects
constexpr double kChance = 5.0;                          // standard deviations of a share
constexpr double kCoreSigmas = 3.0, kTailSigmas = 10.0;

class Sentences {
 public:
  /// `is_wrong_map`: then no share says anything of the sensor.
  Sentences(const MixtureShares& shares, bool is_wrong_map) : shares_(shares), is_wrong_map_(is_wrong_map) {}
  /// `more`, `less`: what it means where there are more or fewer readings than the model expects.
  void compare(const std::string& where, double readings, double expected, std::string_view more,
               std::string_view less) {
    if (!disagree(readings, expected, shares_)) return;
    found.push_back(fmt::format("{}: {:.2f} % of the readings, {:.2f} % by the model: {}", where, 100.0 * readings,
                                100.0 * expected,
                                is_wrong_map_         ? "in a wrong map that says nothing of the sensor"
                                : readings > expected ? more
                                                      : less));
  }
  std::vector<std::string> found = {};

 private:
  const MixtureShares& shares_;
  bool is_wrong_map_;
};

}  // namespace

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
  Sentences ranges(by_range, is_wrong_map);
  const bool book = report.model.sensor.miss == MissPolicy::kBook;
  ranges.compare("no return", by_range.max_readings, by_range.max_expected,
                 book ? "where the map expects nothing, sensors return Z: miss: atom says so"
                      : "the sensor loses more returns than the model knows",
                 "the sensor loses fewer returns than the model says");
  if (far_m < limit_m) {
    ranges.compare(fmt::format("beyond {:.3g} m", far_m), by_range.beyond.readings, by_range.beyond.expected(),
                   "the model does not know what lies there",
                   book && by_range.beyond.hit > 0.5 * by_range.beyond.expected()
                       ? "the model has hits where the sensor returns nothing: try miss: atom"
                       : "random readings of the model reach farther than the sensor's: try a smaller maximum range");
  }
  const double sigma_m = usual_sigma_m(report);
  const MixtureShares near = shares_by_residual(
      report, {-kTailSigmas * sigma_m, -kCoreSigmas * sigma_m, kCoreSigmas * sigma_m, kTailSigmas * sigma_m});
  Sentences tails(near, is_wrong_map);
  constexpr std::string_view kHeavy = "tails heavier than the model's", kLight = "tails lighter than the model's";
  const auto tail = [&](const char* side, const MixtureBin& bin) {
    tails.compare(fmt::format("{:g} to {:g} sigma {} the surface", kCoreSigmas, kTailSigmas, side), bin.readings,
                  bin.expected(), kHeavy, kLight);
  };
  tail("before", near.bins[0]);
  tail("behind", near.bins[2]);
  tails.compare(fmt::format("more than {:g} sigma before the surface", kTailSigmas), near.below.readings,
                near.below.expected(), "more is in front of the map's surfaces than the model says",
                "less is in front of the map's surfaces than the model says");
  tails.compare(fmt::format("more than {:g} sigma behind the surface", kTailSigmas), near.beyond.readings,
                near.beyond.expected(), "surfaces of the map are missing, or poses are wrong",
                "fewer readings pass the map's surfaces than the model says");
  std::vector<std::string> found = ranges.found;
  found.insert(found.end(), tails.found.begin(), tails.found.end());
  return found;
}

}  // namespace fathom
