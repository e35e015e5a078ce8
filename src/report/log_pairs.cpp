// SPDX-License-Identifier: MIT
#include <fathom/calibrate/log_pairs.hpp>

#include <cmath>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

namespace fathom {

LogPairs range_pairs_of_log(const ScanLog& log, const World& world, const LogPairsOptions& options) {
  const double max_range_m = options.max_range_m.value_or(log.max_range_m);
  if (!(max_range_m > 0.0)) {
    throw InputError(fmt::format("{}: the log does not say how far the sensor measures, give max_range_m", log.name));
  }
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

}  // namespace fathom
