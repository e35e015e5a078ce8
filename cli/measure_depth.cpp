// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <variant>

#include <fathom/files/pictures.hpp>
#include <fathom/fit/measure_depth.hpp>
#include <fathom/fit/reports.hpp>
#include <fathom/sensor/kinds.hpp>
#include <fathom/sensor/presets.hpp>

#include "commands.hpp"
#include "learning.hpp"
#include "option_values.hpp"
#include "progress.hpp"

namespace fathom_cli {
namespace {

constexpr const char* kDepthHelp = R"(
In the examples mycamera stands for a folder of your own.

Examples:
  fathom simulate examples/06_stereo/stereo.yaml --out out/measured
  fathom measure depth out/measured/stereo --preset D435
  fathom measure depth mycamera --camera 385,385,320,240,0.05 --out out/mycamera
  fathom measure depth out/measured/stereo --preset D435 --beyond-reach reasons
  fathom measure depth mycamera --focal-baseline 19.25 --compare out/measured/stereo --compare-preset D435

DIR holds 16-bit PNG (0: a hole), NPY (floats in m, or uint16), PFM or EXR (floats in m), or is a bag of ROS 2, whose
topic --files names. Of patches of 24 x 24 pixels a cubic is taken off in inverse depth; what it leaves is the error.
All holes count, also where nothing is within the camera's reach, unless --beyond-reach or --mask leaves these pixels
out: a folder of `fathom simulate` knows them, of a real camera you do. Whole blobs of holes touch neither the border of
the image nor what is left out. docs/depth-cameras.md tells what the numbers mean, and what cannot be seen.
--out gets report.html and measure.json; files appear whole or not at all.)";

constexpr const char* kDepthFiles = "report.html and measure.json";

/// A folder, how its images are read, and what turns depth into disparity.
struct DepthFolder {
  std::filesystem::path folder;
  fathom::DepthReport::Options how;
  // At most one of them is given.
  std::string preset;                                ///< of a stereo camera
  std::optional<double> focal_baseline_px_m;         ///< fx times baseline
  std::optional<std::array<double, 5>> camera_px_m;  ///< fx, fy, cx, cy in px, baseline in m
};

/// `fathom measure depth DIR ...`
struct MeasureDepthOptions {
  DepthFolder first, other;  ///< other.folder is empty where nothing is compared
  std::vector<double> band_edges_m = {0.5, 1.0, 2.0, 4.0, 8.0};
  bool still = false;
  int threads = 0;
  OutputOptions output;
};

/// fx of a preset in images of this size: the preset's, or scaled as a whole. A few rows may be missing, as from 848 x
/// 480 beside 1280 x 720.
double focal_baseline_of(const std::string& name, std::uint32_t rows, std::uint32_t cols) {
  const fathom::SensorPreset& preset = fathom::find_preset(name);
  const auto* camera = std::get_if<fathom::StereoCamera>(&preset.model);
  if (camera == nullptr || !(camera->baseline_m > 0.0)) {
    throw fathom::InputError(fmt::format("--preset {}: is no stereo camera with a baseline", preset.name));
  }
  constexpr double kMostOfShape = 0.01;
  const double shape = static_cast<double>(camera->width) / camera->height, given = static_cast<double>(cols) / rows;
  if (std::abs(given - shape) > kMostOfShape * shape) {
    throw fathom::InputError(
        fmt::format("--preset {}: images of {} x {} pixels have another shape than its {} x {}; give --camera or "
                    "--focal-baseline",
                    preset.name, cols, rows, camera->width, camera->height));
  }
  return fathom::intrinsics(*camera).fx * camera->baseline_m * cols / camera->width;
}

std::optional<double> focal_baseline_of(const DepthFolder& folder) {
  if (folder.camera_px_m) return folder.camera_px_m->front() * folder.camera_px_m->back();
  if (folder.preset.empty()) return folder.focal_baseline_px_m;
  const fathom::DepthImage image = fathom::first_depth_image(folder.folder, folder.how);
  return focal_baseline_of(folder.preset, image.rows, image.cols);
}

fathom::DepthReport::Folder measure(const DepthFolder& folder, const MeasureDepthOptions& options) {
  TaskDisplay display("measuring:", options.output.quiet);
  fathom::DepthReport::Options how = folder.how;
  how.meter.focal_baseline_px_m = focal_baseline_of(folder);
  how.meter.band_edges_m = options.band_edges_m;
  how.meter.still = options.still;
  how.meter.threads = options.threads;
  how.on_frame = [&display](std::size_t done, std::size_t all) {
    display.show_fraction(static_cast<double>(done) / static_cast<double>(all));
  };
  return fathom::measure_depth_folder(folder.folder, how);
}

/// Measures, writes the report and prints the tables or the JSON.
void measure_depth(const MeasureDepthOptions& options) {
  std::vector<const DepthFolder*> folders = {&options.first};
  if (!options.other.folder.empty()) folders.push_back(&options.other);
  Paths inputs;
  for (const DepthFolder* one : folders) {
    const Paths more = fathom::depth_folder_inputs(one->folder, one->how);
    inputs.insert(inputs.end(), more.begin(), more.end());
  }
  if (!options.output.out.empty()) {
    fathom::check_result_folder(fathom::ResultKind::kDepth, options.output.out, options.output.force);
    refuse_inputs(fathom::result_files(fathom::ResultKind::kDepth, options.output.out), inputs);
  }
  fathom::DepthReport report;
  for (const DepthFolder* one : folders) report.folders.push_back(measure(*one, options));
  if (!options.output.out.empty()) report.write(options.output.out, options.output.force);
  print_report(report, options.output, kDepthFiles);
}

constexpr NumberLimits kFocalBaseline = {fathom::DepthMeasure::Options::kLeastFocalBaselinePxM,
                                         fathom::DepthMeasure::Options::kMostFocalBaselinePxM, "px m"};

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
      &add_parsed(c,
                  {camera, "FX,FY,CX,CY,BASELINE",
                   "focal lengths and principal point in px, baseline in m: gives disparities" + whose},
                  [&folder, camera](const std::string& text) { folder.camera_px_m = parse_camera(camera, text); });
  CLI::Option* by_preset =
      c.add_option(preset, folder.preset, "stereo camera of `fathom sensors` that the images are of" + whose)
          ->type_name("NAME");
  CLI::Option& by_product =
      add_number(c, {product, "PX_M", "FX x BASELINE, px m" + whose}, kFocalBaseline, folder.focal_baseline_px_m);
  by_camera->excludes(by_preset), by_camera->excludes(&by_product), by_preset->excludes(&by_product);
  add_number(c, {prefix + "levels-per-m", "N", "levels per metre of 16-bit images" + whose},
             {fathom::kLeastLevelsPerM, fathom::kMostLevelsPerM, "1/m"}, folder.how.levels_per_m);
  c.add_option(
       prefix + "files", folder.how.files,
       "names to take, with * and ?; default: depth*.npy, else .png, .pfm or .exr, else all of one format" + whose)
      ->type_name("PATTERN");
}

/// The options that leave pixels out; `prefix` is "--" or "--compare-".
void add_left_out(CLI::App& c, const std::string& prefix, fathom::DepthReport::Options::LeftOut& left_out) {
  const std::string reach = prefix + "beyond-reach", whose = prefix == "--" ? "" : "; of --compare";
  const auto read = [&left_out, reach](const std::string& text) {
    left_out.lost_beyond_reach = text == "reasons";
    if (left_out.lost_beyond_reach) return;
    left_out.beyond_m =
        parse_number(reach + " (or reasons)", text, {1e-9, fathom::DepthMeasure::Options::kMostDepthM, "m"});
  };
  add_parsed(c,
             {reach, "M|reasons",
              "leave out the pixels that show nothing nearer than M m (by clean_depth*.npy of the folder), or pixels "
              "that are miss or above_max_range in its reason*.npy" +
                  whose},
             read);
  c.add_option(prefix + "mask", left_out.mask,
               "leave out the pixels that are not 0 in a grey PNG or NPY: one for all images, or a folder with one for "
               "each" +
                   whose)
      ->type_name("PATH");
}

void add_bands(CLI::App& c, std::vector<double>& edges_m) {
  const auto read = [&edges_m](const std::string& text) {
    edges_m = parse_numbers("--bands", text, {0.0, fathom::DepthMeasure::Options::kMostDepthM, "m"});
  };
  add_parsed(c, {"--bands", "M,M,...", "where bands of distance end, m, rising"}, read)
      .default_str(fmt::format("{}", fmt::join(edges_m, ",")));
}

}  // namespace

void add_measure_depth(CLI::App& measure) {
  const auto o = std::make_shared<MeasureDepthOptions>();
  CLI::App& c = *measure.add_subcommand("depth", "Error, its correlation, and holes of a folder of depth images");
  begin_section(c, Section::kRequired);
  c.add_option("DIR", o->first.folder, "folder of depth images, or a bag of ROS 2")->required()->type_name("DIR");
  begin_section(c, Section::kInput);
  add_reading(c, "--", o->first);
  add_left_out(c, "--", o->first.how.left_out);
  CLI::Option* compare =
      c.add_option("--compare", o->other.folder, "another folder, to set beside DIR")->type_name("DIR");
  begin_section(c, Section::kModel);
  c.add_flag("--still", o->still, "neither scene nor camera moves: compare the error of frames that follow each other");
  add_bands(c, o->band_edges_m);
  begin_section(c, Section::kInput, true);
  add_reading(c, "--compare-", o->other);
  add_left_out(c, "--compare-", o->other.how.left_out);
  for (const char* more : {"camera", "preset", "focal-baseline", "levels-per-m", "files", "beyond-reach", "mask"}) {
    c.get_option(std::string("--compare-") + more)->needs(compare);
  }
  add_report_output(c, o->output, kDepthFiles);
  begin_section(c, Section::kComputer);
  add_threads(c, o->threads);
  c.footer(kDepthHelp);
  set_action(c, o->output, [o] { measure_depth(*o); });
}

}  // namespace fathom_cli
