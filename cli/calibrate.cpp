#include "calibrate.hpp"

#include <cmath>
#include <span>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <fathom/calibrate.hpp>
#include <fathom/run_pairs.hpp>
#include <nlohmann/json.hpp>

#include "beam_world.hpp"
#include "text.hpp"

namespace fathom_cli {
namespace {

using Json = nlohmann::ordered_json;

/// One learned parameter as tables show it.
struct Row {
  const char* name;
  const char* unit;
  fathom::Estimate estimate;
};

bool is_run(const CalibrateOptions& options) {
  std::error_code error;
  return std::filesystem::is_directory(options.data, error);
}

std::string table(std::span<const Row> parameters) {
  std::vector<std::vector<std::string>> rows = {{"parameter", "value", "std. error", "unit"}};
  for (const Row& p : parameters) {
    const double error = p.estimate.std_error;
    rows.push_back({p.name, fmt::format("{:.6g}", p.estimate.value),
                    std::isfinite(error) ? fmt::format("{:.2g}", error) : "-", p.unit});
  }
  return align_columns(rows, {1, 2});
}

/// The line that a scene file needs.
std::string scene_line(const char* slug, std::span<const Row> parameters, const std::string& more = "") {
  std::vector<std::string> values;
  for (const Row& p : parameters) values.push_back(fmt::format("{}: {:.6g}", p.name, p.estimate.value));
  return fmt::format("\nIn a scene file:  - {}: {{{}{}}}\n", slug, fmt::join(values, ", "), more);
}

Json to_json(std::span<const Row> parameters) {
  Json json;
  for (const Row& p : parameters) {
    const double error = p.estimate.std_error;
    json[p.name] = {{"value", p.estimate.value}, {"std_error", std::isfinite(error) ? Json(error) : Json(nullptr)}};
  }
  return json;
}

std::string notes(const std::vector<std::string>& flags) {
  std::string text;
  for (const std::string& flag : flags) text += "note: " + flag + "\n";
  return text;
}

}  // namespace

void calibrate_distance(const CalibrateOptions& options) {
  const fathom::DistanceCalibration fit =
      fathom::calibrate_distance(is_run(options) ? fathom::read_run_range_pairs(options.data, options.sensor)
                                                 : fathom::read_range_pairs(options.data));
  const std::vector<Row> rows = {
      {"mean_m", "m", fit.mean_m}, {"stddev_m", "m", fit.stddev_m}, {"stddev_per_m", "m/m", fit.stddev_per_m}};
  if (options.json) {
    Json json = to_json(rows);
    json["log_likelihood"] = fit.log_likelihood;
    json["pairs"] = fit.pairs;
    json["skipped"] = fit.skipped;
    json["flags"] = fit.flags;
    print(json.dump(2) + "\n");
    return;
  }
  print(table(rows) + notes(fit.flags) +
        fmt::format("\n{} pairs, {} without a return skipped\n", group_digits(fit.pairs), group_digits(fit.skipped)) +
        scene_line("distance", rows));
}

void calibrate_energy(const CalibrateOptions& options) {
  const auto normalization = value_of_word<fathom::EnergyNormalization>(options.normalization);
  const fathom::EnergyCalibration fit =
      fathom::calibrate_energy(is_run(options) ? fathom::read_run_energy_pairs(options.data, options.sensor)
                                               : fathom::read_energy_pairs(options.data),
                               {.normalization = normalization});
  const std::vector<Row> rows = {{"min_energy", "1", fit.min_energy}, {"pow", "1", fit.pow}};
  if (options.json) {
    Json json = to_json(rows);
    json["normalization"] = options.normalization;
    json["log_likelihood"] = fit.log_likelihood;
    json["pairs"] = fit.pairs;
    json["lost"] = fit.lost;
    json["skipped"] = fit.skipped;
    json["flags"] = fit.flags;
    print(json.dump(2) + "\n");
    return;
  }
  print(table(rows) + notes(fit.flags) +
        fmt::format("\n{} pairs, {} of them lost\n", group_digits(fit.pairs), group_digits(fit.lost)) +
        scene_line("stereo_energy", rows, ", normalization: " + options.normalization));
}

}  // namespace fathom_cli
