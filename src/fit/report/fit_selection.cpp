// SPDX-License-Identifier: MIT
#include "fit/report/fit_selection.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/text.hpp"

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

void add_selection(const std::string& scans, const std::string& test_scans, const SelectionCounts& counts,
                   std::vector<FitReport::Fact>& facts) {
  facts.push_back({"learned from", selection_text(scans, counts.learned, counts.of, counts.noun)});
  if (counts.held_out == 0) return;
  const std::string others = test_scans.empty() ? "the others" : test_scans;
  facts.push_back({"held out", selection_text(others, counts.held_out, counts.of, counts.noun)});
}

FitReport::Fact log_fact(const ScanLog& log) {
  const std::string file = std::filesystem::path(log.name).filename().string();
  return {"log", fmt::format("{}{}{} a scan", file, file.empty() ? "" : ", ", counted(log.rays(), "ray"))};
}

Message with_log_name(const Message& words, const std::string& log) {
  return words.empty() || log.empty() ? words : Message(log, ": ", words);
}

ScanNumbers held_out_scans(const std::string& scans, const std::string& test_scans, const ScanNumbers& learned,
                           const std::string& log, std::size_t of) {
  ScanNumbers chosen;
  if (test_scans.empty()) {
    const ScanNumbers all = choose_scans(log, "all", of);
    std::set_difference(all.begin(), all.end(), learned.begin(), learned.end(), std::back_inserter(chosen));
    return chosen;
  }
  chosen = choose_scans(log, test_scans, of);
  ScanNumbers both;
  std::set_intersection(chosen.begin(), chosen.end(), learned.begin(), learned.end(), std::back_inserter(both));
  if (!both.empty()) {
    throw InputError(fmt::format("scan {} is in ", both.front()), Setting{"scans"}, " ", scans, " and in ",
                     Setting{"test_scans"}, " ", test_scans, ": it would not be held out");
  }
  return chosen;
}

std::string held_out_note(bool has_cells) {
  return fmt::format(
      "whether the {} was made from these scans cannot be known, and their poses come from the log; name test scans "
      "that you vouch for",
      has_cells ? "map" : "scene");
}

bool has_own_offset(FitLogOptions::PerLog per_log) {
  return per_log == FitLogOptions::PerLog::kOffset || per_log == FitLogOptions::PerLog::kBoth;
}

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

ReadingFacts reading_facts(std::span<const float> range_m, const std::string& name, double said_m) {
  ReadingFacts facts = {.name = name, .said_m = said_m};
  facts.pile.add(range_m);
  if (!(facts.pile.nearest_m() > 0.0)) throw InputError(with_log_name(facts.pile.without_ranges(), name));
  facts.code = facts.pile.code(said_m > 0.0 ? said_m : std::numeric_limits<double>::infinity());
  return facts;
}

void require_ranges_below(double max_range_m, const ReadingFacts& readings, double cell_m, const Message& cause) {
  const Message why = cause.empty() ? Message() : Message("; ", cause);
  const double nearest_m = readings.pile.nearest_m();
  if (reaches(nearest_m, max_range_m)) {
    throw InputError(
        with_log_name(Message(fmt::format("no reading is below the maximum range, {:.6g} m: the nearest is {:.6g} m",
                                          max_range_m, nearest_m),
                              why),
                      readings.name));
  }
  if (cell_m > max_range_m) {
    throw InputError(
        with_log_name(Message(fmt::format("the maximum range, {:.6g} m, is shorter than a cell of the map, {:.6g} m",
                                          max_range_m, cell_m),
                              why),
                      readings.name));
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

namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

double said_or_coded_m(const ReadingFacts& readings) {
  double said_m = kNoLimit;
  if (readings.said_m > 0.0 && readings.said_m <= BeamSensor::kMostRangeM) said_m = readings.said_m;
  // Readings of a code beyond the range of the log are "max" already.
  const bool is_code = readings.code.value_m > 0.0 && readings.code.value_m < said_m;
  return is_code ? readings.code.below_m() : said_m;
}

}  // namespace

double find_max_range_m(std::span<const ReadingFacts> logs, const std::optional<double>& given, bool is_auto) {
  if (given) return *given;
  const ReadingFacts& first = logs.front();
  if (is_auto) {
    double least_m = kNoLimit;
    for (const ReadingFacts& log : logs) least_m = std::min(least_m, said_or_coded_m(log));
    if (std::isfinite(least_m)) return least_m;
    with_prefix(first.name, [&] {
      require_max_range(first.said_m, "has no value beyond all others that many readings have, and ");
    });
  }
  for (const ReadingFacts& log : logs) {
    with_prefix(log.name, [&] { require_max_range(log.said_m); });
    if (log.said_m == first.said_m) continue;
    throw InputError(
        fmt::format("{} measures up to {} m and {} up to {} m; give ", first.name, first.said_m, log.name, log.said_m),
        Setting{"max_range_m"});
  }
  return first.said_m;
}

}  // namespace fathom
