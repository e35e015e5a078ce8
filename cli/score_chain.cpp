// SPDX-License-Identifier: MIT
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "chain_data.hpp"
#include "command_tree.hpp"
#include "commands.hpp"
#include "fields.hpp"
#include "learning.hpp"
#include "option_values.hpp"
#include "signals.hpp"
#include "text.hpp"

namespace fathom_cli {
namespace {

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

using Json = nlohmann::ordered_json;

/// `fathom score chain SCENE --measured DIR|LOG`, `fathom compare chain SCENE OTHER --measured DIR|LOG`
struct ChainScoreOptions {
  ChainDataOptions data;
  std::filesystem::path other;  ///< a list of noise, or another scene; empty: none
  bool json = false, quiet = false;
  std::vector<fathom::SettingName> names;  ///< of settings, as options of the command
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

struct ChainJudged {
  ChainScores scores;
  std::vector<fathom::FrameScore> frames;
};

void show(const ChainJudged& judged, const fathom::ChainFrames& frames, const ChainScoreOptions& options) {
  std::size_t lost = 0;
  for (const fathom::FrameScore& frame : judged.frames) lost += frame.lost;
  if (options.json) {
    Json json = {{"sensor", frames.sensor},
                 {"frames", judged.frames.size()},
                 {"returns", frames.returns.size()},
                 {"lost", lost}};
    json.update(scores_json(judged.scores));
    json["by_frame"] = Json::array();
    for (const fathom::FrameScore& f : judged.frames) {
      json["by_frame"].push_back(
          {{"frame", f.frame}, {"returns", f.returns}, {"lost", f.lost}, {"nats", number_or_null(f.nats)}});
    }
    return print(json.dump(2) + "\n");
  }
  std::string text = scores_text(judged.scores, options.data.scene, options.other, "return");
  if (!options.quiet) {
    text += fmt::format("{} returns of {}, {} lost; {} hidden ones left out\n", group_digits(frames.returns.size()),
                        counted(judged.frames.size(), "frame"), group_digits(lost), group_digits(frames.hidden));
    text += notes_text(frames.flags(), options.names);
  }
  print(text);
}

/// Scores frames under the chain of a sensor, or two, and prints nats per return.
void score_chain(const ChainScoreOptions& options) {
  const StopSignals signals(Patience::kNone);
  const fathom::SceneSetup setup = fathom::read_scene_file(options.data.scene, options.data.set);
  const fathom::Sensor& sensor = setup.sensors[fathom::find_sensor(setup, options.data.how.frames.sensor)].sensor;
  std::optional<fathom::NoiseChain> other;
  if (!options.other.empty()) other = other_chain(options, sensor.name);
  fathom::check_scorable(sensor.noise);  // before the work
  if (other) fathom::check_scorable(*other);
  ChainDataOptions data = options.data;
  if (other) data.how.frames.other_chain = *other;
  const fathom::ChainFrames frames = read_chain_data(setup, data);
  const std::uint32_t stretches = fathom::stretches_of(frames.returns, {.stretches = options.data.stretches});
  ChainJudged judged;
  judged.frames = about_file(options.data.measured,
                             [&] { return fathom::score_frames(sensor.noise, frames.returns, options.data.threads); });
  judged.scores.first = fathom::mean_score(judged.frames, stretches);
  if (other) {
    const auto others = about_file(options.data.measured,
                                   [&] { return fathom::score_frames(*other, frames.returns, options.data.threads); });
    judged.scores.second = fathom::mean_score(others, stretches);
    judged.scores.difference = fathom::score_difference(judged.frames, others, stretches);
  }
  show(judged, frames, options);
}

void add_score_output(CLI::App& c, ChainScoreOptions& o) {
  begin_section(c, Section::kOutput);
  add_json(c, o.json);
  add_quiet(c, o.quiet);
}

}  // namespace

void add_score_chain(CLI::App& score) {
  const auto o = std::make_shared<ChainScoreOptions>();
  CLI::App& c = *score.add_subcommand("chain", "Mean log-likelihood of measured frames by the noise chain of a scene");
  add_chain_data(c, o->data);
  add_score_output(c, *o);
  c.footer(kScoreChainHelp);
  c.final_callback([o, &c] {
    o->names = setting_names(c);
    score_chain(*o);
  });
}

void add_compare_chain(CLI::App& compare) {
  const auto o = std::make_shared<ChainScoreOptions>();
  CLI::App& c = *compare.add_subcommand("chain", "The difference of two noise chains on measured frames");
  add_chain_data(c, o->data);
  begin_section(c, Section::kRequired);
  c.add_option("OTHER", o->other, "another scene, or the noise.yaml of a fit")->required()->type_name("YAML");
  add_score_output(c, *o);
  c.footer(kCompareChainHelp);
  c.final_callback([o, &c] {
    o->names = setting_names(c);
    score_chain(*o);
  });
}

}  // namespace fathom_cli
