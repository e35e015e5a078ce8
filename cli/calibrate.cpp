// SPDX-License-Identifier: MIT
#include "calibrate.hpp"

#include <cmath>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/base/field.hpp>
#include <fathom/base/interval_text.hpp>
#include <fathom/calibrate/calibrate.hpp>
#include <fathom/calibrate/run_pairs.hpp>
#include <fathom/noise/distance.hpp>
#include <fathom/noise/stereo_energy.hpp>

#include "number_json.hpp"
#include "signals.hpp"
#include "text.hpp"

namespace fathom_cli {
namespace {

using Json = nlohmann::ordered_json;

/// One learned parameter as tables show it.
struct Entry {
  std::string_view name, unit;
  fathom::Estimate estimate;
  std::optional<fathom::IntervalEstimate> interval = {};  ///< of the same
};

/// A parameter of a noise model, as the table of the model calls it.
template <class Model>
Entry entry(std::string_view parameter, const fathom::Estimate& estimate) {
  const fathom::Field<Model> field = fathom::find_field<Model>(parameter);
  return {field.name, field.unit, estimate};
}

template <class Model>
Entry interval_entry(std::string_view parameter, const fathom::IntervalEstimate& estimate) {
  Entry made = entry<Model>(parameter, estimate);
  made.interval = estimate;
  return made;
}

std::string table(std::span<const Entry> parameters) {
  const bool has_intervals = parameters.front().interval.has_value();
  std::vector<std::vector<std::string>> rows = {{"parameter", "value", "std. error", "unit"}};
  if (has_intervals) rows.front().insert(rows.front().begin() + 3, "95 % interval");
  for (const Entry& p : parameters) {
    const double error = p.estimate.std_error;
    rows.push_back({std::string(p.name), fmt::format("{:.6g}", p.estimate.value),
                    std::isfinite(error) ? fmt::format("{:.2g}", error) : "-", std::string(p.unit)});
    if (!has_intervals) continue;
    const bool is_known = std::isfinite(p.interval->low_95);
    rows.back().insert(rows.back().begin() + 3,
                       is_known ? fathom::interval_text(p.interval->low_95, p.interval->high_95) : "-");
  }
  return has_intervals ? align_columns(rows, {1, 2, 3}) : align_columns(rows, {1, 2});
}

/// The line that a scene file needs.
std::string scene_line(std::string_view slug, std::span<const Entry> parameters, const std::string& more = "") {
  std::vector<std::string> values;
  for (const Entry& p : parameters) values.push_back(fmt::format("{}: {:.6g}", p.name, p.estimate.value));
  return fmt::format("\nIn a scene file:  - {}: {{{}{}}}\n", slug, fmt::join(values, ", "), more);
}

Json to_json(std::span<const Entry> parameters) {
  Json json;
  for (const Entry& p : parameters) {
    Json& of = json[std::string(p.name)];
    of = {{"value", p.estimate.value}, {"std_error", number_or_null(p.estimate.std_error)}};
    if (!p.interval) continue;
    of["naive_std_error"] = number_or_null(p.interval->naive_error);
    of["low_95"] = number_or_null(p.interval->low_95), of["high_95"] = number_or_null(p.interval->high_95);
  }
  return json;
}

/// The result that either calibration prints.
struct Answer {
  std::vector<Entry> entries;
  Json more;                       ///< what --json adds to the parameters, before the flags
  std::string counts, scene_line;  ///< for readers
  std::vector<std::string> flags;
};

void show(const Answer& answer, const CalibrateOptions& options) {
  if (options.json) {
    Json json = to_json(answer.entries);
    json.update(answer.more);
    json["flags"] = answer.flags;
    return print(json.dump(2) + "\n");
  }
  std::string text = table(answer.entries);
  if (options.quiet) return print(text);
  for (const std::string& flag : answer.flags) text += "note: " + flag + "\n";
  print(text + "\n" + answer.counts + "\n" + answer.scene_line);
}

/// Of a CSV or a run, or of the scans of a log or bag.
fathom::LogPairs pairs_of(const CalibrateOptions& options, std::vector<std::string>& notes) {
  if (!options.data.empty()) return {fathom::read_range_pairs(options.data, options.sensor)};
  const fathom::World world = open_world(options.world, fathom::UnknownCells::kFree, options.pairs.compute.threads);
  const fathom::ScanLog log = read_log(options.log);
  notes = world.notes();
  notes.insert(notes.end(), log.notes.begin(), log.notes.end());
  return as_typed({{"give max_range_m", "give --max-range"}, {"gate_m", "--gate"}},
                  [&] { return fathom::range_pairs_of_log(log, world, options.pairs); });
}

}  // namespace

void calibrate_distance(const CalibrateOptions& options) {
  const StopSignals signals(Patience::kNone);
  std::vector<std::string> notes;
  const fathom::LogPairs found = pairs_of(options, notes);
  const fathom::RangePairs& pairs = found.pairs;
  if (options.asks_clusters && pairs.scan.empty()) {
    throw fathom::InputError(fmt::format("--clusters is for scans: {} has no column scan", options.data.string()));
  }
  const fathom::DistanceCalibration fit = about_file(options.data.empty() ? options.log.file() : options.data, [&] {
    return fathom::calibrate_distance(pairs, options.distance);
  });
  Answer answer;
  using Model = fathom::DistanceNoise;
  answer.entries = {interval_entry<Model>("mean_m", fit.mean_m), interval_entry<Model>("stddev_m", fit.stddev_m),
                    interval_entry<Model>("stddev_per_m", fit.stddev_per_m)};
  answer.more = {{"log_likelihood", fit.log_likelihood},
                 {"pairs", fit.pairs},
                 {"skipped", fit.skipped},
                 {"clusters", fit.clusters > 0 ? fit.clusters : fit.pairs},
                 {"clustered_by", fit.clusters == 0   ? "pair"
                                  : fit.stretches > 0 ? "stretch"
                                                      : "scan"}};
  answer.counts =
      fmt::format("{} pairs, {} without a return skipped", group_digits(fit.pairs), group_digits(fit.skipped));
  answer.scene_line = scene_line(Model::kSlug, answer.entries);
  answer.flags = fit.flags;
  if (options.data.empty()) {
    for (std::string flag : fathom::log_pair_flags(found, fit, options.pairs.gate_m)) {
      answer.flags.push_back(as_typed("gate_m", "--gate", as_typed("gate_m =", "--gate", std::move(flag))));
    }
  }
  answer.flags.insert(answer.flags.end(), notes.begin(), notes.end());
  show(answer, options);
}

void calibrate_energy(const CalibrateOptions& options) {
  const StopSignals signals(Patience::kNone);
  const std::string_view normalization =
      fathom::kChoiceWords<fathom::EnergyNormalization>[static_cast<std::size_t>(options.normalization)];
  const auto pairs = fathom::read_energy_pairs(options.data, options.sensor, options.normalization);
  const fathom::EnergyCalibration fit = about_file(
      options.data, [&] { return fathom::calibrate_energy(pairs, {.normalization = options.normalization}); });
  Answer answer;
  using Model = fathom::StereoEnergy;
  answer.entries = {entry<Model>("min_energy", fit.min_energy), entry<Model>("pow", fit.pow)};
  answer.more = {{Model::kNormalization, normalization},
                 {"log_likelihood", fit.log_likelihood},
                 {"pairs", fit.pairs},
                 {"lost", fit.lost},
                 {"skipped", fit.skipped}};
  answer.counts = fmt::format("{} pairs, {} of them lost", group_digits(fit.pairs), group_digits(fit.lost));
  answer.scene_line =
      scene_line(Model::kSlug, answer.entries, fmt::format(", {}: {}", Model::kNormalization, normalization));
  answer.flags = fit.flags;
  show(answer, options);
}

}  // namespace fathom_cli
