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
#include "text/read_fields.hpp"
#include "text/read_file.hpp"
#include "text/whole_file.hpp"
#include "text/yaml_reader.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;

nlohmann::ordered_json number_or_nothing(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

std::string field_fit_json(const FieldReport& report) {
  const FieldFit& fit = report.fit;
  nlohmann::ordered_json json;
  json["model"] = "likelihood_field";
  json["w_hit"] = {{"value", fit.model.w_hit}, {"std_error", number_or_nothing(fit.w_std_error)}};
  json["w_rand"] = {{"value", fit.model.w_rand}, {"std_error", number_or_nothing(fit.w_std_error)}};
  json["sigma_hit_m"] = {{"value", fit.model.sigma_hit_m}, {"std_error", number_or_nothing(fit.sigma_std_error_m)}};
  json["iterations"] = fit.log_likelihood.size() - 1;
  json["log_likelihood"] = fit.log_likelihood;
  json["held_out"] = report.held_out;
  json["nats_per_reading"] = number_or_nothing(report.nats_per_reading);
  json["ks_distance"] = nullptr;  // no reading has a distribution of its own here
  json["flags"] = fit.flags;
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
    contents.localizers[static_cast<std::size_t>(localizer)] = localizer_text(report.fit.model, localizer);
  }
  write_fit_folder(folder, contents, force);
}

}  // namespace fathom
