// SPDX-License-Identifier: MIT
// The report of a likelihood field, and the folder of its fit.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/beam/field_log.hpp>

#include "base/with_prefix.hpp"
#include "report/field_shares.hpp"
#include "report/plot.hpp"
#include "report/result_folder.hpp"
#include "text/read_fields.hpp"
#include "text/read_file.hpp"
#include "text/whole_file.hpp"
#include "text/yaml_reader.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;

constexpr double kMostDistanceBins = 40;

std::string field_model_text(const LikelihoodFieldModel& model) {
  validate(model);
  std::string text = "# Likelihood field of a range finder. The two weights sum to 1.\n";
  for (const FieldInfo& field : describe<LikelihoodFieldModel>()) {
    const std::string value = field_text(field, get_field(model, field.name));
    text += fmt::format("{:<41} # {}{}\n", fmt::format("{}: {}", field.name, value),
                        field.unit == "1" ? "" : std::string(field.unit) + ": ", field.doc);
  }
  return text;
}

/// Distances of ends from occupied cells, and what the model expects, on a logarithmic scale.
std::string distance_figure(const FieldReport& report) {
  const LikelihoodFieldModel& m = report.fit.model;
  // Distances of cells come in steps: bins of whole cells about 0, 1, 2 ... of them, the first for occupied cells
  // alone.
  const double reach_cells =
      std::max(4.0 * report.cell_m, std::min(8.0 * m.sigma_hit_m, m.max_distance_m)) / report.cell_m;
  const double width_m = std::ceil(reach_cells / kMostDistanceBins) * report.cell_m;
  const auto bins = static_cast<std::size_t>(std::max(4.0, std::round(reach_cells * report.cell_m / width_m)));
  std::vector<double> edges = {0.0}, share, expected;
  for (std::size_t i = 0; i < bins; ++i) {
    edges.push_back(i == 0 ? 0.5 * report.cell_m : edges.back() + width_m);
    const FieldShare in_bin = share_between(report, edges[i], edges[i + 1]);
    share.push_back(in_bin.readings), expected.push_back(in_bin.expected);
  }
  const FieldShare beyond = share_between(report, edges.back(), std::numeric_limits<double>::infinity());
  const double bar_from_m = 1.06 * edges.back(), bar_to_m = 1.12 * edges.back();
  const std::vector<double> bar = {bar_from_m, bar_to_m};
  const double top = std::max({std::ranges::max(share), std::ranges::max(expected), beyond.readings, beyond.expected});
  const PlotAxis y = decades_below(top, "share of readings");
  Plot plot("Distances of ends of readings from occupied cells",
            {.low = 0.0,
             .high = 1.16 * edges.back(),
             .label = "distance from the nearest occupied cell (m)",
             .last_tick = edges.back()},
            y);
  plot.fill_steps(edges, std::vector<double>(bins, y.low), share, "bars");
  plot.draw_steps(edges, expected, "hit-line");
  plot.fill_steps(bar, std::vector<double>{y.low}, std::vector<double>{beyond.readings}, "bars beyond");
  plot.draw_steps(bar, std::vector<double>{beyond.expected}, "hit-line");
  plot.write(1.16 * edges.back(), 0.6 * y.high, "beyond", "end");
  return plot.svg();
}

std::vector<Report::Figure> distance_figures(const FieldReport& report) {
  return {{.picture = distance_figure(report),
           .keys = {stroke("var(--hit)", "model"), patch("#d5dce3", "readings")},
           .caption = ". Distances of a map come in steps of its cells. The line is what the model expects at each "
                      "along the rays of these readings: hits in proportion to their density, random readings anywhere "
                      "up to Z."}};
}

Report::Status status_of(const FieldReport& report, const LearnedNumber& number) {
  const bool is_weight = number.field.name != "sigma_hit_m";
  const double floor_m = report.cell_m * (1.0 + 1e-9) / std::sqrt(12.0);
  const bool is_at_limit = is_weight ? number.printed == 0.0 || 1.0 - number.value < 1e-6 : number.value <= floor_m;
  return is_at_limit ? Report::Status::kAtLimit : Report::Status::kUnidentified;
}

void judge_field(const FieldReport& report, Report& out) {
  out.find(Report::Severity::kNote, report.fit.flags);
  add_sanity(report.sanity, report.unusable, out);
  const auto has_error = [](const Report::Parameter& p) { return p.status == Report::Status::kLearned; };
  out.refuse(std::ranges::none_of(out.parameters, has_error),
             "the likelihood has no clear maximum here: there are no standard errors");
}

Report report_of(const FieldReport& report) {
  const FieldFit& fit = report.fit;
  Report out{.kind = "likelihood_field", .title = "Likelihood field fit"};
  out.intro =
      "A reading is as likely as its end is near to an occupied cell of the map; learned by maximum likelihood.";
  for (const LearnedNumber& n : learned_numbers(fit)) out.parameters.push_back(parameter_of(n, status_of(report, n)));
  judge_field(report, out);
  add_scan_fit({.stretches = report.stretches,
                .clusters = fit.clusters,
                .log_likelihood = fit.log_likelihood,
                .converged = fit.converged,
                .learned = fit.readings,
                .judged = report.distance_m.size(),
                .nats = report.nats_per_reading,
                .held_out = report.held_out,
                .held_out_note = report.held_out_note},
               out);
  Report::Section distances{.head = "Distances",
                            .pieces = {Report::Figures([&report] { return distance_figures(report); })}};
  add_disagreements(field_disagreements(report), distances);
  std::vector<FitReport::Fact> facts = report.facts;
  facts.push_back({"maximum range Z", fmt::format("{:.6g} m", fit.model.max_range_m)});
  facts.push_back({"largest distance", fmt::format("{:.6g} m", fit.model.max_distance_m)});
  const LikelihoodFieldModel& rounded = report.rounded_model;
  facts.push_back({"for amcl and nav2", fmt::format("sigma_hit_m {:.4g}, w_hit {:.4g}: learned with their look-up of "
                                                    "cells, half a cell off",
                                                    rounded.sigma_hit_m, rounded.w_hit)});
  out.details["amcl_nav2"] = {
      {"w_hit", rounded.w_hit}, {"w_rand", rounded.w_rand}, {"sigma_hit_m", rounded.sigma_hit_m}};
  out.sections = {std::move(distances), {.head = "Data", .pieces = {fact_table(facts)}}};
  return out;
}

}  // namespace

LikelihoodFieldModel read_field_model(const fs::path& file) {
  return within_memory(file, [&] {
    const YamlValue root = parse_yaml(read_yaml_text(file), file.string());
    refuse_other_kind(root, YamlFileKind::kBeamModel);
    if (root.find("w_short") != nullptr) {
      throw LocatedError(to_string(root.mark) + ": these are parameters of a beam model, not of a likelihood field");
    }
    YamlReader map(root);
    LikelihoodFieldModel model;
    read_fields(map, model);
    map.finish();
    with_prefix([&] { return to_string(root.mark); }, [&] { validate(model); });
    return model;
  });
}

void write_field_model(const fs::path& file, const LikelihoodFieldModel& model) {
  write_whole_file(file, field_model_text(model));
}

std::string localizer_text(const FieldReport& report, Localizer localizer) {
  std::string text = localizer_text(model_for(report, localizer), localizer);
  if (cell_lookup(localizer) == CellLookup::kContaining) return text;
  const auto second_line = text.find('\n') + 1;
  text.insert(second_line,
              "# It looks cells up half a cell off, so its likeliest sigma_hit is not that of parameters.yaml.\n");
  return text;
}

std::string report_text(const FieldReport& report, ReportForm form, SettingNames names) {
  return text_of(report_of(report), form, names);
}

void write_field_fit(const fs::path& folder, const FieldReport& report, bool force,
                     std::span<const Localizer> localizers) {
  check_fit_folder(folder, force);  // before the work
  std::vector<ResultFile> files = {{"parameters.yaml", field_model_text(report.fit.model)}};
  for (const Localizer localizer : localizers) {
    files.push_back({localizer_file_name(localizer), localizer_text(report, localizer)});
  }
  write_fit_folder(folder, report_of(report), std::move(files), force);
}

}  // namespace fathom
