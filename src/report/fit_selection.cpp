// SPDX-License-Identifier: MIT
#include "report/fit_selection.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/beam/model.hpp>

#include "base/counts.hpp"
#include "base/text.hpp"
#include "base/with_prefix.hpp"

namespace fathom {

ScanNumbers choose_scans(const std::string& log, std::string_view selection, std::size_t scans) {
  return with_prefix(log, [&] { return select_scans(selection, scans); });
}

ScanNumbers every_nth(std::span<const std::uint32_t> scans, std::size_t every) {
  ScanNumbers chosen;
  for (std::size_t i = 0; i < scans.size(); i += every) chosen.push_back(scans[i]);
  return chosen;
}

std::string selection_text(const std::string& selection, std::size_t chosen, std::size_t of, std::string_view noun) {
  return fmt::format("{} ({} of {})", selection, grouped(chosen), counted(of, noun));
}

FitReport::Fact log_fact(const std::string& name, std::size_t rays) {
  const std::string file = std::filesystem::path(name).filename().string();
  return {"log", fmt::format("{}{}{} a scan", file, file.empty() ? "" : ", ", counted(rays, "ray"))};
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
    throw InputError(fmt::format("scan {} is in ", both.front()), Setting{"scans"}, " ", options.scans, " and in ",
                     Setting{"test_scans"}, " ", options.test_scans, ": it would not be held out");
  }
  return scans;
}

std::string held_out_note(bool has_cells) {
  return fmt::format(
      "whether the {} was made from these scans cannot be known, and their poses come from the log; name test scans "
      "that you vouch for",
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

void add_largest(const NoReturnPile& largest, double max_range_m, LogFacts& facts) {
  const double at_most_m = max_range_m > 0.0 ? max_range_m : std::numeric_limits<double>::infinity();
  facts.code = largest.code(at_most_m);
  facts.beyond = largest.beyond(at_most_m);
  facts.zeros = largest.share_of_zeros();
  facts.nearest_m = largest.nearest_m();
}

void require_ranges(const NoReturnPile& readings) {
  if (!(readings.nearest_m() > 0.0)) throw InputError(readings.without_ranges());
}

void require_ranges_below(double max_range_m, double nearest_m, double cell_m, const std::string& cause) {
  const std::string why = cause.empty() ? "" : "; " + cause;
  if (reaches(nearest_m, max_range_m)) {
    throw InputError(fmt::format("no reading is below the maximum range, {:.6g} m: the nearest is {:.6g} m{}",
                                 max_range_m, nearest_m, why));
  }
  if (cell_m > max_range_m) {
    throw InputError(fmt::format("the maximum range, {:.6g} m, is shorter than a cell of the map, {:.6g} m{}",
                                 max_range_m, cell_m, why));
  }
}

void require_max_range(double max_range_m, std::string_view before) {
  if (max_range_m > 0.0 && max_range_m <= BeamSensor::kMostRangeM) return;
  if (max_range_m > 0.0) {
    throw InputError(before, "its scans have range_max = ", number_text(max_range_m),
                     " m, which no sensor measures; give ", Setting{"max_range_m"});
  }
  throw InputError(before, "does not say how far its sensor measures; give ", Setting{"max_range_m"});
}

double auto_max_range_m(std::span<const LogFacts> logs, const std::string& first) {
  double least_m = std::numeric_limits<double>::infinity();
  for (const LogFacts& facts : logs) {
    const bool says = facts.max_range_m > 0.0 && facts.max_range_m <= BeamSensor::kMostRangeM;
    const double said_m = says ? facts.max_range_m : std::numeric_limits<double>::infinity();
    // Readings of a code beyond what the log says are "max" already.
    const bool is_code = facts.code.value_m > 0.0 && facts.code.value_m < said_m;
    least_m = std::min(least_m, is_code ? facts.code.below_m() : said_m);
  }
  if (!std::isfinite(least_m)) {
    with_prefix(first, [&] { require_max_range(logs.front().max_range_m, kNoCode); });
  }
  return least_m;
}

const ScanLog& OpenLogs::at(std::size_t log) {
  if (log == which_) return *log_;
  log_.reset();  // two large logs would not fit
  which_ = std::numeric_limits<std::size_t>::max();
  log_ = open_(log);
  if (log_->scans() > 0) with_prefix(log_->name, [&] { validate(*log_); });
  which_ = log;
  return *log_;
}

}  // namespace fathom
