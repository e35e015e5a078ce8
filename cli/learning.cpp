// SPDX-License-Identifier: MIT
#include "learning.hpp"

#include <cmath>
#include <cstdio>
#include <system_error>

#include <nlohmann/json.hpp>

#include <fathom/simulate/run.hpp>

#include "fields.hpp"
#include "option_values.hpp"
#include "signals.hpp"

namespace fathom_cli {
namespace {

CLI::Option& add_mount(CLI::App& c, std::optional<fathom::PlanarPose>& given) {
  const auto read = [&given](const std::string& text) {
    fathom::PlanarPose& mount = given.emplace();
    const std::size_t first = text.find(','), second = first == std::string::npos ? first : text.find(',', first + 1);
    if (second == std::string::npos) {
      throw fathom::InputError(fmt::format("--mount: '{}' is not X,Y,YAW", fathom::printable(text)));
    }
    mount.x_m = parse_number("--mount", text.substr(0, first), {-1000.0, 1000.0, "m"});
    mount.y_m = parse_number("--mount", text.substr(first + 1, second - first - 1), {-1000.0, 1000.0, "m"});
    mount.yaw_rad = parse_number("--mount", text.substr(second + 1), {-10.0, 10.0, "rad"});
  };
  return add_parsed(c, {"--mount", "X,Y,YAW", "where on the robot a RAWLASERn stands, m and rad; default: 0,0,0"},
                    read);
}

}  // namespace

fathom::World open_world(const BeamWorldOptions& options, fathom::UnknownCells unknown, int threads) {
  if (options.scene.empty()) return fathom::World::from_map(options.map, {.unknown = unknown});
  return fathom::World::from_scene(fathom::read_scene_file(options.scene), options.height_m, unknown,
                                   {.threads = threads});
}

std::filesystem::path BeamLogOptions::file() const { return bag.empty() ? fathom::find_scan_log(log) : bag; }

fathom::ScanLog read_log(const BeamLogOptions& options) {
  if (!options.bag.empty()) return fathom::read_bag_log(options.bag, options.in_bag);
  fathom::ScanLog log = fathom::read_scan_log(options.file(), options.in_text);
  log.name = options.log.string();
  return log;
}

Paths world_files(const BeamWorldOptions& options) {
  Paths files;
  if (!options.scene.empty()) files.push_back(options.scene);
  if (!options.map.empty()) files.insert(files.end(), {options.map, fathom::grid_map_image(options.map)});
  return files;
}

void refuse_inputs(const Paths& files, const Paths& inputs) {
  for (const auto& file : files) {
    for (const auto& input : inputs) {
      std::error_code error;  // a file that is not there is not another one
      if (!std::filesystem::equivalent(file, input, error)) continue;
      throw fathom::InputError(
          fmt::format("{}: is an input too ({}); give --out another name", file.string(), input.string()));
    }
  }
}

void check_new_file(const OutputOptions& o, const BeamWorldOptions& world, const Paths& inputs) {
  std::error_code error;
  const auto status = std::filesystem::symlink_status(o.out, error);
  if (o.out.empty() || !std::filesystem::exists(status)) return;
  if (std::filesystem::is_directory(o.out, error)) {
    throw fathom::InputError(fmt::format("{}: is a folder", o.out.string()));
  }
  refuse_inputs({o.out}, world_files(world));
  refuse_inputs({o.out}, inputs);
  if (!o.force) throw fathom::InputError(fmt::format("{}: exists already; --force replaces it", o.out.string()));
}

void write_csv(const OutputOptions& output, const std::string& csv, const std::string& about) {
  if (output.out.empty()) {
    print(csv);
    if (!output.quiet) std::fputs(about.c_str(), stderr);
  } else {
    fathom::write_text_file(output.out, csv);
    if (!output.quiet) print(about);
  }
}

namespace {

nlohmann::ordered_json score_json(const fathom::MeanScore& score) {
  return {{"nats", number_or_null(score.nats)}, {"std_error", number_or_null(score.std_error)}};
}

std::string scores_text(const ModelScores& scores, std::string_view unit) {
  const auto line = [unit](const std::string& name, const fathom::MeanScore& s, std::string_view form) {
    const std::string error = std::isfinite(s.std_error) ? fmt::format(" +- {:.2g}", s.std_error) : "";
    return fmt::format("{}: {}{} nats per {}\n", name, fmt::format(fmt::runtime(form), s.nats), error, unit);
  };
  const std::string a = fathom::printable(scores.first_file.string()),
                    b = fathom::printable(scores.second_file.string());
  const bool is_same = a == b;  // with --set, which changes only the first, or repeated by mistake
  std::string text = line(is_same ? a + " (first)" : a, scores.first, "{:.4f}");
  if (!scores.second) return text;
  text += line(is_same ? b + " (second)" : b, *scores.second, "{:.4f}");
  return text + line("the first less the second", *scores.difference, "{:+.4f}");
}

}  // namespace

void print_scores(const ModelScores& scores, const OutputOptions& o, std::string_view unit,
                  nlohmann::ordered_json facts, const std::string& more) {
  if (!o.json) return print(scores_text(scores, unit) + (o.quiet ? "" : more));
  facts["score"] = score_json(scores.first);
  if (scores.second) facts["other"] = score_json(*scores.second), facts["difference"] = score_json(*scores.difference);
  print(facts.dump(2) + "\n");
}

void add_height(CLI::App& c, double& height_m) {
  constexpr double kMost = fathom::World::kMostHeightM;
  begin_section(c, Section::kInput, true);
  add_number(c, {"--height", "M", "of the sensor above the x-y plane of the scene, m"}, {-kMost, kMost, "m"}, height_m);
}

void add_world(CLI::App& c, BeamWorldOptions& o) {
  begin_section(c, Section::kRequired);
  CLI::Option* map = c.add_option("--map", o.map, "map_server YAML file of the place")->type_name("YAML");
  c.add_option("--scene", o.scene, "scene file, whose meshes take the place of a map")
      ->type_name("YAML")
      ->excludes(map);
  add_height(c, o.height_m);
}

void add_log_text(CLI::App& c, fathom::ScanLogOptions& o) {
  begin_section(c, Section::kInput, true);
  CLI::Option* laser =
      c.add_option("--laser", o.laser, "which laser of a log of CARMEN: FLASER, ROBOTLASER1, RAWLASER1 ...");
  CLI::Option* angle =
      &add_number(c, {"--ray-angle", "DEG", "between two rays of FLASER, where their number does not say it, degrees"},
                  {1e-4, 360.0, "deg"}, o.ray_angle_deg);
  CLI::Option* log = c.get_option_no_throw("--log");
  for (CLI::Option* option : {laser->type_name("NAME"), angle, &add_mount(c, o.mount)}) {
    if (log != nullptr) option->needs(log);
  }
}

void add_log(CLI::App& c, BeamLogOptions& o) {
  begin_section(c, Section::kRequired);
  CLI::Option* log = c.add_option("--log", o.log, "scan log, or the folder of a run")->type_name("LOG");
  CLI::Option* bag = c.add_option("--bag", o.bag, "bag of ROS 2 with scans and transforms")->type_name("BAG");
  bag->excludes(log);
  begin_section(c, Section::kInput, true);
  c.add_option("--topic", o.in_bag.scan_topic, "topic of scans in --bag; default: the only one")
      ->type_name("TOPIC")
      ->needs(bag);
  c.add_option("--frame", o.in_bag.map_frame, "frame in --bag in which the map stands")
      ->type_name("FRAME")
      ->capture_default_str()
      ->needs(bag);
  add_log_text(c, o.in_text);
  add_number(c, {"--ray-time", "S", "from a ray to the next one, for a laser that moved during scans, s"},
             {0.0, 1.0, "s"}, o.in_text.ray_time_s)
      .needs(log);
}

void add_map_and_log(CLI::App& c, BeamWorldOptions& world, BeamLogOptions& log) {
  begin_section(c, Section::kRequired);
  c.add_option("--map", world.map, "map_server YAML file of the place")->required()->type_name("YAML");
  add_log(c, log);
}

void add_parameters(CLI::App& c, std::filesystem::path& parameters) {
  c.add_option("--parameters", parameters, "parameters.yaml, as fathom fit writes it")->required()->type_name("YAML");
}

void add_report_output(CLI::App& c, OutputOptions& o, const std::string& files) {
  begin_section(c, Section::kOutput);
  c.add_option("--out", o.out, "folder to make for " + files)->type_name("DIR");
  add_json(c, o.json);
  add_force(c, o.force);
  add_quiet(c, o.quiet);
}

void add_csv_output(CLI::App& c, OutputOptions& o) {
  begin_section(c, Section::kOutput);
  c.add_option("--out", o.out, "file for the CSV, instead of standard output")->type_name("CSV");
  add_force(c, o.force);
  add_quiet(c, o.quiet);
}

void add_score_output(CLI::App& c, OutputOptions& o) {
  begin_section(c, Section::kOutput);
  add_json(c, o.json);
  add_quiet(c, o.quiet);
}

void set_action(CLI::App& c, OutputOptions& output, const std::function<void()>& act) {
  c.final_callback([&c, &output, act] {
    const StopSignals signals(Patience::kNone);
    output.names = setting_names(c);
    act();
  });
}

void add_stretches(CLI::App& c, std::size_t& stretches) {
  const auto read = [&stretches](const std::string& text) {
    const WholeLimits limits = {1, static_cast<std::uint64_t>(fathom::FitOptions::kMostStretches)};
    stretches = text == "scan" ? 0 : static_cast<std::size_t>(parse_whole("--stretches", text, limits));
  };
  add_parsed(c, {"--stretches", "N|scan", "what has errors in common: N stretches of the way, or each scan"}, read)
      .default_str(std::to_string(stretches));
}

void refuse_height_without_scene(const CLI::App& c) {
  if (c.count("--height") == 0 || c.count("--scene") > 0) return;
  throw fathom::InputError("--height is for --scene: a map says nothing of heights");
}

void check_log(const CLI::App& c, const BeamLogOptions& log) {
  if (!log.is_given()) fail_usage(c, "--log or --bag is required");
}

void check_world_and_log(const CLI::App& c, const BeamWorldOptions& world, const BeamLogOptions& log) {
  refuse_height_without_scene(c);
  check_log(c, log);
  if (!world.is_given()) fail_usage(c, "--map or --scene is required");
}

}  // namespace fathom_cli
