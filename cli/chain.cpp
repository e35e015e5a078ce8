// SPDX-License-Identifier: MIT
// Noise chains and measured frames: `fathom fit chain`, `fathom score chain` and `fathom compare chain`.

#include <algorithm>
#include <cstdint>
#include <memory>

#include <nlohmann/json.hpp>

#include <fathom/files/pictures.hpp>
#include <fathom/fit/reports.hpp>

#include "commands.hpp"
#include "fields.hpp"
#include "learning.hpp"
#include "option_values.hpp"

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
(0: a hole), NPY, PFM or EXR, or clouds, PCD or PLY, in whose names stands the number of the frame. LOG is CARMEN text
or fathom's own scans.csv, whose poses take the place of the scene's. --free 'MODEL.rings.*' learns a model for each
ring of a lidar. Of a chain with angular_ray, about one axis and without a matching_window, the scene is cast for a grid
of angles, too: what turned rays meet at edges tells them. Points tell angular_hit: clouds, or a run with npy:
{channels: [range, hit_sensor]}. --out gets noise.yaml, report.html and fit.json.
docs/calibrate.md tells what can be learned, and what the errors mean.)";

constexpr const char* kScoreChainHelp = R"(
Examples:
  fathom simulate examples/06_stereo/stereo.yaml --out out/scored
      --set 'sensors.stereo.noise=[{disparity: {stddev_px: 0.07}}]'
  fathom score chain examples/06_stereo/stereo.yaml --measured out/scored
      --set 'sensors.stereo.noise=[{disparity: {stddev_px: 0.1}}]'

SCENE, DIR and LOG are as for `fathom fit chain`. The larger, the better the chain describes the frames; a return that
it holds for impossible counts -60. Errors take frames as independent, or stretches of the way where the sensor moved.)";

constexpr const char* kCompareChainHelp = R"(
Examples:
  fathom simulate examples/06_stereo/stereo.yaml --out out/scored
      --set 'sensors.stereo.noise=[{disparity: {stddev_px: 0.07}}]'
  fathom fit chain examples/06_stereo/stereo.yaml --measured out/scored --free disparity.stddev_px
      --set 'sensors.stereo.noise=[{disparity: {stddev_px: 0.1}}]' --out out/scored_fit
  fathom compare chain examples/06_stereo/stereo.yaml out/scored_fit/noise.yaml --measured out/scored
      --set 'sensors.stereo.noise=[{disparity: {stddev_px: 0.1}}]'

SCENE, DIR and LOG are as for `fathom fit chain`; --set changes SCENE alone. OTHER is another scene, or the noise.yaml
of a fit. Errors take frames as independent, or stretches of the way where the sensor moved.)";

constexpr const char* kChainFiles = "noise.yaml, report.html and fit.json";

/// SCENE --measured DIR|LOG of the three commands.
struct ChainDataOptions {
  std::filesystem::path scene, measured;
  std::vector<std::string> set;
  fathom::MeasuredOptions how;
  std::optional<std::uint32_t> stretches;  ///< as in fathom::ChainFitOptions

  [[nodiscard]] int threads() const { return how.frames.run.compute.threads; }
};

void add_frame_stretches(CLI::App& c, std::optional<std::uint32_t>& stretches) {
  const auto read = [&stretches](const std::string& text) {
    const WholeLimits limits = {1, fathom::ChainFitOptions::kMostStretches};
    stretches = text == "frame" ? 0 : static_cast<std::uint32_t>(parse_whole("--stretches", text, limits));
  };
  const std::string doc = fmt::format(
      "units of standard errors: N stretches of the way, or each frame; default: {} where the sensor moved, else frame",
      fathom::ChainFitOptions::kUsualStretches);
  add_parsed(c, {"--stretches", "N|frame", doc}, read);
}

void add_chain_data(CLI::App& c, ChainDataOptions& o) {
  begin_section(c, Section::kRequired);
  add_scene_file(c, o.scene);
  c.add_option("--measured", o.measured, "run of the scene, folder of depth images or clouds, or log of a laser")
      ->required()
      ->type_name("DIR|LOG");
  begin_section(c, Section::kInput);
  c.add_option("--sensor", o.how.frames.sensor, "of the scene; default: the only one")->type_name("NAME");
  add_set(c, o.set);
  add_shared(c, "--files", o.how.files);
  add_shared(c, "--scans", o.how.scans).capture_default_str();
  add_number(c, {"--max-range", "M", "readings of a log from here on are lost; default: as CARMEN text says"},
             {1e-3, 1e6, "m"}, o.how.max_range_m);
  begin_section(c, Section::kInput, true);
  add_shared(c, "--levels-per-m", o.how.levels_per_m);
  add_shared(c, "--step", o.how.step_m);
  add_log_text(c, o.how.log);
  begin_section(c, Section::kModel, true);
  add_number(c,
             {"--angle-scale", "RAD",
              "of a model that turns rays: they may be turned by 4 times this; 0: 1.5 of the deviation"},
             {0.0, 0.25, "rad"}, o.how.frames.angle_scale_rad);
  add_frame_stretches(c, o.stretches);
  begin_section(c, Section::kComputer);
  add_shared(c, "--max-returns", o.how.frames.most_returns);
  add_threads(c, o.how.frames.run.compute.threads);
}

/// `fathom fit chain SCENE --measured DIR|LOG --free PATTERN --out DIR`
struct FitChainOptions {
  ChainDataOptions data;
  std::vector<std::string> free;
  fathom::ChainFitOptions fit;
  OutputOptions output;
};

/// "sensors.camera.noise.distance.*": a sensor, and a pattern of its parameters. Without the first three parts the
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
        if (std::ranges::find(free, p) == free.end()) free.push_back(std::move(p));
      }
    });
  }
  return free;
}

/// Learns the chain of a sensor and prints it, as a table or as JSON.
void fit_chain(const FitChainOptions& options) {
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
  o.fit.threads = o.data.threads(), o.fit.stretches = o.data.stretches;
  fathom::validate(o.fit);
  if (!o.output.out.empty()) {
    fathom::check_result_folder(fathom::ResultKind::kChain, o.output.out, o.output.force);
    std::vector<std::filesystem::path> inputs = setup.inputs;
    inputs.push_back(o.data.measured);
    refuse_inputs(fathom::result_files(fathom::ResultKind::kChain, o.output.out), inputs);
  }
  fathom::ChainReport report;
  report.scene = o.data.scene.string(), report.measured = o.data.measured.string();
  report.frames = fathom::read_measured_frames(setup, o.data.measured, o.data.how);
  report.start = sensor.noise;
  const auto free = free_parameters(sensor.noise, o.free, report.frames.returns.rings());
  report.fit =
      about_file(o.data.measured, [&] { return fathom::fit_chain(sensor.noise, free, report.frames.returns, o.fit); });
  if (!o.output.out.empty()) report.write(o.output.out, o.output.force);
  print_report(report, o.output, kChainFiles,
               fmt::format("To simulate with it:  fathom simulate {} --set sensors.{}.noise=@{} --out DIR\n",
                           fathom::printable(report.scene), fathom::printable(report.frames.sensor),
                           fathom::printable((o.output.out / "noise.yaml").string())));
}

/// `fathom score chain SCENE --measured DIR|LOG`, `fathom compare chain SCENE OTHER --measured DIR|LOG`
struct ChainScoreOptions {
  ChainDataOptions data;
  std::filesystem::path other;  ///< a list of noise, or another scene; may be empty
  OutputOptions output;
};

/// The other chain: of the sensor of this name in another scene, or the list of noise that a fit wrote.
fathom::NoiseChain other_chain(const ChainScoreOptions& options, const std::string& sensor) {
  const auto chain_of = [&](const fathom::SceneSetup& setup) {
    return setup.sensors[fathom::find_sensor(setup, sensor)].sensor.noise;
  };
  if (fathom::is_noise_list(options.other)) {
    std::vector<std::string> set = options.data.set;
    set.push_back(fmt::format("sensors.{}.noise=@{}", sensor, options.other.string()));
    return chain_of(fathom::read_scene_file(options.data.scene, set));
  }
  return chain_of(fathom::read_scene_file(options.other));
}

void show(const std::vector<fathom::FrameScore>& judged, const ModelScores& scores, const fathom::ChainFrames& frames,
          const ChainScoreOptions& options) {
  std::size_t lost = 0;
  for (const fathom::FrameScore& frame : judged) lost += frame.lost;
  nlohmann::ordered_json facts = {
      {"sensor", frames.sensor}, {"frames", judged.size()}, {"returns", frames.returns.size()}, {"lost", lost}};
  for (const fathom::FrameScore& f : judged) {
    facts["by_frame"].push_back(
        {{"frame", f.frame}, {"returns", f.returns}, {"lost", f.lost}, {"nats", number_or_null(f.nats)}});
  }
  print_scores(scores, options.output, "return", std::move(facts),
               fmt::format("{} returns of {}, {} lost; {} hidden ones left out\n", group_digits(frames.returns.size()),
                           counted(judged.size(), "frame"), group_digits(lost), group_digits(frames.hidden)) +
                   notes_text(fathom::texts_of(frames.findings(), options.output.names)));
}

/// Scores frames under the chain of a sensor, or two, and prints nats per return.
void score_chain(const ChainScoreOptions& options) {
  const fathom::SceneSetup setup = fathom::read_scene_file(options.data.scene, options.data.set);
  const fathom::Sensor& sensor = setup.sensors[fathom::find_sensor(setup, options.data.how.frames.sensor)].sensor;
  std::optional<fathom::NoiseChain> other;
  if (!options.other.empty()) other = other_chain(options, sensor.name);
  fathom::check_scorable(sensor.noise);  // before the work
  if (other) fathom::check_scorable(*other);
  ChainDataOptions data = options.data;
  if (other) data.how.frames.other_chain = *other;
  const fathom::ChainFrames frames = fathom::read_measured_frames(setup, data.measured, data.how);
  const std::uint32_t stretches = fathom::ChainFitOptions{.stretches = data.stretches}.stretches_of(frames.returns);
  const auto score = [&](const fathom::NoiseChain& chain) {
    return about_file(data.measured, [&] { return fathom::score_frames(chain, frames.returns, data.threads()); });
  };
  const std::vector<fathom::FrameScore> judged = score(sensor.noise);
  ModelScores scores = {options.data.scene, options.other, fathom::mean_score(judged, stretches)};
  if (other) {
    const std::vector<fathom::FrameScore> others = score(*other);
    scores.second = fathom::mean_score(others, stretches);
    scores.difference = fathom::score_difference(judged, others, stretches);
  }
  show(judged, scores, frames, options);
}

}  // namespace

void add_fit_chain(CLI::App& fit) {
  const auto o = std::make_shared<FitChainOptions>();
  CLI::App& c = *fit.add_subcommand("chain", "Learn the whole noise of a sensor at once, from measured frames");
  add_chain_data(c, o->data);
  begin_section(c, Section::kRequired);
  add_repeated(c, {"--free", "PATTERN", "parameters to learn, with *"}, o->free).required();
  begin_section(c, Section::kModel);
  add_shared(c, "--hold-out", o->fit.hold_out);
  begin_section(c, Section::kModel, true);
  add_whole(c, {"--block-frames", "N", "frames that count as one for the errors, of a sensor that stood"},
            {1, 1'000'000}, o->fit.block_frames);
  add_report_output(c, o->output, kChainFiles);
  c.footer(kFitChainHelp);
  set_action(c, o->output, [o] { fit_chain(*o); });
}

void add_score_chain(CLI::App& score) {
  const auto o = std::make_shared<ChainScoreOptions>();
  CLI::App& c = *score.add_subcommand("chain", "Mean log-likelihood of measured frames by the noise chain of a scene");
  add_chain_data(c, o->data);
  add_score_output(c, o->output);
  c.footer(kScoreChainHelp);
  set_action(c, o->output, [o] { score_chain(*o); });
}

void add_compare_chain(CLI::App& compare) {
  const auto o = std::make_shared<ChainScoreOptions>();
  CLI::App& c = *compare.add_subcommand("chain", "The difference of two noise chains on measured frames");
  add_chain_data(c, o->data);
  begin_section(c, Section::kRequired);
  c.add_option("OTHER", o->other, "another scene, or the noise.yaml of a fit")->required()->type_name("YAML");
  add_score_output(c, o->output);
  c.footer(kCompareChainHelp);
  set_action(c, o->output, [o] { score_chain(*o); });
}

}  // namespace fathom_cli
