// SPDX-License-Identifier: MIT
#include "wall_command.hpp"

#include <memory>
#include <numbers>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/files/depth.hpp>

#include "beam_inputs.hpp"
#include "calibrate_wall.hpp"
#include "option_values.hpp"

namespace fathom_cli {
namespace {

constexpr const char* kWallHelp = R"(
Examples:
  fathom simulate examples/14_flat_wall/wall.yaml --out out/wall
  fathom calibrate wall out/wall/camera --camera 190,190,159.5,99.5,0.05 --max-range 10 --max-returns 20000
      --out out/wall_fit
  fathom calibrate wall out/wall/camera --camera 190,190,159.5,99.5,0.05 --max-range 10 --max-returns 20000
      --distances 0:6=0.9,6:12=1.3,12:18=1.8,18:24=2.4,24:30=3.2
  fathom calibrate wall --log out/wall/laser/scans.csv --sector=-60,60
  fathom calibrate wall out/wall/lidar --sensor VLP-16 --wall ahead

Neither pose nor scene is needed. DIR has depth images, 16-bit PNG (0: a hole) or NPY, of a wall from several distances
and angles; the wall fills at least half of what is not left out (--mask, --sector). Or it has clouds of a lidar, PCD or
PLY in the sensor frame, which stood still for each; --sensor says whose rays these show, and a ray without a point is
lost. Where turns of a real lidar start anywhere, points lie between its rays: each then has a ray of its own, in the
ring of its elevation or field `ring`, and what was lost is told by the columns of the turn. The wall is the largest
upright plane, or one straight ahead (--wall). A plane is fitted to each frame, and the chain of noise is learned from
what it leaves. A tape measure (--distances) gives gain and bias as well: the distance is perpendicular to the wall, from
the sensor's origin. NAME is that of an image, with * and ?, or FIRST:END of the numbers of frames. Distances of another
unit are refused, and what contradicts the readings is named and stays out of the chain. --out gets noise.yaml and
sensor.yaml for scene files, report.html, which shows what was measured beside what is simulated with it, and fit.json.
docs/calibrate.md tells what a wall can tell, and what not.)";

fathom::WallCamera parse_wall_camera(const std::string& text) {
  const std::vector<double> numbers = parse_numbers("--camera", text, {-1e7, 1e7});
  if (numbers.size() != 4 && numbers.size() != 5) {
    throw fathom::InputError(fmt::format(
        "--camera has {} numbers: it is FX,FY,CX,CY, in px, and of a stereo camera BASELINE, in m", numbers.size()));
  }
  for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
    if (!(numbers[k] > 0.0)) throw fathom::InputError(fmt::format("--camera = {}: FX and FY are above 0", text));
  }
  fathom::WallCamera camera = {numbers[0], numbers[1], numbers[2], numbers[3]};
  if (numbers.size() == 5) camera.baseline_m = numbers[4];
  if (!(camera.baseline_m >= 0.0))
    throw fathom::InputError(fmt::format("--camera = {}: BASELINE is not below 0", text));
  return camera;
}

std::array<double, 2> parse_sector(const std::string& text) {
  const std::vector<double> degrees = parse_numbers("--sector", text, {-360.0, 360.0, "degrees"});
  if (degrees.size() != 2 || !(degrees[0] < degrees[1])) {
    throw fathom::InputError(fmt::format("--sector = {}: is not FROM,TO, degrees, rising", text));
  }
  return {degrees[0] * std::numbers::pi / 180.0, degrees[1] * std::numbers::pi / 180.0};
}

void add_images(CLI::App& c, CalibrateWallOptions& o) {
  c.add_option("DIR", o.folder, "folder of depth images or clouds");
  c.add_option_function<std::string>(
       "--camera", [&o](const std::string& text) { o.camera = parse_wall_camera(text); },
       "focal lengths and principal point of the images in px, and of a stereo camera the baseline in m")
      ->type_name("FX,FY,CX,CY[,BASELINE]");
  add_number(c, {"--scale", "N", "levels per metre of 16-bit images; default: 1000"},
             {fathom::kLeastLevelsPerM, fathom::kMostLevelsPerM, "1/m"}, o.levels_per_m);
  c.add_option("--files", o.files,
               "images or clouds to take, with * and ?; default: depth*.npy, else depth*.png, else all")
      ->type_name("PATTERN");
  c.add_option("--mask", o.mask,
               "leave out the pixels that are not 0 in a grey PNG or NPY, or a folder with one for each")
      ->type_name("PATH");
}

}  // namespace

void add_wall_command(CLI::App& calibrate) {
  CLI::App& c =
      *calibrate.add_subcommand("wall", "The noise of a depth camera, laser or lidar from frames of a flat wall");
  const auto o = std::make_shared<CalibrateWallOptions>();
  add_images(c, *o);
  add_log(c, o->log, {.optional = true});
  c.add_option_function<std::string>(
       "--sector", [o](const std::string& text) { o->sector_rad = parse_sector(text); },
       "rays of a scan or cloud that count, by azimuth, degrees; write --sector=-40,40")
      ->type_name("FROM,TO");
  c.add_option("--sensor", o->sensor,
               "lidar of the clouds: a preset, or a file with an entry of `sensors:` or a scene of one sensor")
      ->type_name("PRESET|FILE");
  add_choice(
      c, "--wall",
      "among other surfaces: the upright plane with the most readings, or one straight ahead; default: of clouds "
      "largest, of scans what half of the readings are of",
      o->wall.wall);
  c.add_flag("--rings", o->wall.rings,
             "of a lidar: a bias for each ring, a gain where it shows, and its own deviation unless tails are heavy");
  c.add_option("--scans", o->scans, "of a log: all, odd, even or START:STOP:STEP")->type_name("WHICH");
  add_number(c, {"--step", "M", "of a log: ranges are multiples of it; 0: not rounded"}, {0, 1, "m"}, o->step_m);
  add_number(c, {"--max-range", "M", "how far the sensor measures; default: what a log says"}, {1e-3, 1e6, "m"},
             o->max_range_m);
  c.add_option("--distances", o->distances, "distances by tape, NAME=M,NAME=M,..., or a file of lines NAME,M")
      ->type_name("LIST|FILE");
  add_choice(
      c, "--border",
      "losses with no reading between them and the border of the view; default: of_wall in images, else not_known",
      o->wall.border);
  c.add_flag("--still", o->wall.still,
             "frames follow each other, and nothing moves but from place to place: correlation in time");
  add_number(c, {"--rate", "HZ", "frames per second, with --still; default: 30"}, {1e-3, 1e6, "Hz"}, o->rate_hz);
  add_whole(c, {"--hold-out", "N", "every so many frames one judges and teaches nothing; 0: none"}, {0, 1'000'000},
            o->wall.hold_out);
  add_whole(c, {"--block-frames", "N", "frames that count as one for the errors"}, {1, 1'000'000},
            o->wall.block_frames);
  add_whole(c, {"--max-returns", "N", "of all frames; more are thinned out at random"}, {1000, 1'000'000'000},
            o->wall.most_returns);
  add_whole(c, {"--seed", "N", "of the random triples, of thinning and of the simulated wall"}, kAnySeed, o->wall.seed);
  add_threads(c, o->wall.threads);
  c.add_option("--out", o->out, "folder to make for noise.yaml, sensor.yaml, report.html and fit.json")
      ->type_name("DIR");
  c.add_flag("--json", o->json, "as JSON");
  add_force(c, o->force);
  add_quiet(c, o->quiet);
  c.footer(kWallHelp);
  c.final_callback([o] { calibrate_wall(*o); });
}

}  // namespace fathom_cli
