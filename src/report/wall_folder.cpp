// SPDX-License-Identifier: MIT
// The folder of a wall: noise.yaml, sensor.yaml, report.html and fit.json.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/base/error.hpp>
#include <fathom/calibrate/wall_report.hpp>

#include "base/with_prefix.hpp"
#include "calibrate/wall_sanity.hpp"
#include "report/number_json.hpp"
#include "report/parameter_json.hpp"
#include "report/result_folder.hpp"
#include "report/wall_page.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::array<const char*, 4> kWallNames = {"noise.yaml", "sensor.yaml", "report.html", "fit.json"};
constexpr std::array<std::string_view, 2> kWallKeys = {"planes", "loss_laws"};
constexpr ResultKind kWallKind = {.noun = "fit of a wall", .names = kWallNames, .of_ours = kWallKeys};

Json estimate_json(const Estimate& e) {
  return {{"value", number_or_null(e.value)}, {"std_error", number_or_null(e.std_error)}};
}

Json estimates_json(const std::vector<Estimate>& estimates) {
  Json json = Json::array();
  for (const Estimate& e : estimates) json.push_back(estimate_json(e));
  return json;
}

Json bins_json(const std::vector<WallBin>& bins, std::string_view unit, bool knows_losses) {
  Json json = Json::array();
  for (const WallBin& bin : bins) {
    json.push_back({{fmt::format("low_{}", unit), bin.low},
                    {fmt::format("high_{}", unit), bin.high},
                    {"readings", bin.readings},
                    {"lost", bin.lost},
                    {"fill", knows_losses ? number_or_null(bin.fill()) : Json()},
                    {"deviation_px", number_or_null(bin.deviation_px)},
                    {"deviation_m", number_or_null(bin.deviation_m)}});
  }
  return json;
}

Json measure_json(const WallMeasure& m) {
  return {{"deviation", m.deviation},
          {"readings", m.readings},
          {"lost", m.lost},
          {"tails", m.tails},
          {"other", m.other},
          {"not_known", m.not_known},
          {"knows_losses", m.knows_losses},
          {"by_range", bins_json(m.by_range, "m", m.knows_losses)},
          {"by_incidence", bins_json(m.by_incidence, "deg", m.knows_losses)},
          {"correlation",
           {{"across", estimates_json(m.across)},
            {"down", estimates_json(m.down)},
            {"in_time", estimates_json(m.in_time)}}},
          {"error_shares", m.error_shares}};
}

Json planes_json(const WallReport& report) {
  Json json = Json::array();
  for (std::size_t f = 0; f < report.fit.measure.planes.size(); ++f) {
    const WallPlane& p = report.fit.measure.planes[f];
    const std::string name =
        report.names.empty() ? fmt::format("{}", f) : fs::path(report.names[f]).filename().string();
    Json plane = {{"frame", name}, {"is_found", p.is_found}};
    if (p.is_found) {
      plane["distance_m"] = p.distance_m, plane["normal"] = {p.normal.x, p.normal.y, p.normal.z};
      plane["deviation"] = p.deviation, plane["on_wall"] = p.on_wall, plane["tails"] = p.tails;
      plane["lost"] = p.lost, plane["other"] = p.other;
    } else {
      plane["why_not"] = p.why_not;
    }
    json.push_back(std::move(plane));
  }
  return json;
}

Json sensor_json(const WallSensor& sensor) {
  Json json = {{"rows", sensor.rows}, {"cols", sensor.cols}};
  if (sensor.camera) {
    const WallCamera& c = *sensor.camera;
    json["camera"] = {
        {"fx_px", c.fx_px}, {"fy_px", c.fy_px}, {"cx_px", c.cx_px}, {"cy_px", c.cy_px}, {"baseline_m", c.baseline_m}};
  }
  if (sensor.lidar) json["lidar"] = {{"entry", sensor.lidar->entry}, {"min_range_m", sensor.lidar->min_range_m}};
  json["max_range_m"] = sensor.max_range_m;
  return json;
}

/// Of turns: the fewest and the most columns.
Json turns_json(const WallFit& fit) {
  if (!fit.turns) return nullptr;
  const auto [least, most] = std::minmax_element(fit.turns->cols.begin(), fit.turns->cols.end());
  return {{"least_cols", *least}, {"most_cols", *most}};
}

Json size_json(const WallCorrelation& c) {
  Json json = {{"shape", kChoiceWords<CorrelationShape>[static_cast<std::size_t>(c.shape)]},
               {"across_px", estimate_json(c.across_px)},
               {"down_px", estimate_json(c.down_px)}};
  json["time_s"] = std::isinf(c.time_s.value) ? Json("inf") : Json(c.time_s.value);
  json["shared"] = c.shared, json["misfit"] = c.misfit, json["other_misfit"] = c.other_misfit;
  return json;
}

Json laws_json(const std::vector<WallLossLaw>& laws) {
  Json json = Json::array();
  for (const WallLossLaw& law : laws) {
    json.push_back({{"name", law.name},
                    {"parameters", law.parameters},
                    {"nats", law.nats},
                    {"gain", law.gain},
                    {"gain_std_error", number_or_null(law.gain_error)},
                    {"is_chosen", law.is_chosen}});
  }
  return json;
}

Json tape_json(const WallFit& fit) {
  if (!fit.tape) return nullptr;
  const WallTape& t = *fit.tape;
  return {{"places", t.places},
          {"gain", estimate_json(t.gain)},
          {"bias_m", estimate_json(t.bias_m)},
          {"spread_m", number_or_null(t.spread_m)},
          {"bias_px", estimate_json(t.bias_px)},
          {"bias_px_spread_m", number_or_null(t.bias_px_spread_m)},
          {"is_disparity", t.is_disparity},
          {"is_exact", t.is_exact},
          {"is_contradicted", t.is_contradicted}};
}

/// sensor.yaml with a word on its use.
std::string sensor_file(const WallReport& report) {
  return fmt::format(
      "# Sensor learned from a wall by fathom {}: an entry of `sensors:`, to which pose and outputs are to be added.\n"
      "# A sensor that a scene has keeps its pose and outputs with  --set sensors.NAME.noise=@noise.yaml\n{}",
      FATHOM_VERSION, wall_sensor_file(report));
}

std::string noise_file(const WallReport& report) {
  return fmt::format(
      "# Noise learned from a wall by fathom {}. In a scene file it stands under `noise:` of a sensor; from outside:\n"
      "#   fathom simulate SCENE --set sensors.NAME.noise=@noise.yaml --out DIR\n{}",
      FATHOM_VERSION, chain_yaml(report.fit.chain.chain, 0));
}

/// In front of errors. Where depths are of another unit, the same walls may not come out.
std::string simulated_words(const WallFrames& frames, const WallMeasure& measure) {
  const std::string doubt = depths_flag(frames, measure.planes);
  return (doubt.empty() ? "" : doubt + ": ") + "the same walls simulated";
}

}  // namespace

std::vector<std::string> WallReport::flags() const {
  std::vector<std::string> all = notes;
  all.insert(all.end(), fit.flags.begin(), fit.flags.end());
  return all;
}

WallReport make_wall_report(const WallFrames& frames, const WallOptions& options, const std::string& name) {
  WallReport report{.name = name, .fit = fit_wall(frames, options), .names = frames.names, .simulated = {}};
  const WallFrames simulated =
      simulate_wall(report.fit, {.seed = options.seed, .rate_hz = options.rate_hz, .threads = options.threads});
  report.simulated = with_prefix(simulated_words(frames, report.fit.measure),
                                 [&] { return measure_wall(simulated, options, &report.fit.measure); });
  return report;
}

std::string wall_sensor_file(const WallReport& report) {
  const std::vector<WallBin>& by_range = report.fit.measure.by_range;
  return wall_sensor_yaml(report.fit.sensor, by_range.empty() ? 0.0 : by_range.back().high, report.fit.chain.chain,
                          report.fit.sensor.camera  ? "camera"
                          : report.fit.sensor.lidar ? "lidar"
                                                    : "laser");
}

std::string wall_json(const WallReport& report) {
  const ChainFit& fit = report.fit.chain;
  Json json = {{"measured", report.name}, {"sensor", sensor_json(report.fit.sensor)}};
  json["turns"] = turns_json(report.fit);
  json["parameters"] = Json::object();
  for (const LearnedParameter& p : fit.parameters) json["parameters"][p.name] = parameter_json(p);
  json["correlation"] = size_json(report.fit.correlation);
  json["tape"] = tape_json(report.fit);
  json["loss_laws"] = laws_json(report.fit.loss_laws);
  json["range_laws"] = laws_json(report.fit.range_laws);
  json["returns"] = fit.returns, json["lost"] = fit.lost, json["frames"] = fit.frames, json["clusters"] = fit.clusters;
  json["held_out_nats"] = number_or_null(fit.held_out_nats);
  json["of_measured"] = measure_json(report.fit.measure);
  json["of_simulated"] = measure_json(report.simulated);
  json["planes"] = planes_json(report);
  json["flags"] = report.flags();
  return json_file_text(json);
}

std::vector<fs::path> wall_report_files(const fs::path& folder) { return result_files(kWallKind, folder); }

void check_wall_report_folder(const fs::path& folder, bool force) { check_result_folder(kWallKind, folder, force); }

void write_wall_report(const fs::path& folder, const WallReport& report, bool force) {
  check_wall_report_folder(folder, force);  // before the work
  const std::array<std::string, 4> contents = {noise_file(report), sensor_file(report), wall_page(report),
                                               wall_json(report)};
  write_results(kWallKind, folder, contents, force);
}

}  // namespace fathom
