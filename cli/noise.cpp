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

constexpr std::string_view kIntroduction = R"(# Noise and loss models

<!-- Generated: do not edit. Made from the field tables in include/fathom/noise/ by

         fathom noise --markdown > docs/noise.md

     A test fails when this page is stale. -->

A sensor carries a chain of models, any number of each. A frame runs the stages in a fixed order; within one stage the
models act in the order of the chain:

1. `ray`: on the emitted ray, before it is cast;
2. the range gate of the sensor: what lies outside `[min_range, max_range]` is lost;
3. `angle_loss`, `shadow`, `energy_loss`, `edge_loss`: what is left is kept, or lost with a reason that follows from the
   surface, the cameras and the neighbours ([depth-cameras.md](depth-cameras.md));
4. `image`: on the whole image of what is left: which surface a pixel shows, and whether it is believed;
5. `hit_point`: on the hit point;
6. `range`: on the range; the hit point moves along its line from the sensor origin;
7. `reading`: on what the sensor reports, whether the ray met anything or not;
8. the range policy of the sensor: what becomes of a return that noise carried outside the limits. One that it carried to
   0 or below is `below_min_range` under every policy: no sensor measures such a range, so
   neither `keep` nor `clamp` makes a hit of it.
9. `dropout`: what is left is kept, or lost with a reason.

Angles are in radians and lengths in metres; scene files take a parameter `x_rad` as `x_deg` too, and a
[range](scene-format.md#ranges) in place of any number. Limits are closed. A model may have other parameters for single
entities, or for single rings of a lidar ([scene-format.md](scene-format.md#noise)), unless its stage is `ray`, `image` or
`reading`. A model whose parameters change nothing is skipped, so it changes no bit. Draws depend on seed, sensor name, position in the chain, frame and ray, and on nothing else. Formula,
source and what is not modelled stand at the top of each header.
)";

constexpr const char* kCorrelation = R"(
## Correlation

The draws of any model that has some may be alike in neighbouring pixels and in frames one after the other. Each number
that the model draws then comes from a Gaussian field over the image and time in place of white noise. The law of a
single pixel stays as it is: a normal has mean 0 and variance 1, a uniform is the normal's rank. A loss of probability P
still loses P of the area, in blobs. With a lag of l pixels in one direction, of size s, and k the key frame before t:

| shape | correlation of the normals | from a sum over |
|---|---|---|
| `gaussian` | exp(-l^2 / (4 s^2)) | 3 s to either side, with weights exp(-i^2 / (2 s^2)) |
| `exponential` | exp(-l / s) | the smallest power of 2 that is at least 8 s, with weights exp(-i / s) |
| in time | cos(phi) F_k + sin(phi) F_k+1, phi = (pi / 2) (t / `time_s` - k) | the two key frames around t |

The sums are cut, so that the correlation is up to 0.004 (gaussian, from 1 px on) or 0.0004 (exponential) off these
forms. Below 1 px neighbours have less in common than the Gaussian's form says. Correlations across, down and in time
multiply. Rows and columns are those of the frame: rings and azimuth steps of a lidar, whose last column is next to the
first where the scan closes. All entries for entities or rings take the same draws. A correlation of zeros changes no
bit. Refused are models without draws, rosettes and rows of rays that show nothing as a line of pixels, an
`across_px` whose sum does not fit into the turn of a lidar, and sensors with several returns of each ray. Formulas and what is not modelled stand in
[`fathom/noise/correlation.hpp`](../include/fathom/noise/correlation.hpp), how files say it in
[scene-format.md](scene-format.md#correlated-draws).

)";

using fathom::NoiseInfo;

/// `fathom noise [SLUG] [--json | --markdown]`
struct NoiseOptions {
  std::string slug;  ///< empty: all models
  bool json = false;
  bool markdown = false;
};

/// How help and the reference page speak of a stage; completes "acts on ...".
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

std::string section(const fathom::NoiseInfo& model) {
  std::string text = fmt::format(
      "\n## {0}\n\n{1}\n\nStage `{2}`: acts on {3}. Formula and source: "
      "[`fathom/noise/{0}.hpp`](../include/fathom/noise/{0}.hpp).\n",
      model.slug, model.doc, to_string(model.stage), stage_doc(model.stage));
  if (!model.note.empty()) text += fmt::format("\n{}\n", model.note);
  return text + "\n" + fields_page(model.fields);
}

/// docs/noise.md, Markdown.
std::string noise_page(const std::vector<fathom::NoiseInfo>& models) {
  std::string text(kIntroduction);
  text += std::string(kCorrelation) + fields_page(fathom::describe<fathom::Correlation>());
  for (const fathom::NoiseInfo& model : models) text += section(model);
  return text;
}

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

}  // namespace

void add_noise(CLI::App& app) {
  const auto o = std::make_shared<NoiseOptions>();
  CLI::App& c = *app.add_subcommand("noise", "List the noise models and their parameters");
  c.add_option("MODEL", o->slug, "show this model only")->type_name("");
  CLI::Option* json = &add_json(c, o->json);
  c.add_flag("--markdown", o->markdown, "as the page docs/noise.md")->excludes(json);
  c.footer(kNoiseHelp);
  c.final_callback([o] { list_noise(*o); });
}

}  // namespace fathom_cli
