// SPDX-License-Identifier: MIT
// The folder of a fit of the likelihood field.
#include <cmath>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/base/error.hpp>
#include <fathom/beam/field_log.hpp>

#include "base/with_prefix.hpp"
#include "report/field_page.hpp"
#include "report/fit_folder.hpp"
#include "report/number_json.hpp"
#include "text/read_fields.hpp"
#include "text/read_file.hpp"
#include "text/whole_file.hpp"
#include "text/yaml_reader.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;

std::string field_fit_json(const FieldReport& report) {
  nlohmann::ordered_json json;
  json["model"] = "likelihood_field";
  for (const LearnedNumber& number : learned_numbers(report.fit)) {
    nlohmann::ordered_json& entry = json[std::string(number.field.name)];
    entry = {{"value", number.value},
             {"std_error", number_or_null(number.std_error)},
             {"naive_std_error", number_or_null(number.naive_std_error)},
             {"interval_95", nullptr}};
    if (std::isfinite(number.std_error)) entry["interval_95"] = {number.low_95, number.high_95};
  }
  json["clusters"] = report.fit.clusters;
  json["clustered_by"] = report.stretches > 0 ? "stretch" : "scan";
  json["iterations"] = report.fit.log_likelihood.size() - 1;
  json["log_likelihood"] = report.fit.log_likelihood;
  json["held_out_nats_per_ray"] = nullptr;
  if (report.held_out) json["held_out_nats_per_ray"] = number_or_null(report.nats_per_reading);
  json["held_out_note"] =
      report.held_out_note.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(report.held_out_note);
  json["flags"] = report_flags(report);
  return json.dump(2) + "\n";
}

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

void write_field_fit(const fs::path& folder, const FieldReport& report, bool force,
                     std::span<const Localizer> localizers) {
  check_fit_folder(folder, force);  // before the work
  FitContents contents = {field_model_text(report.fit.model), field_page(report), field_fit_json(report), {}};
  for (const Localizer localizer : localizers) {
    contents.localizers[static_cast<std::size_t>(localizer)] = localizer_text(model_for(report, localizer), localizer);
  }
  write_fit_folder(folder, contents, force);
}

}  // namespace fathom
