// SPDX-License-Identifier: MIT
#include "chain_data.hpp"

#include <cmath>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <fathom/base/names.hpp>
#include <fathom/files/depth.hpp>

#include "command_tree.hpp"
#include "fields.hpp"
#include "learning.hpp"
#include "option_values.hpp"

namespace fathom_cli {
namespace {

void add_frame_clusters(CLI::App& c, std::optional<std::uint32_t>& stretches) {
  const auto read = [&stretches](const std::string& text) {
    const WholeLimits limits = {1, fathom::ChainFitOptions::kMostStretches};
    stretches = text == "frame" ? 0 : static_cast<std::uint32_t>(parse_whole("--clusters", text, limits));
  };
  c.add_option_function<std::string>("--clusters", read,
                                     fmt::format("units of standard errors: N stretches of the way, or each frame; "
                                                 "default: {} where the sensor moved, else frame",
                                                 fathom::ChainFitOptions::kUsualStretches))
      ->type_name("N|frame");
}

}  // namespace

void add_chain_data(CLI::App& c, ChainDataOptions& o) {
  begin_section(c, Section::kRequired);
  add_scene_file(c, o.scene);
  c.add_option("--measured", o.measured, "run of the scene, folder of depth images or clouds, or log of a laser")
      ->required()
      ->type_name("DIR|LOG");
  begin_section(c, Section::kInput);
  c.add_option("--sensor", o.how.frames.sensor, "of the scene; default: the only one")->type_name("NAME");
  add_set(c, o.set);
  c.add_option("--files", o.how.files,
               "images or clouds to take, with * and ?; default: depth*.npy, else depth*.png, else all")
      ->type_name("PATTERN");
  c.add_option("--scans", o.how.scans, "of a log: all, odd, even or START:STOP:STEP")
      ->type_name("WHICH")
      ->capture_default_str();
  add_number(c, {"--max-range", "M", "readings of a log from here on are lost; default: as CARMEN text says"},
             {1e-3, 1e6, "m"}, o.how.max_range_m);
  begin_section(c, Section::kInput, true);
  add_number(c, {"--scale", "N", "levels per metre of 16-bit images; default: 1000"},
             {fathom::kLeastLevelsPerM, fathom::kMostLevelsPerM, "1/m"}, o.how.levels_per_m);
  add_number(c, {"--step", "M", "ranges of a log are multiples of it; 0: they are not rounded"}, {0.0, 1.0, "m"},
             o.how.step_m);
  add_log_text(c, o.how.log);
  begin_section(c, Section::kModel, true);
  add_number(c, {"--angle-scale", "RAD", "of angular_ray: rays may be turned by 4 times this; 0: 1.5 of the deviation"},
             {0.0, 0.25, "rad"}, o.how.frames.angle_scale_rad);
  add_frame_clusters(c, o.stretches);
  begin_section(c, Section::kComputer);
  add_whole(c, {"--max-returns", "N", "of all frames; more are thinned out at random"}, {1000, 1'000'000'000},
            o.how.frames.most_returns);
  add_threads(c, o.threads);
}

fathom::ChainFrames read_chain_data(const fathom::SceneSetup& setup, const ChainDataOptions& options) {
  fathom::MeasuredOptions how = options.how;
  how.frames.run.compute.threads = options.threads;
  return fathom::read_measured_frames(setup, options.measured, how);
}

nlohmann::ordered_json scores_json(const ChainScores& scores) {
  const auto one = [](const fathom::MeanScore& s) -> nlohmann::ordered_json {
    return {{"nats", number_or_null(s.nats)}, {"std_error", number_or_null(s.std_error)}};
  };
  nlohmann::ordered_json json = {{"score", one(scores.first)}};
  if (scores.second) json["other"] = one(*scores.second), json["difference"] = one(*scores.difference);
  return json;
}

std::string scores_text(const ChainScores& scores, const std::filesystem::path& first,
                        const std::filesystem::path& second, std::string_view unit) {
  const auto line = [unit](const std::string& name, const fathom::MeanScore& s, std::string_view form) {
    const std::string error = std::isfinite(s.std_error) ? fmt::format(" +- {:.2g}", s.std_error) : "";
    return fmt::format("{}: {}{} nats per {}\n", name, fmt::format(fmt::runtime(form), s.nats), error, unit);
  };
  const std::string a = fathom::printable(first.string()), b = fathom::printable(second.string());
  const bool is_same = a == b;  // with --set, which changes the first alone, or once more by mistake
  std::string text = line(is_same ? a + " (first)" : a, scores.first, "{:.4f}");
  if (!scores.second) return text;
  text += line(is_same ? b + " (second)" : b, *scores.second, "{:.4f}");
  return text + line("the first less the second", *scores.difference, "{:+.4f}");
}

}  // namespace fathom_cli
