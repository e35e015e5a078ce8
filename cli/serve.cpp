// SPDX-License-Identifier: MIT
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/live/live.hpp>
#include <fathom/simulate/apply.hpp>

#include "apply.hpp"
#include "command_tree.hpp"
#include "commands.hpp"
#include "option_values.hpp"
#include "signals.hpp"
#include "text.hpp"

namespace fathom_cli {
namespace {

constexpr const char* kServeHelp = R"(
Examples:
  fathom serve examples/house/house.yaml
  fathom serve examples/house/house.yaml --out out/saved --paused
      --set sensors.lidar.noise.distance.stddev_m=0.05
  fathom serve D435 --given renders/depth_000000.npy --camera 383,383,160,90,0.05
  fathom serve VLP-16 --given scan_0.pcd

With --given the page shows a clean depth image or cloud of yours with the noise of a sensor, as `fathom apply` does:
frame k of the page is frame k of the sensor. SCENE then names the sensor: a preset of `fathom sensors` (for images
D435 by default), or FILE:NAME, a sensor of a scene file.
A browser shows the page, Lichtblick and Foxglove connect to ws://127.0.0.1:8765. docs/live.md describes both.)";

constexpr const char* kViewHelp = R"(
Examples:
  fathom view drive
  fathom view drive/laser/cloud_000000.pcd

docs/live.md says what is shown of each.)";

/// `fathom serve SCENE ...` and `fathom view PATH ...`
struct ServeOptions {
  std::filesystem::path path;
  std::filesystem::path given;  ///< a depth image or cloud; `path` is then the sensor
  ImageOptions image;
  fathom::LiveOptions live;
  bool quiet = false;
};

/// Prints the address of the page, and serves it until a signal comes.
template <class Serve>
void serve_until_stopped(const ServeOptions& options, Serve serve) {
  const StopSignals signals(Patience::kASecond);
  fathom::LiveOptions live = options.live;
  live.should_stop = &StopSignals::received;
  live.on_ready = [&options](const std::string& address) {
    print(fmt::format("{}\n", address));
    std::fflush(stdout);
    if (!options.quiet) std::fputs("fathom: serving; end with Ctrl-C\n", stderr);
  };
  serve(live);
  throw fathom::Interrupted("stopped");
}

constexpr const char* kUsualSensor = "D435";

void refuse_scene_file(const std::filesystem::path& path) {
  if (!std::filesystem::is_regular_file(path)) return;
  throw fathom::InputError(fmt::format(
      "{}: is a file, and --given needs one sensor: a preset of `fathom sensors`, or FILE:NAME", path.string()));
}

/// Numbers for images of another size usually have their principal point outside of these.
void check_principal_point(const fathom::WallSensor::Camera& camera, const fathom::DepthImage& image) {
  if (std::abs(2.0 * camera.cx_px + 1.0 - image.cols) <= image.cols &&
      std::abs(2.0 * camera.cy_px + 1.0 - image.rows) <= image.rows) {
    return;
  }
  throw fathom::InputError(fmt::format("--camera: the principal point [{}, {}] px is not in the image, {} x {} pixels",
                                       camera.cx_px, camera.cy_px, image.cols, image.rows));
}

/// Gives the sensor the camera of the image, and returns what reads the image.
std::function<std::vector<float>()> reader_of_image(const ServeOptions& options, fathom::Sensor& sensor) {
  const fathom::DepthImage first = fathom::read_depth_image(options.given, options.image.levels_per_m);
  fit_camera(options.image, first, sensor);
  if (options.image.camera) check_principal_point(*options.image.camera, first);
  return [&options] { return read_clean(options.given, options.image).depth_m; };
}

void serve_given(const CLI::App& c, ServeOptions& options) {
  ImageOptions& image = options.image;
  const bool is_cloud = fathom::is_cloud_file(options.given);
  refuse_scene_file(options.path);
  if (is_cloud && options.path.empty()) fail_usage(c, "SCENE is required with a cloud: the sensor");
  if (is_cloud && image.camera) throw fathom::InputError("--camera is of depth images alone, and --given is a cloud");
  image.sensor = options.path.empty() ? kUsualSensor : options.path.string();
  ChosenSensor chosen = choose_sensor(image.sensor);
  std::function<std::vector<float>()> read_depth_m;
  if (!is_cloud) read_depth_m = reader_of_image(options, chosen.sensor);
  if (!options.live.seed) options.live.seed = chosen.seed;
  fathom::GivenFile given = {
      .file = options.given,
      .read_depth_m = std::move(read_depth_m),
      .sensor = std::move(chosen.sensor),
      .rate_hz = chosen.rate_hz,
      .start_s = chosen.start_s,
      .far_m = image.far_m,
      .scene_file = chosen.file,
      .scene_text = fmt::format("scene: {{meshes: {{}}, entities: []}}\nsensors:\n  - {{name: sensor, preset: {}}}\n",
                                image.sensor)};
  serve_until_stopped(options, [&](const fathom::LiveOptions& live) { fathom::serve_given(std::move(given), live); });
}

void serve(const CLI::App& c, ServeOptions& options) {
  if (c.count("--given") > 0) return serve_given(c, options);
  if (options.path.empty()) fail_usage(c, "SCENE is required");
  serve_until_stopped(options, [&](const fathom::LiveOptions& live) { fathom::serve_scene(options.path, live); });
}

/// The options of every live page.
void add_live_options(CLI::App& c, ServeOptions& o) {
  constexpr WholeLimits kPorts = {0, 65535};
  add_whole(c, {"--port", "N", "port to serve at; 0: any that is free"}, kPorts, o.live.port);
  c.add_option("--listen", o.live.listen, "number address to listen on: anyone who reaches it may turn the knobs")
      ->type_name("ADDRESS")
      ->capture_default_str();
  add_repeated(c, {"--origin", "ORIGIN", "another page that may connect: https://app.example"}, o.live.origins);
  c.add_flag("--paused", o.live.paused, "begin paused");
  add_quiet(c, o.quiet);
}

}  // namespace

void add_serve(CLI::App& app) {
  const auto o = std::make_shared<ServeOptions>();
  CLI::App& c = *app.add_subcommand("serve", "Show a scene, or a given image or cloud, as a live page with sliders");
  c.add_option("SCENE", o->path, "scene file (YAML); with --given a sensor")->type_name("YAML");
  CLI::Option* const given = c.add_option(
      "--given", o->given,
      "clean file to show with noise: depth image (16-bit PNG, NPY, PFM, EXR) or cloud (PCD, PLY, NPY, BIN)");
  given->type_name("FILE");
  for (CLI::Option* const option : add_image_options(c, o->image)) option->needs(given);
  c.add_option("--out", o->live.out, "folder for what is saved from the page; without it nothing is")->type_name("DIR");
  add_live_options(c, *o);
  add_seed(c, o->live.seed);
  add_threads(c, o->live.compute.threads);
  add_set(c, o->live.overrides);
  given->excludes("--set");
  c.footer(kServeHelp);
  c.final_callback([o, &c] { serve(c, *o); });
}

void add_view(CLI::App& app) {
  const auto o = std::make_shared<ServeOptions>();
  CLI::App& c = *app.add_subcommand("view", "Show a run or a cloud as a live page");
  c.add_option("PATH", o->path, "folder of a run, or a cloud (PCD, PLY, PointCloud2, NPY)")->required();
  add_live_options(c, *o);
  c.footer(kViewHelp);
  c.final_callback(
      [o] { serve_until_stopped(*o, [&](const fathom::LiveOptions& live) { fathom::serve_written(o->path, live); }); });
}

}  // namespace fathom_cli
