// SPDX-License-Identifier: MIT
#include "measure_commands.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/calibrate/measure_depth.hpp>
#include <fathom/files/depth.hpp>

#include "measure_depth.hpp"
#include "option_values.hpp"

namespace fathom_cli {
namespace {

constexpr const char* kMeasureHelp = R"(
In the example mycamera stands for a folder of your own.

Example:
  fathom measure depth mycamera --camera 385,385,320,240,0.05)";

constexpr const char* kDepthHelp = R"(
In the examples mycamera stands for a folder of your own.

Examples:
  fathom simulate examples/06_stereo/stereo.yaml --out out/measured
  fathom measure depth out/measured/stereo --preset D435
  fathom measure depth mycamera --camera 385,385,320,240,0.05 --out out/mycamera
  fathom measure depth out/measured/stereo --preset D435 --beyond-reach reasons
  fathom measure depth mycamera --focal-baseline 19.25 --compare out/measured/stereo --compare-preset D435

DIR holds 16-bit PNG (0: a hole) or NPY (floats in m, or uint16), or is a bag of ROS 2, whose topic --files names. Of
patches of 24 x 24 pixels a cubic is taken off in inverse depth; what it leaves is the error. All holes count, also
where nothing is within the camera's reach, unless --beyond-reach or --mask leaves these pixels out: a folder of
`fathom simulate` knows them, of a real camera you do. Whole blobs of holes touch neither the border of the image nor
what is left out. docs/depth-cameras.md tells what the numbers mean, and what cannot be seen.
--out gets report.html and measure.json; files appear whole or not at all.)";

constexpr NumberLimits kFocalBaseline = {fathom::DepthMeterOptions::kLeastFocalBaselinePxM,
                                         fathom::DepthMeterOptions::kMostFocalBaselinePxM, "px m"};

std::array<double, 5> parse_camera(const std::string& option, const std::string& text) {
  const std::vector<double> numbers = parse_numbers(option, text, {-1e7, 1e7});
  if (numbers.size() != 5) {
    throw fathom::InputError(
        fmt::format("{} has {} numbers: it is FX,FY,CX,CY,BASELINE, in px and m", option, numbers.size()));
  }
  for (const std::size_t k : {std::size_t{0}, std::size_t{1}, std::size_t{4}}) {
    if (!(numbers[k] > 0.0)) {
      throw fathom::InputError(fmt::format("{} = {}: FX, FY and BASELINE are above 0", option, text));
    }
  }
  std::array<double, 5> camera{};
  std::copy(numbers.begin(), numbers.end(), camera.begin());
  static_cast<void>(
      parse_number(option + " (FX x BASELINE)", fmt::format("{}", camera[0] * camera[4]), kFocalBaseline));
  return camera;
}

/// The options that say how a folder is read; `prefix` is "--" or "--compare-".
void add_reading(CLI::App& c, const std::string& prefix, DepthFolder& folder) {
  const std::string camera = prefix + "camera", preset = prefix + "preset", product = prefix + "focal-baseline";
  const std::string whose = prefix == "--" ? "" : "; of --compare";
  CLI::Option* by_camera =
      c.add_option_function<std::string>(
           camera,
           [&folder, camera](const std::string& text) { folder.optics.camera_px_m = parse_camera(camera, text); },
           "focal lengths and principal point in px, baseline in m: gives disparities" + whose)
          ->type_name("FX,FY,CX,CY,BASELINE");
  CLI::Option* by_preset =
      c.add_option(preset, folder.optics.preset, "stereo camera of `fathom sensors` that the images are of" + whose)
          ->type_name("NAME");
  CLI::Option& by_product = add_number(c, {product, "PX_M", "FX x BASELINE, px m" + whose}, kFocalBaseline,
                                       folder.optics.focal_baseline_px_m);
  by_camera->excludes(by_preset), by_camera->excludes(&by_product), by_preset->excludes(&by_product);
  add_number(c, {prefix + "scale", "N", "levels per metre of 16-bit images" + whose},
             {fathom::kLeastLevelsPerM, fathom::kMostLevelsPerM, "1/m"}, folder.levels_per_m);
  c.add_option(prefix + "files", folder.files,
               "names to take, with * and ?; default: depth*.npy, else depth*.png, else all" + whose)
      ->type_name("PATTERN");
}

/// The options that say what is left out; `prefix` is "--" or "--compare-".
void add_left_out(CLI::App& c, const std::string& prefix, fathom::DepthLeftOut& left_out) {
  const std::string reach = prefix + "beyond-reach", whose = prefix == "--" ? "" : "; of --compare";
  const auto read = [&left_out, reach](const std::string& text) {
    left_out.lost_beyond_reach = text == "reasons";
    if (left_out.lost_beyond_reach) return;
    left_out.beyond_m =
        parse_number(reach + " (or reasons)", text, {1e-9, fathom::DepthMeterOptions::kMostDepthM, "m"});
  };
  c.add_option_function<std::string>(
       reach, read,
       "leave out the pixels that show nothing nearer than M m (by clean_depth*.npy of the "
       "folder), or those that are miss or above_max_range in its reason*.npy" +
           whose)
      ->type_name("M|reasons");
  c.add_option(prefix + "mask", left_out.mask,
               "leave out the pixels that are not 0 in a grey PNG or NPY: one for all images, or a folder with one for "
               "each" +
                   whose)
      ->type_name("PATH");
}

void add_bands(CLI::App& c, std::vector<double>& edges_m) {
  const auto read = [&edges_m](const std::string& text) {
    edges_m = parse_numbers("--bands", text, {0.0, fathom::DepthMeterOptions::kMostDepthM, "m"});
  };
  c.add_option_function<std::string>("--bands", read, "where bands of distance end, m, rising")
      ->type_name("M,M,...")
      ->default_str(fmt::format("{}", fmt::join(edges_m, ",")));
}

}  // namespace

void add_measure_commands(CLI::App& app) {
  CLI::App& measure = *app.add_subcommand("measure", "Measure what a sensor does in its own frames");
  measure.require_subcommand(1);
  measure.footer(kMeasureHelp);
  const auto o = std::make_shared<MeasureDepthOptions>();
  CLI::App& c = *measure.add_subcommand("depth", "Error, its correlation, and holes of a folder of depth images");
  c.add_option("DIR", o->first.folder, "folder of depth images, or a bag of ROS 2")->required()->type_name("DIR");
  add_reading(c, "--", o->first);
  add_left_out(c, "--", o->first.left_out);
  c.add_flag("--still", o->still, "neither scene nor camera moves: compare the error of frames that follow each other");
  add_bands(c, o->band_edges_m);
  CLI::Option* compare =
      c.add_option("--compare", o->other.folder, "another folder, to set beside DIR")->type_name("DIR");
  add_reading(c, "--compare-", o->other);
  add_left_out(c, "--compare-", o->other.left_out);
  for (const char* more : {"camera", "preset", "focal-baseline", "scale", "files", "beyond-reach", "mask"}) {
    c.get_option(std::string("--compare-") + more)->needs(compare);
  }
  c.add_option("--json", o->json, "file for the numbers")->type_name("JSON");
  c.add_option("--out", o->out, "folder to make for report.html and measure.json")->type_name("DIR");
  add_threads(c, o->threads);
  add_force(c, o->force);
  add_quiet(c, o->quiet);
  c.footer(kDepthHelp);
  c.final_callback([o] { measure_depth(*o); });
}

}  // namespace fathom_cli
