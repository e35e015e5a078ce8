// SPDX-License-Identifier: MIT
#include "calibrate_wall.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/base/names.hpp>

#include "calibrate_chain.hpp"
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

std::string size_text(const char* name, const fathom::Estimate& size, const char* unit) {
  if (!(size.value > 0.0)) return fmt::format("  {}: white\n", name);
  const std::string error = std::isfinite(size.std_error) ? fmt::format(" +- {:.2g}", size.std_error) : "";
  return fmt::format("  {}: {:.4g}{} {}\n", name, size.value, error, unit);
}

std::string correlation_text(const fathom::WallReport& report) {
  const fathom::WallCorrelation& c = report.fit.correlation;
  const std::string_view shape = fathom::kChoiceWords<fathom::CorrelationShape>[static_cast<std::size_t>(c.shape)];
  const char* unit = report.fit.sensor.camera ? "px" : "rays";
  std::string text = fmt::format("\nsize of the correlation ({})\n", shape) + size_text("across", c.across_px, unit);
  if (report.fit.sensor.camera || report.fit.sensor.lidar) text += size_text("down", c.down_px, unit);
  if (!report.fit.measure.in_time.empty()) text += size_text("in time", c.time_s, "s");
  return text;
}

std::string laws_text(const std::vector<fathom::WallLossLaw>& laws, const char* what, const char* against) {
  if (laws.empty()) return "";
  std::vector<std::vector<std::string>> rows = {{what, "parameters", "nats per ray", against, ""}};
  for (const fathom::WallLossLaw& law : laws) {
    const std::string error = std::isfinite(law.gain_error) ? fmt::format(" +- {:.1g}", law.gain_error) : "";
    rows.push_back({law.name, fmt::format("{}", law.parameters), fmt::format("{:.5f}", law.nats),
                    fmt::format("{:+.5f}{}", law.gain, error), law.is_chosen ? "chosen" : ""});
  }
  return "\n" + align_columns(rows, {1, 2, 3});
}

std::string tape_text(const fathom::WallFit& fit) {
  if (!fit.tape) return "";
  const fathom::WallTape& t = *fit.tape;
  const auto number = [](const fathom::Estimate& e, double unit) {
    const std::string error = std::isfinite(e.std_error) ? fmt::format(" +- {:.2g}", unit * e.std_error) : "";
    return std::isfinite(e.value) ? fmt::format("{:.4g}{}", unit * e.value, error) : std::string("-");
  };
  std::string text = fmt::format("\nagainst the tape, {}{}: gain {}, bias {} mm\n", counted(t.places, "place"),
                                 t.is_contradicted ? ", which contradict the readings" : "", number(t.gain, 1.0),
                                 number(t.bias_m, 1e3));
  if (std::isfinite(t.bias_px.value)) text += fmt::format("or bias of the disparity {} px\n", number(t.bias_px, 1.0));
  return text;
}

std::string counts_text(const fathom::WallReport& report) {
  const fathom::WallMeasure& m = report.fit.measure;
  const auto found = static_cast<std::size_t>(
      std::count_if(m.planes.begin(), m.planes.end(), [](const fathom::WallPlane& p) { return p.is_found; }));
  const std::string losses = m.knows_losses ? group_digits(m.lost) + " losses" : "losses that are not known";
  std::string text =
      fmt::format("\n{} of {} show a wall: {} readings on it and {}; {} readings of something else\n", found,
                  counted(m.planes.size(), "frame"), group_digits(m.readings), losses, group_digits(m.other));
  if (report.fit.sensor.lidar && found > 0 && m.knows_losses) {
    text += fmt::format("of the {} rays of a frame {} are the wall's, in the mean\n",
                        group_digits(report.fit.sensor.rays()), group_digits((m.readings + m.lost) / found));
  }
  const fathom::ChainFit& chain = report.fit.chain;
  if (chain.judged == 0) return text + "no frame was held out\n";
  return text + fmt::format("held-out frames: {:.4f} nats per return\n", chain.held_out_nats);
}

std::string flag_as_typed(std::string text) {
  text = as_typed("give max_range_m", "give --max-range", std::move(text));
  text = as_typed("levels_per_m = ", "--scale ", std::move(text));
  return text;
}

void show(const fathom::WallReport& report, const CalibrateWallOptions& options) {
  if (options.json) return print(fathom::wall_json(report));
  std::string text = parameter_table(report.fit.chain, false);
  if (options.quiet) return print(text);
  text += correlation_text(report) + laws_text(report.fit.range_laws, "error of the range", "against distance") +
          laws_text(report.fit.loss_laws, "law of loss", "against dropout") + tape_text(report.fit) +
          counts_text(report);
  for (const std::string& flag : report.flags()) {
    text += "note: " + fathom::printable(flag_as_typed(flag)) + "\n";
  }
  if (options.out.empty()) {
    text +=
        fmt::format("\nIn a scene file, under `noise:` of the sensor:\n{}", fathom::chain_yaml(report.fit.chain.chain));
  } else {
    text += fmt::format("noise.yaml, sensor.yaml, report.html and fit.json are in {}\n",
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
