// SPDX-License-Identifier: MIT
#include <array>
#include <filesystem>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/names.hpp>
#include <fathom/files/pictures.hpp>
#include <fathom/fit/reports.hpp>

#include "command_tree.hpp"
#include "commands.hpp"
#include "learning.hpp"
#include "option_values.hpp"
#include "text.hpp"

namespace fathom_cli {
namespace {

constexpr const char* kFitWallHelp = R"(
Usage: fathom fit wall (DIR --camera FX,FY,CX,CY[,BASELINE] | DIR --sensor PRESET | --log LOG | --bag BAG) [OPTIONS]
Examples:
  fathom simulate examples/14_flat_wall/wall.yaml --out out/wall
  fathom fit wall out/wall/camera --camera 190,190,159.5,99.5,0.05 --max-range 10 --max-returns 20000
      --out out/wall_fit
  fathom fit wall out/wall/camera --camera 190,190,159.5,99.5,0.05 --max-range 10 --max-returns 20000
      --distances 0:6=0.9,6:12=1.3,12:18=1.8,18:24=2.4,24:30=3.2
  fathom fit wall --log out/wall/laser/scans.csv --sector=-60,60
  fathom fit wall out/wall/lidar --sensor VLP-16 --wall ahead

Neither pose nor scene is needed. DIR has depth images, 16-bit PNG (0: a hole), NPY, PFM or EXR, of a wall from several
distances and angles; the wall fills at least half of what is not left out (--mask, --sector). Or it has clouds of a
lidar, PCD or PLY in the sensor frame, which stood still for each; --sensor says whose rays these show, and a ray
without a point is lost. Where turns of a real lidar start anywhere, points lie between its rays: each then has a ray of
its own, in the ring of its elevation or field `ring`, and the columns of the turn say which rays were lost. The wall is
the largest upright plane, or one straight ahead (--wall). A plane is fitted to each frame, and the chain of noise is
learned from the residuals. A tape measure (--distances) gives gain and bias as well: the distance is perpendicular to
the wall, from the origin of the sensor. NAME is that of an image, with * and ?, or FIRST:END of the numbers of frames.
Distances of another unit are refused, and what contradicts the readings is named and stays out of the chain. --out gets
noise.yaml and sensor.yaml for scene files, report.html, which compares the measurement with a simulation of it, and
fit.json. docs/calibrate.md tells what a wall can tell, and what not.)";

/// `fathom fit wall DIR --camera ...`, `DIR --sensor ...` or `--log L`
struct FitWallOptions {
  std::filesystem::path folder;  ///< of depth images or clouds; empty for scans
  std::string sensor;            ///< of clouds: a preset or a file
  std::optional<fathom::WallSensor::Camera> camera;
  std::optional<double> levels_per_m;
  std::string files;
  std::filesystem::path mask;
  BeamLogOptions log;
  std::optional<std::array<double, 2>> sector_rad;
  std::optional<double> max_range_m;
  std::optional<std::string> scans;
  double step_m = 0.0;  ///< of the ranges of scans
  std::string distances;
  fathom::WallOptions wall;
  std::optional<double> rate_hz;  ///< of still frames
  OutputOptions output;

  [[nodiscard]] std::string source() const { return (folder.empty() ? log.file() : folder).string(); }
};

constexpr const char* kWallFiles = "noise.yaml, sensor.yaml, report.html and fit.json";

/// Refuses an option that would do nothing to this source.
void refuse(bool is_given, const char* why) {
  if (is_given) throw fathom::InputError(why);
}

/// What would do nothing to scans or clouds.
void refuse_for_images(const FitWallOptions& o) {
  const bool scans = o.folder.empty();
  const std::string name = scans ? (o.log.bag.empty() ? o.log.log : o.log.bag).string() : o.folder.string();
  const auto refuse_option = [&](const char* option, const char* what) {
    throw fathom::InputError(
        fmt::format("{}: {} is for {}, and this is a {}", name, option, what, scans ? "log" : "folder of clouds"));
  };
  if (scans && !o.files.empty()) refuse_option("--files", "a folder of depth images or clouds");
  if (o.levels_per_m) refuse_option("--levels-per-m", "16-bit images");
}

/// One source of walls, and the options that it needs.
void check_source(const FitWallOptions& o, bool has_clouds) {
  const bool scans = o.log.is_given();
  refuse(o.folder.empty() && !scans, "DIR, --log or --bag is required");
  refuse(!scans && o.scans, "--scans is for a log; give --files for a folder");
  refuse(!scans && o.step_m > 0.0, "--step is for a log; --levels-per-m has the levels of images");
  refuse(o.wall.rings && o.sensor.empty(), "--rings is for clouds of a lidar: give --sensor");
  refuse(!o.folder.empty() && scans, "DIR has depth images or clouds: --log and --bag are for scans");
  refuse(o.rate_hz && !o.wall.still, "--rate is for --still: frames that do not follow each other have none");
  if (scans) {
    refuse_for_images(o);
    refuse(o.camera.has_value(), "--camera is for depth images, and scans have none");
    refuse(!o.mask.empty(), "--mask is for depth images; give --sector for scans");
    refuse(!o.sensor.empty(), "--sensor is for clouds: a log says what rays its scans have");
  } else if (has_clouds) {
    refuse_for_images(o);
    refuse(o.camera.has_value(), "--camera is for depth images, and DIR has clouds");
    refuse(!o.mask.empty(), "--mask is for depth images; give --sector for clouds");
    refuse(o.sensor.empty(), "--sensor PRESET|FILE is required with clouds: whose rays they show");
  } else {
    refuse(!o.sensor.empty(), "--sensor is for clouds, and DIR has depth images");
    refuse(!o.camera, "--camera FX,FY,CX,CY[,BASELINE] is required with depth images");
    refuse(o.sector_rad.has_value(), "--sector is for scans and clouds; give --mask for depth images");
  }
}

fathom::WallInput wall_input(const FitWallOptions& o) {
  fathom::WallInput input{.files = o.files,
                          .levels_per_m = o.levels_per_m,
                          .max_range_m = o.max_range_m,
                          .mask = o.mask,
                          .sector_rad = o.sector_rad,
                          .scans = o.scans.value_or("all"),
                          .step_m = o.step_m};
  input.sensor.camera = o.camera;
  if (!o.distances.empty()) input.distances = fathom::wall_distances(o.distances);
  return input;
}

fathom::WallFrames cloud_frames(const FitWallOptions& o) {
  const fathom::WallSensor lidar = with_words("--sensor ", [&] { return fathom::find_wall_lidar(o.sensor); });
  refuse(o.max_range_m.has_value(), "--max-range is what the lidar of --sensor says");
  fathom::WallInput input = wall_input(o);
  input.sensor = lidar;
  return fathom::read_wall_clouds(o.folder, input);
}

Paths wall_inputs(const FitWallOptions& o, const Paths& clouds) {
  if (o.folder.empty()) return {o.log.file()};
  if (clouds.empty()) return fathom::wall_image_inputs(o.folder, wall_input(o));
  Paths inputs = clouds;
  inputs.emplace_back(o.sensor);
  return inputs;
}

fathom::WallFrames wall_frames(const FitWallOptions& o, bool has_clouds, std::vector<std::string>& notes) {
  if (has_clouds) return cloud_frames(o);
  if (o.folder.empty()) {
    const fathom::ScanLog log = read_log(o.log);
    notes = log.notes;
    return fathom::wall_frames_of_log(log, wall_input(o));
  }
  refuse(o.wall.wall.has_value(), "--wall is for scans and clouds; --mask leaves out pixels of depth images");
  return fathom::read_wall_images(o.folder, wall_input(o));
}

/// Learns and prints, as tables or as JSON.
void fit_wall(const FitWallOptions& o) {
  const Paths clouds = o.folder.empty() ? Paths() : fathom::wall_cloud_files(o.folder, o.files);
  check_source(o, !clouds.empty());
  if (!o.output.out.empty()) {
    fathom::check_result_folder(fathom::ResultKind::kWall, o.output.out, o.output.force);
    refuse_inputs(fathom::result_files(fathom::ResultKind::kWall, o.output.out), wall_inputs(o, clouds));
  }
  std::vector<std::string> notes;
  const fathom::WallFrames frames = wall_frames(o, !clouds.empty(), notes);
  fathom::WallOptions how = o.wall;
  how.rate_hz = o.rate_hz.value_or(how.rate_hz);
  fathom::validate(how);
  const auto make = [&] { return fathom::make_wall_report(frames, how, o.source()); };
  // Frames of folders have the names of their files, scans have only numbers.
  fathom::WallReport report = o.folder.empty() ? about_file(o.source(), make) : make();
  report.notes = std::move(notes);
  if (!o.output.out.empty()) report.write(o.output.out, o.output.force);
  print_report(report, o.output, kWallFiles);
}

std::array<double, 2> parse_sector(const std::string& text) {
  const std::vector<double> degrees = parse_numbers("--sector", text, {-360.0, 360.0, "degrees"});
  if (degrees.size() != 2 || !(degrees[0] < degrees[1])) {
    throw fathom::InputError(fmt::format("--sector = {}: is not FROM,TO, degrees, rising", text));
  }
  return {degrees[0] * std::numbers::pi / 180.0, degrees[1] * std::numbers::pi / 180.0};
}

void add_images(CLI::App& c, FitWallOptions& o) {
  begin_section(c, Section::kRequired);
  c.add_option("DIR", o.folder, "folder of depth images or clouds");
  add_parsed(c,
             {"--camera", "FX,FY,CX,CY[,BASELINE]",
              "of depth images: focal lengths and principal point in px, and of a stereo camera the baseline in m"},
             [&o](const std::string& text) { o.camera = parse_camera(text); });
  c.add_option("--sensor", o.sensor,
               "lidar of clouds: a preset, or a file with an entry of `sensors:` or a scene of one sensor")
      ->type_name("PRESET|FILE");
}

void add_wall_input(CLI::App& c, FitWallOptions& o) {
  begin_section(c, Section::kInput);
  add_number(c, {"--max-range", "M", "how far the sensor measures; default: what a log says"}, {1e-3, 1e6, "m"},
             o.max_range_m);
  c.add_option("--distances", o.distances, "distances by tape, NAME=M,NAME=M,..., or a file of lines NAME,M")
      ->type_name("LIST|FILE");
  add_shared(c, "--files", o.files);
  c.add_option("--mask", o.mask,
               "leave out the pixels that are not 0 in a grey PNG or NPY, or a folder with one for each")
      ->type_name("PATH");
  add_parsed(c,
             {"--sector", "FROM,TO", "rays of a scan or cloud that count, by azimuth, degrees; write --sector=-40,40"},
             [&o](const std::string& text) { o.sector_rad = parse_sector(text); });
  add_shared(c, "--scans", o.scans);
  begin_section(c, Section::kInput, true);
  add_shared(c, "--levels-per-m", o.levels_per_m);
  add_shared(c, "--step", o.step_m);
  add_number(c, {"--rate", "HZ", "frames per second, with --still; default: 30"}, {1e-3, 1e6, "Hz"}, o.rate_hz);
}

void add_wall_model(CLI::App& c, FitWallOptions& o) {
  begin_section(c, Section::kModel);
  add_choice(
      c, "--wall",
      "among other surfaces: the upright plane with the most readings, or one straight ahead; default: of clouds "
      "largest, of scans what half of the readings are of",
      o.wall.wall);
  c.add_flag("--rings", o.wall.rings,
             "of a lidar: a bias for each ring, a gain where it shows, and its own deviation unless tails are heavy");
  c.add_flag("--still", o.wall.still,
             "frames follow each other, and nothing moves but from place to place: correlation in time");
  add_shared(c, "--hold-out", o.wall.hold_out);
  begin_section(c, Section::kModel, true);
  add_choice(
      c, "--border",
      "losses with no reading between them and the border of the view; default: of_wall in images, else not_known",
      o.wall.border);
  add_whole(c, {"--block-frames", "N", "frames that count as one for the errors"}, {1, 1'000'000}, o.wall.block_frames);
}

}  // namespace

void add_fit_wall(CLI::App& fit) {
  const auto o = std::make_shared<FitWallOptions>();
  CLI::App& c = *fit.add_subcommand("wall", "Learn the noise of a depth camera, laser or lidar from a flat wall");
  add_images(c, *o);
  add_log(c, o->log);
  add_wall_input(c, *o);
  add_wall_model(c, *o);
  add_report_output(c, o->output, kWallFiles);
  begin_section(c, Section::kComputer);
  add_shared(c, "--max-returns", o->wall.most_returns);
  add_whole(c, {"--seed", "S", "of the random triples, of thinning and of the simulated wall"}, kAnySeed, o->wall.seed);
  add_threads(c, o->wall.threads);
  c.footer(kFitWallHelp);
  set_action(c, o->output, [o] { fit_wall(*o); });
}

}  // namespace fathom_cli
