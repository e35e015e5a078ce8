// SPDX-License-Identifier: MIT
#include "report/fit_selection.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "base/with_prefix.hpp"

namespace fathom {

ScanNumbers choose_scans(const std::string& log, std::string_view selection, std::size_t scans) {
  return with_prefix(log, [&] { return select_scans(selection, scans); });
}

ScanLog chosen_scans(const ScanLog& log, std::span<const std::uint32_t> scans) {
  ScanLog chosen = {.azimuth_rad = log.azimuth_rad,
                    .pose = {},
                    .range_m = {},
                    .ray_offset = {},
                    .has_own_rays = log.has_own_rays,
                    .max_range_m = log.max_range_m,
                    .laser = log.laser,
                    .skipped = log.skipped,
                    .notes = log.notes,
                    .name = log.name};
  for (const std::uint32_t scan : scans) {
    chosen.pose.push_back(log.pose[scan]);
    const auto readings = log.scan(scan);
    chosen.range_m.insert(chosen.range_m.end(), readings.begin(), readings.end());
    const auto offsets = log.offsets(scan);
    chosen.ray_offset.insert(chosen.ray_offset.end(), offsets.begin(), offsets.end());
  }
  return chosen;
}

ScanNumbers held_out_scans(const FitLogOptions& options, const ScanNumbers& learned, const std::string& log,
                           std::size_t of) {
  ScanNumbers scans;
  if (options.test_scans.empty()) {
    const ScanNumbers all = choose_scans(log, "all", of);
    std::set_difference(all.begin(), all.end(), learned.begin(), learned.end(), std::back_inserter(scans));
    return scans;
  }
  scans = choose_scans(log, options.test_scans, of);
  ScanNumbers both;
  std::set_intersection(scans.begin(), scans.end(), learned.begin(), learned.end(), std::back_inserter(both));
  if (!both.empty()) {
    throw InputError(fmt::format("scan {} is in scans {} and in test_scans {}: it would not be held out", both.front(),
                                 options.scans, options.test_scans));
  }
  return scans;
}

std::string held_out_note(bool has_cells) {
  return fmt::format(
      "whether the {} was made from these scans cannot be known, and their poses are those of the log; test_scans "
      "(--test-scans) names scans that you vouch for",
      has_cells ? "map" : "scene");
}

bool has_own_offset(PerLog per_log) { return per_log == PerLog::kOffset || per_log == PerLog::kBoth; }

bool learns_hit_offset(const FitLogOptions& options, double cell_m) {
  if (options.hit_offset_m) return false;
  return options.fit_hit_offset.value_or(cell_m > 0.0 && !has_own_offset(options.per_log));
}

FitOptions fit_options(const FitLogOptions& options, double cell_m) {
  FitOptions fit;
  fit.variant = options.variant;
  fit.stretches = options.stretches;
  fit.compute = options.compute;
  fit.fit_hit_offset = learns_hit_offset(options, cell_m);
  fit.start.tail.hit = options.hit;
  fit.start.hit_offset_m = options.hit_offset_m.value_or(0.0);
  fit.on_iteration = options.on_iteration;
  return fit;
}

}  // namespace fathom
