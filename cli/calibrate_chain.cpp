// SPDX-License-Identifier: MIT
#include "calibrate_chain.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/base/names.hpp>

#include "beam_world.hpp"
#include "outputs.hpp"
#include "signals.hpp"
#include "text.hpp"

namespace fathom_cli {
namespace {

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
std::string sensor_of(const CalibrateChainOptions& options) {
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
    try {
      for (fathom::ChainParameter& p : fathom::chain_parameters(chain, free_pattern(text).parameters, rings)) {
        if (std::find(free.begin(), free.end(), p) == free.end()) free.push_back(std::move(p));
      }
    } catch (const fathom::InputError& error) {
      throw fathom::InputError(fmt::format("--free {}: {}", text, error.what()));
    }
  }
  return free;
}

void show(const fathom::ChainReport& report, const CalibrateChainOptions& options) {
  if (options.json) return print(fathom::report_text(report, fathom::ReportForm::kJson));
  if (options.quiet) return print(fathom::report_text(report, fathom::ReportForm::kBrief));
  std::string text = fathom::report_text(report, fathom::ReportForm::kTerminal);
  if (!options.out.empty()) {
    text += fmt::format(
        "\nnoise.yaml, report.html and fit.json are in {0}\nTo simulate with it:  fathom simulate {1} --set "
        "sensors.{2}.noise=@{3} --out DIR\n",
        fathom::printable(options.out.string()), fathom::printable(options.data.scene.string()),
        fathom::printable(report.frames.sensor), fathom::printable((options.out / "noise.yaml").string()));
  }
  print(text);
}

}  // namespace

fathom::ChainFrames read_chain_data(const fathom::SceneSetup& setup, const ChainDataOptions& options) {
  fathom::MeasuredOptions how = options.how;
  how.frames.run.compute.threads = options.threads;
  return as_typed(
      {{"most_returns", "--max-returns"},
       {"angle_scale_rad", "--angle-scale"},
       {"readings end at max_range_m", "readings end at --max-range"},
       {": max_range_m is for", ": --max-range is for"},
       {": scans is for", ": --scans is for"},
       {"; files says", "; --files says"},
       {": files is for", ": --files is for"},
       {": levels_per_m is for", ": --scale is for"},
       {": laser is for", ": --laser is for"},
       {": ray_angle_deg is for", ": --ray-angle is for"},
       {": mount is for", ": --mount is for"},
       {"step_m", "--step"}},
      [&] { return as_log_typed([&] { return fathom::read_measured_frames(setup, options.measured, how); }); });
}

void calibrate_chain(const CalibrateChainOptions& options) {
  const StopSignals signals(Patience::kNone);
  CalibrateChainOptions o = options;
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
  as_typed({{"hold_out", "--hold-out"}, {"stretches", "--clusters"}, {"block_frames", "--block-frames"}},
           [&] { fathom::validate(o.fit); });
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

}  // namespace fathom_cli
