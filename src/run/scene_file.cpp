// SPDX-License-Identifier: MIT
#include "run/scene_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/simulate/run.hpp>

#include "core/text.hpp"
#include "core/text/files.hpp"
#include "core/text/yaml.hpp"
#include "render/simulators.hpp"
#include "run/prepare_run.hpp"
#include "run/read_scene.hpp"
#include "scene/poses.hpp"
#include "sensor/kinds.hpp"

namespace fathom {

namespace {

using Kind = YamlValue::Kind;

/// A walk along the path of one override.
class Walk {
 public:
  Walk(std::string_view path, YamlMark mark) : path_(path), mark_(std::move(mark)) {}

  /// The value at the whole path. Adds keys that maps lack.
  YamlValue& descend(YamlValue& root) {
    YamlValue* value = &root;
    std::size_t begin = 0;
    while (begin <= path_.size()) {
      const std::size_t end = std::min(path_.find('.', begin), path_.size());
      const std::string_view part = path_.substr(begin, end - begin);
      if (part.empty()) fail("has an empty part");
      const std::string_view before = path_.substr(0, begin == 0 ? 0 : begin - 1);
      if (end < path_.size()) check_list(*value, part, before);
      value = &step(*value, part, before);
      begin = end + 1;
    }
    return *value;
  }

 private:
  [[noreturn]] void fail(std::string_view message) const {
    throw InputError(fmt::format("{}: {} {}", to_string(mark_), path_, message));
  }

  /// A path through a list needs the list: descend() would add a map instead.
  void check_list(const YamlValue& value, std::string_view part, std::string_view before) const {
    constexpr std::array<std::string_view, 5> kLists = {"sensors", "entities", "noise", "outputs", "keyframes"};
    if (value.kind == Kind::kList || value.kind == Kind::kScalar || value.find(part) != nullptr) return;
    if (std::find(kLists.begin(), kLists.end(), part) == kLists.end()) return;
    const std::string dot = before.empty() ? "" : ".";
    fail(fmt::format("does not exist: {} has no {}; set the list as a whole: '{}{}{}=[...]'",
                     before.empty() ? "the file" : before, part, before, dot, part));
  }

  YamlValue& step(YamlValue& value, std::string_view part, std::string_view before) {
    if (value.kind == Kind::kList) return step_list(value, part, before);
    if (value.kind == Kind::kScalar) {
      fail(fmt::format("goes through {} = {}, which has no parts", before, value.text));
    }
    value.kind = Kind::kMap;
    drop_other_angle(value, part);
    if (YamlValue* found = value.find(part)) return *found;
    value.entries.push_back({std::string(part), mark_, {}});
    value.entries.back().value.mark = mark_;
    return value.entries.back().value;
  }

  /// `x_deg` replaces `x_rad` and vice versa.
  static void drop_other_angle(YamlValue& map, std::string_view key) {
    for (const auto& [ours, theirs] : {std::pair{"_deg", "_rad"}, std::pair{"_rad", "_deg"}}) {
      if (!key.ends_with(ours)) continue;
      const std::string other = std::string(key.substr(0, key.size() - 4)) + theirs;
      std::erase_if(map.entries, [&](const YamlEntry& entry) { return entry.key == other; });
    }
  }

  YamlValue& step_list(YamlValue& list, std::string_view part, std::string_view before) {
    std::size_t position = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), position);
    if (error == std::errc{} && end == part.data() + part.size()) {
      if (position < list.items.size()) return list.items[position];
      fail(fmt::format("asks for position {} of {}, which has {} entries (counted from 0)", position, before,
                       list.items.size()));
    }
    return find_named(list, part, before);
  }

  YamlValue& find_named(YamlValue& list, std::string_view part, std::string_view before) {
    std::vector<std::string> names;
    YamlValue* found = nullptr;
    for (YamlValue& item : list.items) {
      names.push_back(item.kind == Kind::kScalar ? item.text : entry_name(item).value_or(""));
      if (names.back() != part) continue;
      if (found != nullptr) fail(fmt::format("is not clear: {} has two '{}'; give the position", before, part));
      found = &item;
    }
    if (found == nullptr) {
      const std::vector<std::string_view> known(names.begin(), names.end());
      fail(fmt::format("does not exist: {} has no '{}'{}", before, part, nearest_hint(part, known)));
    }
    return inside(*found, part);
  }

  /// In noise and outputs the name is a key whose value holds the parameters: `- distance: {...}`, or a bare `- pcd`.
  YamlValue& inside(YamlValue& item, std::string_view part) {
    if (item.kind == Kind::kScalar) {
      const YamlMark mark = item.mark;
      item = {};
      item.kind = Kind::kMap;
      item.mark = mark;
      item.entries.push_back({std::string(part), mark, {}});
      item.entries.back().value.mark = mark;
    }
    const YamlValue* name = item.find("name");
    const bool named = name != nullptr && name->kind == Kind::kScalar;
    return named ? item : item.entries.front().value;
  }

  std::string_view path_;
  YamlMark mark_;
};

/// Marks a value and all it holds as coming from the override.
void mark_all(YamlValue& value, const YamlMark& mark) {
  value.mark = mark;
  for (YamlValue& item : value.items) mark_all(item, mark);
  for (YamlEntry& entry : value.entries) {
    entry.mark = mark;
    mark_all(entry.value, mark);
  }
}

/// YAML, or the content of a file: "@noise.yaml".
YamlValue value_of(std::string_view text, const YamlMark& mark) {
  if (text.starts_with('@')) {
    const std::string file(text.substr(1));
    return parse_yaml(read_yaml_text(file), file);
  }
  YamlValue value = parse_yaml(text, *mark.source);
  mark_all(value, mark);
  return value;
}

/// The file that an override takes its value from, if any.
std::optional<std::string> override_file(std::string_view path_and_value) {
  const std::size_t equals = path_and_value.find('=');
  if (equals == std::string_view::npos || !path_and_value.substr(equals + 1).starts_with('@')) return std::nullopt;
  return std::string(path_and_value.substr(equals + 2));
}

}  // namespace

void apply_override(YamlValue& root, const std::string& path_and_value) {
  const YamlMark mark{std::make_shared<const std::string>("--set " + path_and_value), 0, 0};
  const std::size_t equals = path_and_value.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw InputError(to_string(mark) + ": not of the form path=value");
  }
  YamlValue value = value_of(std::string_view(path_and_value).substr(equals + 1), mark);
  Walk walk(std::string_view(path_and_value).substr(0, equals), mark);
  walk.descend(root) = std::move(value);
}

namespace {

constexpr double kMostStartS = 1e10;   // of frame 0: allows stamps since 1970, refuses wrong units
constexpr double kLeastRateHz = 1e-3;  // limits of files are closed; this one refuses wrong units
constexpr std::size_t kMostSensors = 65'535;
constexpr std::uint64_t kMaxSeed = ~std::uint64_t{0};

/// `scene: {file: other.yaml}` becomes the scene of that file. File names in it stay relative to its folder.
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
  if (theirs == nullptr || theirs->find("file") != nullptr) name.fail("is a file that has no scene itself");
  YamlValue included = std::move(*theirs);
  *scene = std::move(included);
}

/// Each sensor was checked separately, but all are in memory at once.
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
    const RayPattern::Shape shape = pattern_shape(sensor.model);
    rays += std::uint64_t{shape.rows} * shape.cols * sensor.returns.size();
    if (sensor.aligned_to) rays += std::uint64_t{sensor.aligned_to->height} * sensor.aligned_to->width;
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
  include_scene(root, files);  // an override may name another file

  YamlReader map(root, &refuse_range);
  SceneSetup setup;
  setup.file = file;
  // Reads the small keys and checks all names of keys first, so that a slip is reported before large meshes are read.
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
