// SPDX-License-Identifier: MIT
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/noise/correlation.hpp>
#include <fathom/noise/noise.hpp>

#include "commands.hpp"
#include "fields.hpp"
#include "option_values.hpp"
#include "text.hpp"

namespace fathom_cli {
namespace {

constexpr const char* kNoiseHelp = R"(
Examples:
  fathom noise
  fathom noise distance
  fathom noise --json)";

using fathom::NoiseInfo;

/// `fathom noise [SLUG] [--json | --markdown]`
struct NoiseOptions {
  std::string slug;  ///< empty: all models
  bool json = false;
  bool markdown = false;
};

/// Completes "acts on ...".
std::string_view stage_doc(fathom::Stage stage) {
  switch (stage) {
    case fathom::Stage::kRay:
      return "each emitted ray, before it is cast";
    case fathom::Stage::kAngleLoss:
      return "each return inside the range limits: keeps it, or loses it by its incidence";
    case fathom::Stage::kShadow:
      return "each return left: keeps it, or loses it because a camera does not see the hit point";
    case fathom::Stage::kEnergyLoss:
      return "each return left: keeps it, or loses it by the light that reaches the cameras";
    case fathom::Stage::kEdgeLoss:
      return "each return left: keeps it, or loses it by its neighbours in the image";
    case fathom::Stage::kImage:
      return "the image of the returns that the losses have left: whose surface each shows, and how far it is";
    case fathom::Stage::kHitPoint:
      return "the hit point of each valid return";
    case fathom::Stage::kRange:
      return "the range of each valid return; the hit point moves along its line";
    case fathom::Stage::kReading:
      return "each return that is still valid, and each ray that met nothing within the range limits";
    case fathom::Stage::kDropout:
      break;
  }
  return "each return that is still valid: keeps it, or says why it is lost";
}

std::vector<NoiseInfo> select(const std::string& slug) {
  if (slug.empty()) return fathom::noise_models();
  std::vector<std::string_view> slugs;
  for (const NoiseInfo& model : fathom::noise_models()) slugs.push_back(model.slug);
  if (const auto found = find_typed(slug, slugs)) return {fathom::noise_models()[*found]};
  return {fathom::make_noise(slug, {}).info()};  // throws, naming the nearest slug
}

std::string overview(const std::vector<NoiseInfo>& models) {
  std::vector<std::vector<std::string>> rows;
  rows.reserve(models.size());
  for (const NoiseInfo& model : models) {
    rows.push_back({std::string(model.slug), std::string(to_string(model.stage)), std::string(model.doc)});
  }
  return align_columns(rows) + "\nfathom noise SLUG shows the parameters of one model.\n";
}

std::string details(const NoiseInfo& model) {
  return fmt::format("{}: {}\n  acts on {}\n\n{}", model.slug, model.doc, stage_doc(model.stage),
                     fields_help(model.fields));
}

nlohmann::ordered_json to_json(const NoiseInfo& model) {
  return {{"slug", model.slug},
          {"stage", to_string(model.stage)},
          {"doc", model.doc},
          {"fields", fields_json(model.fields)}};
}

std::string section(std::string_view heading, const std::vector<fathom::FieldInfo>& fields) {
  return fmt::format("\n## {}\n\n{}", heading, fields_page(fields));
}

/// The tables of docs/noise.md, under its headings.
std::string noise_tables(const std::vector<NoiseInfo>& models) {
  std::string text = section("Correlation", fathom::describe<fathom::Correlation>());
  for (const NoiseInfo& model : models) text += section(model.slug, model.fields);
  return text;
}

void list_noise(const NoiseOptions& options) {
  const std::vector<NoiseInfo> models = select(options.slug);
  if (options.markdown) {
    print(noise_tables(models));
  } else if (options.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const NoiseInfo& model : models) list.push_back(to_json(model));
    print(list.dump(2) + "\n");
  } else if (options.slug.empty()) {
    print(overview(models));
  } else {
    print(details(models.front()));
  }
}

}  // namespace

void add_noise(CLI::App& app) {
  const auto o = std::make_shared<NoiseOptions>();
  CLI::App& c = *app.add_subcommand("noise", "List the noise models and their parameters");
  c.add_option("MODEL", o->slug, "show this model only")->type_name("");
  CLI::Option* json = &add_json(c, o->json);
  c.add_flag("--markdown", o->markdown, "the tables of docs/noise.md")->excludes(json);
  c.footer(kNoiseHelp);
  c.final_callback([o] { list_noise(*o); });
}

}  // namespace fathom_cli
