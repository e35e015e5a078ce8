// SPDX-License-Identifier: MIT
#include "score.hpp"

#include <cmath>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/base/error.hpp>
#include <fathom/base/names.hpp>

#include "beam_world.hpp"
#include "number_json.hpp"
#include "signals.hpp"
#include "text.hpp"

namespace fathom_cli {
namespace {

using Json = nlohmann::ordered_json;

/// The other chain: of the sensor of this name in another scene, or the list of noise that a fit wrote.
fathom::NoiseChain other_chain(const ScoreOptions& options, const std::string& sensor) {
  const auto chain_of = [&](const fathom::SceneSetup& setup) {
    return setup.sensors[fathom::find_sensor(setup, sensor)].sensor.noise;
  };
  if (fathom::is_noise_list(options.compare)) {
    std::vector<std::string> set = options.data.set;
    set.push_back(fmt::format("sensors.{}.noise=@{}", sensor, options.compare.string()));
    return chain_of(fathom::read_scene_file(options.data.scene, set));
  }
  return chain_of(fathom::read_scene_file(options.compare));
}

Json score_json(const fathom::MeanScore& score) {
  return {{"nats", number_or_null(score.nats)}, {"std_error", number_or_null(score.std_error)}};
}

struct Scores {
  fathom::MeanScore mean;
  std::optional<fathom::MeanScore> other, difference;
  std::vector<fathom::FrameScore> frames;
};

void show(const Scores& scores, const fathom::ChainFrames& frames, const ScoreOptions& options) {
  std::size_t lost = 0;
  for (const fathom::FrameScore& frame : scores.frames) lost += frame.lost;
  if (options.json) {
    Json json = {{"sensor", frames.sensor},
                 {"frames", scores.frames.size()},
                 {"returns", frames.returns.size()},
                 {"lost", lost},
                 {"score", score_json(scores.mean)}};
    if (scores.other) json["other"] = score_json(*scores.other), json["difference"] = score_json(*scores.difference);
    json["by_frame"] = Json::array();
    for (const fathom::FrameScore& f : scores.frames) {
      json["by_frame"].push_back(
          {{"frame", f.frame}, {"returns", f.returns}, {"lost", f.lost}, {"nats", number_or_null(f.nats)}});
    }
    return print(json.dump(2) + "\n");
  }
  const auto line = [](std::string_view name, const fathom::MeanScore& s, std::string_view form) {
    const std::string error = std::isfinite(s.std_error) ? fmt::format(" +- {:.2g}", s.std_error) : "";
    return fmt::format("{}: {}{} nats per return\n", name, fmt::format(fmt::runtime(form), s.nats), error);
  };
  const std::string scene = fathom::printable(options.data.scene.string()),
                    compared = fathom::printable(options.compare.string());
  const bool is_same = scene == compared;  // with --set, which changes the first alone, or once more by mistake
  std::string text = line(is_same ? scene + " (first)" : scene, scores.mean, "{:.4f}");
  if (scores.other) {
    text += line(is_same ? compared + " (--compare)" : compared, *scores.other, "{:.4f}");
    text += line("the first less the second", *scores.difference, "{:+.4f}");
  }
  if (!options.quiet) {
    text += fmt::format("{} returns of {}, {} lost; {} hidden ones left out\n", group_digits(frames.returns.size()),
                        counted(scores.frames.size(), "frame"), group_digits(lost), group_digits(frames.hidden));
    text += notes_text(frames.flags());
  }
  print(text);
}

}  // namespace

void score(const ScoreOptions& options) {
  const StopSignals signals(Patience::kNone);
  const fathom::SceneSetup setup = fathom::read_scene_file(options.data.scene, options.data.set);
  const fathom::Sensor& sensor = setup.sensors[fathom::find_sensor(setup, options.data.how.frames.sensor)].sensor;
  std::optional<fathom::NoiseChain> other;
  if (!options.compare.empty()) other = other_chain(options, sensor.name);
  fathom::check_scorable(sensor.noise);  // before the work
  if (other) fathom::check_scorable(*other);
  ChainDataOptions data = options.data;
  if (other) data.how.frames.other_chain = *other;
  const fathom::ChainFrames frames = read_chain_data(setup, data);
  const std::uint32_t stretches = fathom::stretches_of(frames.returns, {.stretches = options.data.stretches});
  Scores scores;
  scores.frames = about_file(options.data.measured,
                             [&] { return fathom::score_frames(sensor.noise, frames.returns, options.data.threads); });
  scores.mean = fathom::mean_score(scores.frames, stretches);
  if (other) {
    const auto others = about_file(options.data.measured,
                                   [&] { return fathom::score_frames(*other, frames.returns, options.data.threads); });
    scores.other = fathom::mean_score(others, stretches);
    scores.difference = fathom::score_difference(scores.frames, others, stretches);
  }
  show(scores, frames, options);
}

}  // namespace fathom_cli
