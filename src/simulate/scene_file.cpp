// SPDX-License-Identifier: MIT
#include <cstdint>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/simulate/run.hpp>

#include "render/simulator_options.hpp"
#include "scene/world_poses.hpp"
#include "sensor/ray_count.hpp"
#include "simulate/file_plan.hpp"
#include "simulate/override.hpp"
#include "simulate/read_pose.hpp"
#include "simulate/read_range.hpp"
#include "simulate/read_sensor.hpp"
#include "simulate/read_world.hpp"
#include "simulate/scene_text.hpp"
#include "text/read_file.hpp"
#include "text/yaml_reader.hpp"
#include "text/yaml_tree.hpp"

namespace fathom {

namespace {

constexpr double kMostStartS = 1e10;  // of frame 0: stamps since 1970, and slipped units are refused

constexpr std::size_t kMostSensors = 65'535;

constexpr double kLeastRateHz = 1e-3;  // limits of files are closed, and this one stops slipped units
constexpr std::uint64_t kMaxSeed = ~std::uint64_t{0};

/// `scene: {file: other.yaml}` becomes the scene of that file, as if it stood here; its own file names stay relative to
/// its own folder.
void include_scene(YamlValue& root, SceneFiles& files) {
  YamlValue* scene = root.find("scene");
  if (scene == nullptr || scene->find("file") == nullptr) return;
  YamlReader top(root);
  YamlReader map = top.at("scene");
  const YamlReader name = map.at("file");
  map.finish();
  const std::filesystem::path path = read_path(name, files);
  YamlValue other = name.located([&] { return parse_yaml(read_yaml_text(path), path.string()); });
  YamlValue* theirs = other.find("scene");
  if (theirs == nullptr || theirs->find("file") != nullptr) name.fail("is a file without a scene of its own");
  YamlValue included = std::move(*theirs);
  *scene = std::move(included);
}

/// Each sensor was checked alone, but all are in memory at once.
void check_rays(const YamlReader& item, std::uint64_t rays) {
  const std::uint64_t memory_bytes = physical_memory_bytes();
  if (rays <= memory_bytes / kBytesPerRay) return;
  item.fail_key(fmt::format("is too much: with the sensors before it there are {} rays, which need {}", rays,
                            memory_text(rays, memory_bytes)));
}

void read_sensors(const YamlReader& list, const BareLinks& bare_links, SceneFiles& files, SceneSetup& setup) {
  SensorNames names;
  const SceneClock clock = {setup.rate_hz, setup.start_s};
  const std::vector<double> entity_farthest_m = farthest_from_world_m(setup.scene);
  std::uint64_t rays = 0;
  const std::vector<YamlReader> items = list.items();
  if (items.size() > kMostSensors) {
    list.fail_key(fmt::format("has {} entries, at most {} are allowed", items.size(), kMostSensors));
  }
  for (const YamlReader& item : items) {
    setup.sensors.push_back(read_sensor(item, clock, setup.scene, bare_links, entity_farthest_m, files));
    const Sensor& sensor = setup.sensors.back().sensor;
    item.located([&] { names.add(sensor.name); });
    const PatternShape shape = pattern_shape(sensor.model);
    rays += std::uint64_t{shape.rows} * shape.cols * sensor.returns.size();
    check_rays(item, rays);
  }
  if (setup.sensors.empty()) list.fail("has no sensor");
}

}  // namespace

SceneSetup read_scene_text(std::string_view text, const std::filesystem::path& file,
                           const std::vector<std::string>& overrides) {
  YamlValue root = parse_yaml(text, file.string());
  refuse_other_kind(root, YamlFileKind::kScene);
  SceneFiles files{file.parent_path()};
  include_scene(root, files);
  for (const std::string& override_text : overrides) apply_override(root, override_text);
  include_scene(root, files);  // an override may name another one

  YamlReader map(root, &refuse_range);
  SceneSetup setup;
  setup.file = file;
  // The small keys first, and all keys known, so that a slip is reported before large meshes are read.
  if (const auto frames = map.find("frames")) setup.frames = static_cast<std::uint32_t>(frames->whole(1, kMaxFrames));
  if (const auto rate = map.find("rate_hz")) setup.rate_hz = rate->number({kLeastRateHz, kMostRateHz, "Hz"});
  if (const auto start = map.find("start_s")) setup.start_s = start->number({-kMostStartS, kMostStartS, "s"});
  if (const auto seed = map.find("seed")) setup.seed = seed->whole(0, kMaxSeed);
  constexpr std::uint64_t kMaxNumber = 0xffffffffU;
  if (const auto number = map.find("environment")) {
    setup.environment = static_cast<std::uint32_t>(number->whole(0, kMaxNumber));
  }
  if (const auto number = map.find("episode")) {
    setup.episode = static_cast<std::uint32_t>(number->whole(0, kMaxNumber));
  }
  if (const auto device = map.find("device")) {
    device->located([&] { setup.device = device_named(device->text()); });
  }
  files.first_frame_s = setup.start_s;
  files.last_frame_s = setup.start_s + (setup.frames - 1) / setup.rate_hz;
  const YamlReader scene = map.at("scene");
  const YamlReader sensors = map.at("sensors");
  map.finish();
  WorldSetup world = read_world(scene, files);
  setup.scene = std::move(world.scene);
  setup.notes = std::move(world.notes);
  setup.entity_ranges = std::move(world.ranges);
  read_sensors(sensors, world.bare_links, files, setup);
  setup.inputs = std::move(files.opened);
  setup.notes.insert(setup.notes.end(), files.notes.begin(), files.notes.end());
  for (const std::string& override_text : overrides) {
    if (const auto from = override_file(override_text)) setup.inputs.emplace_back(*from);
  }
  return setup;
}

SceneSetup read_scene_file(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  return within_memory(file, [&] {
    SceneSetup setup = read_scene_text(read_yaml_text(file), file, overrides);
    setup.inputs.push_back(file);
    setup.overrides = overrides;
    return setup;
  });
}

}  // namespace fathom
