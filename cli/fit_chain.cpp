// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/base/names.hpp>

#include "chain_data.hpp"
#include "command_tree.hpp"
#include "commands.hpp"
#include "learning.hpp"
#include "option_values.hpp"
#include "signals.hpp"
#include "text.hpp"

namespace fathom_cli {
namespace {

constexpr const char* kFitChainHelp = R"(
In the examples mycamera stands for a folder of depth images of your own, and table_top.yaml for a scene of the place.

Examples:
  fathom simulate examples/06_stereo/stereo.yaml --out out/frames
      --set 'sensors.stereo.noise=[{disparity: {stddev_px: 0.07}}, {dropout: {probability: 0.01}}]'
  fathom fit chain examples/06_stereo/stereo.yaml --measured out/frames --free 'sensors.stereo.noise.*'
      --set 'sensors.stereo.noise=[{disparity: {stddev_px: 0.2}}, {dropout: {probability: 0.1}}]' --out out/chain
  fathom fit chain examples/12_table_top/table_top.yaml --measured mycamera --free disparity.stddev_px
      --set 'sensors.camera.noise=[{disparity: {stddev_px: 0.2}}, {dropout: {probability: 0.1}}]' --free 'dropout.*'

SCENE has the sensor, where it was in each frame, and the chain from which learning begins; the rest of it stays. DIR
is a run of that scene with the output npy: {channels: [range]} (or depth), or a folder of depth images, 16-bit PNG
(0: a hole) or NPY, or clouds, PCD or PLY, in whose names stands the number of the frame. LOG is CARMEN text or
fathom's own scans.csv, whose poses take the place of the scene's. --free 'MODEL.rings.*' learns a model for each ring
of a lidar. Of a chain with angular_ray, about one axis and without a matching_window, the scene is cast for a grid of
angles, too: what turned rays meet at edges tells them. Points tell angular_hit: clouds, or a run with npy: {channels:
[range, hit_sensor]}. --out gets noise.yaml, report.html and fit.json.
docs/calibrate.md tells what can be learned, and what the errors mean.)";

/// `fathom fit chain SCENE --measured DIR|LOG --free PATTERN --out DIR`
struct FitChainOptions {
  ChainDataOptions data;
  std::vector<std::string> free;
  fathom::ChainFitOptions fit;
  std::filesystem::path out;  ///< empty: nothing is written
  bool json = false, force = false, quiet = false;
  std::vector<fathom::SettingName> names;  ///< of settings, as options of the command
};

/// "sensors.camera.noise.distance.*": of which sensor, and which of its parameters. Without the first three parts the
/// sensor is empty.
struct FreePattern {
  std::string sensor, parameters;
};

FreePattern free_pattern(const std::string& text) {
  constexpr std::string_view kSensors = "sensors.", kNoise = ".noise.";
  if (!text.starts_with(kSensors)) return {"", text};
  const std::size_t noise = text.find(kNoise, kSensors.size());
  if (noise == std::string::npos) {
    throw fathom::InputError(
        fmt::format("--free {}: is not of the form sensors.NAME.noise.MODEL.PARAMETER, or MODEL.PARAMETER", text));
  }
  return {text.substr(kSensors.size(), noise - kSensors.size()), text.substr(noise + kNoise.size())};
}

/// The sensor that the patterns and --sensor name.
std::string sensor_of(const FitChainOptions& options) {
  std::string sensor = options.data.how.frames.sensor;
  for (const std::string& text : options.free) {
    const std::string named = free_pattern(text).sensor;
    if (named.empty() || named == sensor) continue;
    if (!sensor.empty()) {
      throw fathom::InputError(
          fmt::format("--free {}: is of another sensor than {}; a chain is learned of one", text, sensor));
    }
    sensor = named;
  }
  return sensor;
}

std::vector<fathom::ChainParameter> free_parameters(const fathom::NoiseChain& chain,
                                                    const std::vector<std::string>& patterns,
                                                    const std::vector<std::uint16_t>& rings) {
  std::vector<fathom::ChainParameter> free;
  for (const std::string& text : patterns) {
    with_words(fmt::format("--free {}: ", text), [&] {
      for (fathom::ChainParameter& p : fathom::chain_parameters(chain, free_pattern(text).parameters, rings)) {
        if (std::find(free.begin(), free.end(), p) == free.end()) free.push_back(std::move(p));
      }
    });
  }
  return free;
}

void show(const fathom::ChainReport& report, const FitChainOptions& options) {
  if (options.json) return print(fathom::report_text(report, fathom::ReportForm::kJson));
  if (options.quiet) return print(fathom::report_text(report, fathom::ReportForm::kBrief, options.names));
  std::string text = fathom::report_text(report, fathom::ReportForm::kTerminal, options.names);
  if (!options.out.empty()) {
    text += fmt::format(
        "\nnoise.yaml, report.html and fit.json are in {0}\nTo simulate with it:  fathom simulate {1} --set "
        "sensors.{2}.noise=@{3} --out DIR\n",
        fathom::printable(options.out.string()), fathom::printable(options.data.scene.string()),
        fathom::printable(report.frames.sensor), fathom::printable((options.out / "noise.yaml").string()));
  }
  print(text);
}

/// Learns the chain of a sensor and prints it, as a table or as JSON.
void fit_chain(const FitChainOptions& options) {
  const StopSignals signals(Patience::kNone);
  FitChainOptions o = options;
  const fathom::SceneSetup setup = fathom::read_scene_file(o.data.scene, o.data.set);
  // A --sensor that is not there would make patterns look as if they were of another one.
  if (const std::string& named = options.data.how.frames.sensor; !named.empty()) fathom::find_sensor(setup, named);
  o.data.how.frames.sensor = sensor_of(options);
  const fathom::Sensor& sensor = setup.sensors[fathom::find_sensor(setup, o.data.how.frames.sensor)].sensor;
  if (sensor.noise.empty()) {
    throw fathom::InputError(fmt::format(
        "{}: sensor '{}' has no noise to learn; give it a chain in which it begins, in the file or by --set",
        o.data.scene.string(), sensor.name));
  }
  // What is wrong with the chain or with options is said before the frames are read.
  static_cast<void>(free_parameters(sensor.noise, o.free, fathom::rings_of(sensor)));
  fathom::check_scorable(sensor.noise);
  o.fit.threads = o.data.threads, o.fit.stretches = o.data.stretches;
  fathom::validate(o.fit);
  if (!o.out.empty()) {
    fathom::check_chain_report_folder(o.out, o.force);
    std::vector<std::filesystem::path> inputs = setup.inputs;
    inputs.push_back(o.data.measured);
    refuse_inputs(fathom::chain_report_files(o.out), inputs);
  }
  fathom::ChainReport report;
  report.scene = o.data.scene.string(), report.measured = o.data.measured.string();
  report.frames = read_chain_data(setup, o.data);
  report.start = sensor.noise;
  const auto free = free_parameters(sensor.noise, o.free, fathom::rings_of(report.frames.returns));
  report.fit =
      about_file(o.data.measured, [&] { return fathom::fit_chain(sensor.noise, free, report.frames.returns, o.fit); });
  if (!o.out.empty()) fathom::write_chain_report(o.out, report, o.force);
  show(report, o);
}

}  // namespace

void add_fit_chain(CLI::App& fit) {
  const auto o = std::make_shared<FitChainOptions>();
  CLI::App& c = *fit.add_subcommand("chain", "Learn the whole noise of a sensor at once, from measured frames");
  add_chain_data(c, o->data);
  begin_section(c, Section::kRequired);
  add_repeated(c, {"--free", "PATTERN", "parameters to learn, with *"}, o->free).required();
  begin_section(c, Section::kModel);
  add_whole(c, {"--hold-out", "N", "every N-th frame judges and teaches nothing; 0: none"}, {0, 1'000'000},
            o->fit.hold_out);
  begin_section(c, Section::kModel, true);
  add_whole(c, {"--block-frames", "N", "frames that count as one for the errors, of a sensor that stood"},
            {1, 1'000'000}, o->fit.block_frames);
  begin_section(c, Section::kOutput);
  c.add_option("--out", o->out, "folder to make for noise.yaml, report.html and fit.json")->type_name("DIR");
  add_json(c, o->json);
  add_force(c, o->force);
  add_quiet(c, o->quiet);
  c.footer(kFitChainHelp);
  c.final_callback([o, &c] {
    o->names = setting_names(c);
    fit_chain(*o);
  });
}

}  // namespace fathom_cli
