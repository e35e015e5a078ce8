// SPDX-License-Identifier: MIT
#include "noise.hpp"

#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/noise/noise.hpp>

#include "fields.hpp"
#include "noise_page.hpp"
#include "text.hpp"

namespace fathom_cli {
namespace {

using fathom::NoiseInfo;

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

}  // namespace

void list_noise(const NoiseOptions& options) {
  const std::vector<NoiseInfo> models = select(options.slug);
  if (options.markdown) {
    print(noise_page(models));
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

}  // namespace fathom_cli
