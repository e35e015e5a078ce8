// SPDX-License-Identifier: MIT
#include "measure_depth.hpp"

#include <cmath>
#include <cstdint>
#include <string_view>
#include <variant>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/base/names.hpp>
#include <fathom/calibrate/depth_report.hpp>
#include <fathom/sensor/presets.hpp>
#include <fathom/sensor/stereo_camera.hpp>

#include "beam_world.hpp"
#include "outputs.hpp"
#include "progress.hpp"
#include "signals.hpp"
#include "text.hpp"

namespace fathom_cli {
namespace {

/// fx of a preset in images of this size: they are the preset's, or scaled as a whole, but for a few rows, as 848 x 480
/// is 1280 x 720.
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
  const DepthOptics& optics = folder.optics;
  if (optics.camera_px_m) return optics.camera_px_m->front() * optics.camera_px_m->back();
  if (optics.preset.empty()) return optics.focal_baseline_px_m;
  const fathom::DepthImage image =
      fathom::first_depth_image(folder.folder, {.files = folder.files, .levels_per_m = folder.levels_per_m});
  return focal_baseline_of(optics.preset, image.rows, image.cols);
}

fathom::DepthFolderOptions reading(const DepthFolder& folder) {
  return {.files = folder.files, .levels_per_m = folder.levels_per_m, .left_out = folder.left_out};
}

fathom::DepthReport measure(const DepthFolder& folder, const MeasureDepthOptions& options) {
  TaskDisplay display("measuring:", options.quiet);
  fathom::DepthFolderOptions how = reading(folder);
  how.meter.focal_baseline_px_m = focal_baseline_of(folder);
  how.meter.band_edges_m = options.band_edges_m;
  how.meter.still = options.still;
  how.meter.threads = options.threads;
  how.on_frame = [&display](std::size_t done, std::size_t all) {
    display.show_fraction(static_cast<double>(done) / static_cast<double>(all));
  };
  return as_typed({{"band_edges_m", "--bands"}, {"focal_baseline_px_m", "focal length x baseline"}},
                  [&] { return fathom::measure_depth_folder(folder.folder, how); });
}

}  // namespace

void measure_depth(const MeasureDepthOptions& options) {
  const StopSignals signals(Patience::kNone);
  Paths inputs = fathom::depth_folder_inputs(options.first.folder, reading(options.first));
  if (!options.other.folder.empty()) {
    const Paths more = fathom::depth_folder_inputs(options.other.folder, reading(options.other));
    inputs.insert(inputs.end(), more.begin(), more.end());
  }
  if (!options.json.empty()) check_new_file(options.json, options.force, inputs);
  if (!options.out.empty()) {
    fathom::check_depth_report_folder(options.out, options.force);
    refuse_inputs(fathom::depth_report_files(options.out), inputs);
  }
  std::vector<fathom::DepthReport> reports = {measure(options.first, options)};
  if (!options.other.folder.empty()) reports.push_back(measure(options.other, options));
  if (!options.out.empty()) fathom::write_depth_report(options.out, reports, options.force);
  if (!options.json.empty()) fathom::write_depth_json(options.json, reports);
  std::string text = fathom::report_text(reports, fathom::ReportForm::kTerminal);
  if (!options.out.empty() && !options.quiet) {
    text += fmt::format("report.html and measure.json are in {}\n", fathom::printable(options.out.string()));
  }
  print(text);
}

}  // namespace fathom_cli
