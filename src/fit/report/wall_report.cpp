// SPDX-License-Identifier: MIT
// The report of a wall, and its folder: noise.yaml, sensor.yaml, report.html and fit.json.

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "fit/report/figures.hpp"
#include "report/report.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;
using Json = Report::Json;
using Place = Report::Place;

Json bins_json(const std::vector<WallMeasure::Bin>& bins, std::string_view unit, bool knows_losses) {
  Json json = Json::array();
  for (const WallMeasure::Bin& bin : bins) {
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

Json sensor_json(const WallSensor& sensor) {
  Json json = {{"rows", sensor.rows}, {"cols", sensor.cols}};
  if (sensor.camera) {
    const WallSensor::Camera& c = *sensor.camera;
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
  const auto [least, most] = std::ranges::minmax_element(fit.turns->cols);
  return {{"least_cols", *least}, {"most_cols", *most}};
}

Json size_json(const WallFit::CorrelationFit& c) {
  Json json = {{"shape", choice_word(c.shape)},
               {"across_px", estimate_json(c.across_px)},
               {"down_px", estimate_json(c.down_px)}};
  json["time_s"] = std::isinf(c.time_s.value) ? Json("inf") : Json(c.time_s.value);
  json["shared"] = c.shared, json["misfit"] = c.misfit, json["other_misfit"] = c.other_misfit;
  return json;
}

std::size_t walls_found(const WallReport& report) {
  const std::vector<WallMeasure::Plane>& planes = report.fit.measure.planes;
  return static_cast<std::size_t>(
      std::ranges::count_if(planes, [](const WallMeasure::Plane& p) { return p.is_found; }));
}

Report::Cell estimate_cell(const Estimate& e, std::string_view form, double unit = 1.0) {
  return {with_error(text_or_dash(unit * e.value, form), unit * e.std_error), estimate_json(e)};
}

std::vector<FitReport::Fact> wall_summary(const WallReport& report) {
  const WallMeasure& m = report.fit.measure;
  const WallFit::CorrelationFit& c = report.fit.correlation;
  const std::size_t found = walls_found(report), rays = m.readings + m.lost;
  const bool px = in_disparity(report), is_white = !(c.across_px.value > 0.0) && !(c.down_px.value > 0.0);
  const std::string sizes =
      has_rows(report) ? fmt::format("{:.2f} · {:.2f} {}", c.across_px.value, c.down_px.value, step_word(report))
                       : fmt::format("{:.2f} rays", c.across_px.value);
  const double lost = 100.0 * static_cast<double>(m.lost) / static_cast<double>(std::max<std::size_t>(rays, 1));
  std::vector<FitReport::Fact> facts = {
      {px ? "deviation of disparity" : "deviation of the readings",
       px ? fmt::format("{:.4f} px", m.deviation) : fmt::format("{:.3g} mm", 1e3 * m.deviation)},
      {is_white ? "error of neighbours" : "size of the correlation", is_white ? "white" : sizes},
      held_out_fact(report.fit.chain),
      {"frames that show a wall", fmt::format("{} of {}", found, m.planes.size())},
      {"readings on the wall", grouped(m.readings)},
      {"of the wall's rays lost", m.knows_losses ? fmt::format("{} ({:.2f} %)", grouped(m.lost), lost) : "not known"},
      {"readings of something else", grouped(m.other)}};
  if (report.fit.sensor.lidar && found > 0 && m.knows_losses) {
    facts.push_back({"rays of a frame on the wall, in the mean",
                     fmt::format("{} of {}", grouped(rays / found), grouped(report.fit.sensor.rays()))});
  }
  return facts;
}

Report::Section correlation_section(const WallReport& report) {
  const WallFit::CorrelationFit& c = report.fit.correlation;
  const std::string unit = step_word(report), shape = choice_word(c.shape);
  Report::Table table{.columns = {{"", false}, {"value"}, {"unit", false}}, .rows = {}};
  const auto add = [&](const std::string& name, const Report::Cell& value, const std::string& of) {
    table.rows.push_back({{name}, value, {of}});
  };
  add("across", estimate_cell(c.across_px, "{:.3g}"), unit);
  if (has_rows(report)) add("down", estimate_cell(c.down_px, "{:.3g}"), unit);
  if (!report.fit.measure.in_time.empty()) add("time between key frames", number_cell(c.time_s.value, "{:.3g}"), "s");
  if (c.across_px.value > 0.0 || c.down_px.value > 0.0) {
    add(fmt::format("misfit of the shape {}", shape), number_cell(c.misfit, "{:.3f}"), "");
    add("misfit of the other shape", number_cell(c.other_misfit, "{:.3f}"), "");
  }
  table.note = "Sizes under the key correlation, whose closed forms were fitted to the curves above; 0: white.";
  return {.head = "Size of the correlation", .pieces = {std::move(table)}};
}

/// `what` heads the laws, `against` their gain.
Report::Table laws_table(const std::vector<WallFit::Law>& laws, const char* key, const char* what,
                         const char* against) {
  Report::Table table{.columns = {{.head = what, .is_number = false, .key = "name"},
                                  {"parameters", true, Place::kAside, "parameters"},
                                  {"nats per ray", true, Place::kAside, "nats"},
                                  {.head = against, .key = "gain"},
                                  {"", true, Place::kJson, "gain_std_error"},
                                  {"", false, Place::kAside, "is_chosen"}},
                      .rows = {},
                      .key = key};
  for (const WallFit::Law& law : laws) {
    table.rows.push_back({text_cell(law.name),
                          {fmt::format("{}", law.parameters), law.parameters},
                          {fmt::format("{:.5f}", law.nats), law.nats},
                          {with_error(fmt::format("{:+.5f}", law.gain), law.gain_error, "{:.1g}"), law.gain},
                          {"", number_or_null(law.gain_error)},
                          {law.is_chosen ? "chosen" : "", law.is_chosen}});
  }
  if (laws.empty()) table.place = Place::kJson;
  return table;
}

Report::Section range_laws_section(const WallReport& report) {
  Report::Table table = laws_table(report.fit.range_laws, "range_laws", "error of the range", "against distance");
  table.note =
      "Log density of readings, those alone off the wall among them, of frames held out where there are five or more. "
      "Student's t is chosen where these tell it from the normal law.";
  return {.head = report.fit.range_laws.empty() ? "" : "How heavy the tails are", .pieces = {std::move(table)}};
}

Report::Section loss_laws_section(const WallReport& report) {
  Report::Table table = laws_table(report.fit.loss_laws, "loss_laws", "law of loss", "against dropout");
  table.note =
      "Log probability that a ray is lost, or that it is not, of frames held out where there are five or more. Of the "
      "laws that these do not tell from the best, by two errors or by more nats than chance gives, the one with the "
      "fewest parameters is chosen.";
  return {.head = report.fit.loss_laws.empty() ? "" : "What loses returns", .pieces = {std::move(table)}};
}

Json tape_json(const WallFit& fit) {
  if (!fit.tape) return nullptr;
  const WallFit::Tape& t = *fit.tape;
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

Report::Section tape_section(const WallReport& report) {
  const WallFit::Tape& tape = *report.fit.tape;
  Report::Table table{
      .columns = {{"against the tape", false}, {"value"}, {"unit", false}, {"places off it by", true, Place::kAside}},
      .rows = {}};
  const auto add = [&](const std::string& name, const Report::Cell& value, const char* unit, double spread_m) {
    const std::string spread = text_or_dash(1e3 * spread_m, "{:.2g} mm");
    table.rows.push_back({{name}, value, {unit}, {spread}});
  };
  add(fmt::format("gain of {}", GainBias::kSlug), estimate_cell(tape.gain, "{:.3g}"), "m/m", tape.spread_m);
  add(fmt::format("bias of {}", GainBias::kSlug), estimate_cell(tape.bias_m, "{:.3g}", 1e3), "mm", tape.spread_m);
  if (in_disparity(report)) {
    add("or bias of the disparity", estimate_cell(tape.bias_px, "{:.3g}"), "px", tape.bias_px_spread_m);
  }
  const char* what = tape.is_contradicted
                         ? "Distances and readings contradict each other, and the chain leaves out gain and bias."
                     : tape.is_exact     ? "Gain and bias are within two errors of 0, and the chain leaves them out."
                     : tape.is_disparity ? "The chain has the bias of the disparity."
                                         : "The chain has gain and bias.";
  table.note = fmt::format("{}. {}", counted(tape.places, "place"), what);
  return {.head = "Distances by tape", .pieces = {std::move(table)}};
}

Report::Section planes_section(const WallReport& report) {
  Report::Table table{
      .columns = {{.head = "frame", .is_number = false, .key = "frame"},
                  {.head = "distance, m", .key = "distance_m"},
                  {"turned by, degrees", true, Place::kAside},
                  {in_disparity(report) ? "deviation, px" : "deviation, mm", true, Place::kShown, "deviation"},
                  {"on the wall", true, Place::kAside, "on_wall"},
                  {"lost", true, Place::kAside, "lost"},
                  {"other", true, Place::kAside, "other"},
                  {"", true, Place::kJson, "tails"},
                  {"", true, Place::kJson, "normal"},
                  {"", false, Place::kJson, "is_found"},
                  {"", false, Place::kJson, "why_not"}},
      .rows = {},
      .key = "planes"};
  const double unit = in_disparity(report) ? 1.0 : 1e3;
  const std::vector<WallMeasure::Plane>& planes = report.fit.measure.planes;
  for (std::size_t f = 0; f < planes.size(); ++f) {
    const WallMeasure::Plane& p = planes[f];
    const std::string name =
        report.names.empty() ? fmt::format("{}", f) : fs::path(report.names[f]).filename().string();
    std::vector<Report::Cell>& row = table.rows.emplace_back();
    row = {text_cell(name), {"no wall"}, {}, {}, {}, {}, {}, {}, {}, {"", p.is_found}, {"", text_or_null(p.why_not)}};
    if (!p.is_found) continue;
    const double degrees = std::acos(std::clamp(p.normal.x, -1.0, 1.0)) * 180.0 / std::numbers::pi;
    row[1] = number_cell(p.distance_m, "{:.4f}"), row[2] = number_cell(degrees, "{:.1f}");
    row[3] = {fmt::format("{:.3g}", unit * p.deviation), p.deviation};
    row[4] = count_cell(p.on_wall), row[5] = count_cell(p.lost), row[6] = count_cell(p.other);
    row[7] = count_cell(p.tails), row[8] = {"", {p.normal.x, p.normal.y, p.normal.z}};
  }
  return {.head = "Each frame", .pieces = {std::move(table)}, .is_folded = true};
}

Report report_of(const WallReport& report) {
  Report out{.kind = "wall", .title = "Noise learned from a wall", .fit = report.fit.chain};
  out.fit.findings = report.findings();
  out.intro = fmt::format(
      "{}. A plane is fitted to each frame, and the error is what it leaves. Simulated are the same walls from the "
      "same places, with what was learned.",
      report.name);
  out.refuse(true, first_unusable(out.fit.findings));
  out.refuse(report.fit.tape && report.fit.tape->is_contradicted,
             "distances by tape and readings contradict each other");
  add_chain_fit(report.fit.chain, out);
  out.summary = wall_summary(report);
  out.sections = {{.head = "Measured beside simulated",
                   .pieces = {Report::Figures([&report] { return wall_residuals(report); }),
                              Report::Figures([&report] { return wall_curves(report); })}},
                  correlation_section(report),
                  range_laws_section(report),
                  loss_laws_section(report)};
  if (report.fit.tape) out.sections.push_back(tape_section(report));
  out.sections.push_back(planes_section(report));
  out.sections.push_back(scene_file_section(report.sensor_yaml()));
  Json details = {{"measured", report.name}, {"sensor", sensor_json(report.fit.sensor)}};
  details.update(out.details);
  details["turns"] = turns_json(report.fit);
  details["correlation"] = size_json(report.fit.correlation);
  details["tape"] = tape_json(report.fit);
  details["of_measured"] = measure_json(report.fit.measure);
  details["of_simulated"] = measure_json(report.simulated);
  out.details = std::move(details);
  return out;
}

/// sensor.yaml with a word on its use.
std::string sensor_file(const WallReport& report) {
  return fmt::format(
      "# Sensor learned from a wall by fathom {}: an entry of `sensors:`, to which pose and outputs are to be added.\n"
      "# A sensor that a scene has keeps its pose and outputs with  --set sensors.NAME.noise=@noise.yaml\n{}",
      FATHOM_VERSION, report.sensor_yaml());
}

std::string noise_file(const WallReport& report) {
  return fmt::format(
      "# Noise learned from a wall by fathom {}. In a scene file it stands under `noise:` of a sensor; from outside:\n"
      "#   fathom simulate SCENE --set sensors.NAME.noise=@noise.yaml --out DIR\n{}",
      FATHOM_VERSION, chain_yaml(report.fit.chain.chain, 0));
}

}  // namespace

std::vector<Finding> WallReport::findings() const {
  std::vector<Finding> all;
  for (const std::string& text : notes) all.push_back({Finding::Severity::kNote, "log", text});
  all.insert(all.end(), fit.chain.findings.begin(), fit.chain.findings.end());
  return all;
}

WallReport make_wall_report(const WallFrames& frames, const WallOptions& options, const std::string& name) {
  WallReport report{.name = name, .fit = fit_wall(frames, options), .names = frames.names, .simulated = {}};
  const WallFrames simulated = simulate_wall(report.fit, options);
  // Where depths are of another unit, the same walls may not come out.
  const Message of_depths = first_unusable(report.fit.chain.findings);
  const Message doubt(of_depths, of_depths.empty() ? "" : ": ", "the same walls simulated");
  report.simulated = with_prefix(doubt, [&] { return measure_wall(simulated, options, &report.fit.measure); });
  return report;
}

std::string WallReport::sensor_yaml() const {
  const std::vector<WallMeasure::Bin>& by_range = fit.measure.by_range;
  return wall_sensor_yaml(fit.sensor, by_range.empty() ? 0.0 : by_range.back().high, fit.chain.chain,
                          fit.sensor.camera  ? "camera"
                          : fit.sensor.lidar ? "lidar"
                                             : "laser");
}

std::string WallReport::text(ReportForm form, SettingNames settings) const {
  return text_of(report_of(*this), form, settings);
}

void WallReport::write(const fs::path& folder, bool force) const {
  write_report(ResultKind::kWall, folder, report_of(*this),
               {{"noise.yaml", noise_file(*this)}, {"sensor.yaml", sensor_file(*this)}}, force);
}

}  // namespace fathom
