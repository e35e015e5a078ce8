// SPDX-License-Identifier: MIT
#include "calibrate_wall.hpp"

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/base/names.hpp>

#include "outputs.hpp"
#include "signals.hpp"
#include "text.hpp"

namespace fathom_cli {
namespace {

bool has_clouds(const CalibrateWallOptions& o) {
  return !o.folder.empty() && !fathom::wall_cloud_files(o.folder, o.files).empty();
}

/// What would do nothing to scans or clouds.
void refuse_for_images(const CalibrateWallOptions& o) {
  const bool scans = o.folder.empty();
  const std::string name = scans ? (o.log.bag.empty() ? o.log.log : o.log.bag).string() : o.folder.string();
  const auto refuse = [&](const char* option, const char* what) {
    throw fathom::InputError(
        fmt::format("{}: {} is for {}, and this is a {}", name, option, what, scans ? "log" : "folder of clouds"));
  };
  if (scans && !o.files.empty()) refuse("--files", "a folder of depth images or clouds");
  if (o.levels_per_m) refuse("--scale", "16-bit images");
}

/// One source, and what it needs.
void check_source(const CalibrateWallOptions& o) {
  const bool scans = !o.log.log.empty() || !o.log.bag.empty();
  if (o.folder.empty() && !scans) throw fathom::InputError("DIR, --log or --bag is required");
  if (!scans && o.scans) throw fathom::InputError("--scans is for a log; give --files for a folder");
  if (!scans && o.step_m > 0.0) throw fathom::InputError("--step is for a log; --scale has the levels of images");
  if (o.wall.rings && o.sensor.empty()) throw fathom::InputError("--rings is for clouds of a lidar: give --sensor");
  if (!o.folder.empty() && scans) {
    throw fathom::InputError("DIR has depth images or clouds: --log and --bag are for scans");
  }
  if (o.rate_hz && !o.wall.still) {
    throw fathom::InputError("--rate is for --still: frames that do not follow each other have none");
  }
  if (scans) {
    refuse_for_images(o);
    if (o.camera) throw fathom::InputError("--camera is for depth images, and scans have none");
    if (!o.mask.empty()) throw fathom::InputError("--mask is for depth images; give --sector for scans");
    if (!o.sensor.empty()) throw fathom::InputError("--sensor is for clouds: a log says what rays its scans have");
    return;
  }
  if (has_clouds(o)) {
    refuse_for_images(o);
    if (o.camera) throw fathom::InputError("--camera is for depth images, and DIR has clouds");
    if (!o.mask.empty()) throw fathom::InputError("--mask is for depth images; give --sector for clouds");
    if (o.sensor.empty())
      throw fathom::InputError("--sensor PRESET|FILE is required with clouds: whose rays they show");
    return;
  }
  if (!o.sensor.empty()) throw fathom::InputError("--sensor is for clouds, and DIR has depth images");
  if (!o.camera) throw fathom::InputError("--camera FX,FY,CX,CY[,BASELINE] is required with depth images");
  if (o.sector_rad) throw fathom::InputError("--sector is for scans and clouds; give --mask for depth images");
}

fathom::WallImagesOptions image_options(const CalibrateWallOptions& o) {
  fathom::WallImagesOptions how{.files = o.files, .levels_per_m = o.levels_per_m, .mask = o.mask};
  how.camera = o.camera.value_or(fathom::WallCamera{});
  how.max_range_m = o.max_range_m.value_or(0.0);
  if (!o.distances.empty()) how.distances = fathom::wall_distances(o.distances);
  return how;
}

fathom::WallSensor lidar_of(const CalibrateWallOptions& o) {
  try {
    return fathom::find_wall_lidar(o.sensor);
  } catch (const fathom::InputError& error) {
    throw fathom::InputError(fmt::format("--sensor {}", error.what()));
  }
}

fathom::WallFrames cloud_frames(const CalibrateWallOptions& o) {
  fathom::WallCloudsOptions how{.files = o.files};
  how.lidar = lidar_of(o);
  how.sector_rad = o.sector_rad;
  if (o.max_range_m) throw fathom::InputError("--max-range is what the lidar of --sensor says");
  if (!o.distances.empty()) how.distances = fathom::wall_distances(o.distances);
  return fathom::read_wall_clouds(o.folder, how);
}

Paths wall_inputs(const CalibrateWallOptions& o) {
  if (o.folder.empty()) return {o.log.file()};
  if (!has_clouds(o)) return fathom::wall_image_inputs(o.folder, image_options(o));
  Paths inputs = fathom::wall_cloud_files(o.folder, o.files);
  inputs.emplace_back(o.sensor);
  return inputs;
}

fathom::WallFrames wall_frames(const CalibrateWallOptions& o, std::vector<std::string>& notes) {
  if (has_clouds(o)) return cloud_frames(o);
  if (!o.folder.empty()) {
    if (o.wall.wall)
      throw fathom::InputError("--wall is for scans and clouds; of depth images --mask says what is left out");
    return as_typed({{"baseline_m", "--camera BASELINE"},
                     {"cx_px = ", "--camera CX = "},
                     {"cy_px = ", "--camera CY = "},
                     {": levels_per_m is for", ": --scale is for"}},
                    [&] { return fathom::read_wall_images(o.folder, image_options(o)); });
  }
  const fathom::ScanLog log = read_log(o.log);
  notes = log.notes;
  fathom::WallScansOptions how{
      .scans = o.scans.value_or("all"), .step_m = o.step_m, .max_range_m = o.max_range_m, .sector_rad = o.sector_rad};
  if (!o.distances.empty()) how.distances = fathom::wall_distances(o.distances);
  return fathom::wall_frames_of_log(log, how);
}

void show(const fathom::WallReport& report, const CalibrateWallOptions& options) {
  if (options.json) return print(fathom::report_text(report, fathom::ReportForm::kJson));
  if (options.quiet) return print(fathom::report_text(report, fathom::ReportForm::kBrief));
  std::string text = all_as_typed({{"give max_range_m", "give --max-range"}, {"levels_per_m = ", "--scale "}},
                                  fathom::report_text(report, fathom::ReportForm::kTerminal));
  if (!options.out.empty()) {
    text += fmt::format("\nnoise.yaml, sensor.yaml, report.html and fit.json are in {}\n",
                        fathom::printable(options.out.string()));
  }
  print(text);
}

}  // namespace

void calibrate_wall(const CalibrateWallOptions& typed) {
  CalibrateWallOptions options = typed;
  if (options.rate_hz) options.wall.rate_hz = *options.rate_hz;
  const StopSignals signals(Patience::kNone);
  check_source(options);
  if (!options.out.empty()) {
    fathom::check_wall_report_folder(options.out, options.force);
    refuse_inputs(fathom::wall_report_files(options.out), wall_inputs(options));
  }
  std::vector<std::string> notes;
  const fathom::WallFrames frames = wall_frames(options, notes);
  const std::string name = options.folder.empty() ? options.log.file().string() : options.folder.string();
  fathom::WallReport report =
      as_typed({{"hold_out", "--hold-out"},
                {"tape_m: ", "--distances: "},
                {"beyond max_range_m = ", "beyond --max-range "},
                {"not below max_range_m = ", "not below --max-range "},
                {"levels_per_m = ", "--scale "}},
               [&] {
                 const auto make = [&] { return fathom::make_wall_report(frames, options.wall, name); };
                 fathom::validate(options.wall);
                 // Frames of folders have the names of their files, scans have numbers alone.
                 return options.folder.empty() ? about_file(name, make) : make();
               });
  report.notes = std::move(notes);
  if (!options.out.empty()) fathom::write_wall_report(options.out, report, options.force);
  show(report, options);
}

}  // namespace fathom_cli
