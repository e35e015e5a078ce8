// SPDX-License-Identifier: MIT
#include <fathom/calibrate/log_pairs.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "base/counts.hpp"
#include "base/with_prefix.hpp"
#include "report/log_facts.hpp"

namespace fathom {

namespace {

constexpr double kMostOthers = 0.5;     // of the readings: in their own maps two offices have 0.11 and 0.12
constexpr double kFewDeviations = 4.0;  // cut to these, a normal has 0.999 of its deviation; cut to 3, 0.987
constexpr double kGoodDeviations = 5.0;

}  // namespace

LogPairs range_pairs_of_log(const ScanLog& log, const World& world, const LogPairsOptions& options) {
  const double max_range_m = options.max_range_m.value_or(log.max_range_m);
  if (!options.max_range_m) with_prefix(log.name, [&] { require_max_range(max_range_m); });
  const double gate_m = options.gate_m;
  if (!(gate_m > 0.0 && gate_m < 0.5 * max_range_m)) {
    throw InputError(
        fmt::format("gate_m = {} is not in (0, {}) m, half of how far the sensor measures", gate_m, 0.5 * max_range_m));
  }
  std::vector<std::uint32_t> scans(log.scans());
  std::iota(scans.begin(), scans.end(), 0U);
  const BeamData data = make_beam_data(log, scans, world, max_range_m, options.compute);
  LogPairs found;
  for (std::size_t i = 0; i < data.reading_m.size(); ++i) {
    const double reading_m = double{data.reading_m[i]}, expected_m = double{data.expected_m[i]};
    if (!(expected_m >= gate_m && expected_m <= max_range_m - gate_m)) continue;
    if (std::isfinite(reading_m) && reading_m < max_range_m && std::abs(reading_m - expected_m) > gate_m) {
      ++found.others;
      continue;
    }
    const bool returned = std::isfinite(reading_m) && reading_m < max_range_m;
    found.pairs.range_m.push_back(returned ? data.reading_m[i] : std::nanf(""));
    found.pairs.expected_m.push_back(data.expected_m[i]);
    found.pairs.scan.push_back(data.scan[i]);
  }
  if (found.pairs.range_m.empty()) {
    throw InputError(fmt::format("{}: no reading is within {} m of what {} expects", log.name, gate_m,
                                 world.name().empty() ? "the world" : world.name()));
  }
  return found;
}

std::vector<std::string> log_pair_flags(const LogPairs& found, const DistanceCalibration& learned, double gate_m) {
  double sum_m = 0.0;
  for (const float expected_m : found.pairs.expected_m) sum_m += double{expected_m};
  const double mean_m = sum_m / static_cast<double>(found.pairs.expected_m.size());
  const double deviation_m = learned.stddev_m.value + learned.stddev_per_m.value * mean_m;
  const bool is_cut = gate_m < kFewDeviations * deviation_m;
  const std::size_t all = found.others + learned.pairs;
  const double others = static_cast<double>(found.others) / static_cast<double>(std::max<std::size_t>(1, all));
  const bool are_most = others > kMostOthers;
  std::vector<std::string> flags;
  if (found.others > 0) {
    flags.push_back(fmt::format(
        "{} of {} readings{} are farther than {} m (gate_m) from what the world expects, and were left out",
        grouped(found.others), grouped(all), are_most ? fmt::format(", {:.0f} %,", 100.0 * others) : "", gate_m));
  }
  if (are_most) {
    flags.back() +=
        ": the map or scene is of another place, or lies elsewhere than the log says, or poses are not those of the "
        "scans";
    if (is_cut) {
      flags.back() +=
          fmt::format(", or the gate, {:.1f} deviations of what was learned, is too small", gate_m / deviation_m);
    }
    return flags;
  }
  if (is_cut) {
    flags.push_back(fmt::format(
        "gate_m = {} is {:.1f} deviations of what was learned at {:.2g} m: it cuts off larger errors, and the "
        "deviation is too small; give gate_m {:.2g}, or more if the deviation still grows",
        gate_m, gate_m / deviation_m, mean_m, std::max(2.0 * gate_m, kGoodDeviations * deviation_m)));
  }
  return flags;
}

}  // namespace fathom
