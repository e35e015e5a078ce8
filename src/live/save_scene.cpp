// SPDX-License-Identifier: MIT
#include "live/save_scene.hpp"

#include <algorithm>
#include <map>
#include <system_error>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "base/text.hpp"
#include "live/yaml_text.hpp"
#include "simulate/override.hpp"
#include "simulate/scene_text.hpp"
#include "text/whole_file.hpp"
#include "text/yaml_tree.hpp"

namespace fathom {

namespace {

using Kind = YamlValue::Kind;

constexpr std::uint32_t kMostOfStem = 999'999;  // files with one stem in their names

YamlValue scalar_value(std::string text) {
  YamlValue value;
  value.kind = Kind::kScalar;
  value.text = std::move(text);
  return value;
}

YamlValue& add_entry(YamlValue& map, std::string key) {
  map.kind = Kind::kMap;
  map.entries.push_back({std::move(key), {}, {}});
  map.entries.back().value.kind = Kind::kMap;
  return map.entries.back().value;
}

void add_values(YamlValue& map, const Noise& noise) {
  const std::vector<FieldValue> values = noise.values();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double number = values[i].number();
    add_entry(map, values[i].name) = scalar_value(field_text(noise.info().fields[i], {&number, 1}));
  }
}

void add_correlation(YamlValue& map, const Correlation& correlation) {
  YamlValue& values = add_entry(map, std::string(Correlation::kSlug));
  for (const FieldInfo& field : describe<Correlation>()) {
    add_entry(values, std::string(field.name)) = scalar_value(field_text(field, get_field(correlation, field.name)));
  }
}

YamlValue chain_value(const NoiseChain& chain, const Scene& scene) {
  YamlValue list;
  list.kind = Kind::kList;
  for (const ChainEntry& entry : chain) {
    YamlValue& map = add_entry(list.items.emplace_back(), std::string(entry.noise.slug()));
    add_values(map, entry.noise);
    if (!entry.correlation.is_white()) add_correlation(map, entry.correlation);
    if (!entry.by_entity.empty()) {
      YamlValue& entities = add_entry(map, "entities");
      for (const EntityEntry& other : entry.by_entity) {
        add_values(add_entry(entities, scene.entities()[index(other.entity)].name), other.noise);
      }
    }
    if (!entry.by_ring.empty()) {
      YamlValue& rings = add_entry(map, "rings");
      for (const RingEntry& other : entry.by_ring)
        add_values(add_entry(rings, std::to_string(other.ring)), other.noise);
    }
  }
  return list;
}

void set_noise(YamlValue& root, const Sensor& sensor, const Scene& scene) {
  YamlValue* const sensors = root.find("sensors");
  if (sensors == nullptr) return;
  for (YamlValue& item : sensors->items) {
    const YamlValue* const name = item.find("name");
    if (name == nullptr || name->text != sensor.name) continue;
    YamlValue* const noise = item.find("noise");
    (noise == nullptr ? add_entry(item, "noise") : *noise) = chain_value(sensor.noise, scene);
  }
}

/// Every text that names a file of the scene names it wherever the scene file stands.
void make_absolute(YamlValue& value, const std::filesystem::path& folder,
                   const std::set<std::filesystem::path>& inputs) {
  if (value.kind == Kind::kScalar && !value.text.empty()) {
    const std::filesystem::path path = std::filesystem::absolute(folder / value.text).lexically_normal();
    if (inputs.contains(path)) value.text = path.string();
  }
  for (YamlValue& item : value.items) make_absolute(item, folder, inputs);
  for (YamlEntry& entry : value.entries) make_absolute(entry.value, folder, inputs);
}

}  // namespace

void SaveLimits::begin(Allowance::TimePoint now) {
  if (files_ >= kMostFiles || bytes_ >= kMostBytes) {
    throw InputError(fmt::format("nothing more is saved: {} files have {} bytes, the limits are {} and {}", files_,
                                 bytes_, kMostFiles, kMostBytes));
  }
  if (!allowance_.take(now)) {
    throw InputError(fmt::format("not saved: more than {} files a second, after {} at once", kPerSecond, kMostAtOnce));
  }
  ++files_;
}

void SaveLimits::end(const std::filesystem::path& file) {
  std::error_code failed;
  const std::uintmax_t bytes = std::filesystem::file_size(file, failed);
  if (!failed) bytes_ += bytes;
}

std::filesystem::path free_file(const std::filesystem::path& folder, std::string_view stem,
                                std::string_view extension) {
  if (folder.empty()) throw InputError("nothing is saved: the server was started without --out");
  if (stem.empty() || stem.starts_with('.') || stem.find('/') != std::string_view::npos) {
    throw InputError(fmt::format("'{}' is no name of a file", one_line(stem)));
  }
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) throw SystemError(fmt::format("{}: {}", folder.string(), failed.message()));
  for (std::uint32_t i = 1; i <= kMostOfStem; ++i) {
    std::filesystem::path file = folder / fmt::format("{}_{:03}{}", stem, i, extension);
    if (!std::filesystem::exists(std::filesystem::symlink_status(file, failed))) return file;
  }
  throw SystemError(fmt::format("{}: has {} files of '{}' already", folder.string(), kMostOfStem, stem));
}

void write_scene(const std::filesystem::path& file, const std::filesystem::path& scene_file,
                 const std::vector<std::string>& overrides, const SceneSetup& setup, const Simulator& simulator,
                 const std::set<std::size_t>& turned) {
  YamlValue root = parse_yaml(read_yaml_text(scene_file), scene_file.string());
  for (const std::string& override_text : overrides) apply_override(root, override_text);
  for (const std::size_t sensor : turned) {
    set_noise(root, simulator.sensor(static_cast<SensorId>(sensor)), simulator.scene());
  }
  std::set<std::filesystem::path> inputs;
  for (const auto& input : setup.inputs) inputs.insert(std::filesystem::absolute(input).lexically_normal());
  make_absolute(root, scene_file.parent_path(), inputs);
  const std::string text = yaml_text(root);
  static_cast<void>(read_scene_text(text, file, {}));
  write_whole_file(file, text);
}

}  // namespace fathom
