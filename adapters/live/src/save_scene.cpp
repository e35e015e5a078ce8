// SPDX-License-Identifier: MIT
#include "live/save_scene.hpp"

#include <algorithm>
#include <initializer_list>
#include <set>
#include <string_view>
#include <system_error>
#include <variant>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/core/error.hpp>
#include <fathom/sensor/kinds.hpp>

#include "core/text.hpp"
#include "core/text/files.hpp"
#include "core/text/yaml.hpp"
#include "run/scene_file.hpp"
#include "sensor/sensor_view.hpp"

namespace fathom {

namespace {

using Kind = YamlValue::Kind;

/// Quotes a text unless it is a plain number or word. Readers see no difference.
std::string scalar_text(const std::string& text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
  const bool is_null = text == "null" || text == "Null" || text == "NULL";
  const std::string_view letters = std::string_view(text).substr(text.starts_with('-') && text.size() > 1 ? 1 : 0);
  if (!is_null && !letters.empty() && letters.find_first_not_of(kPlain) == std::string_view::npos &&
      letters.find_first_not_of('.') != std::string_view::npos) {
    return text;
  }
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool is_short(const YamlValue& list) {
  return std::all_of(list.items.begin(), list.items.end(),
                     [](const YamlValue& item) { return item.kind == Kind::kScalar; });
}

void append_value(const YamlValue& value, std::size_t indent, std::string& out);

void append_map(const YamlValue& map, std::size_t indent, bool in_line, std::string& out) {
  for (const YamlEntry& entry : map.entries) {
    if (!in_line) out.append(indent, ' ');
    in_line = false;
    out += scalar_text(entry.key) + ":";
    append_value(entry.value, indent + 2, out);
  }
}

/// Appends the value of a key: on the same line, or on separate lines.
void append_value(const YamlValue& value, std::size_t indent, std::string& out) {
  if (value.kind == Kind::kNull) {
    out += " null\n";
  } else if (value.kind == Kind::kScalar) {
    out += " " + scalar_text(value.text) + "\n";
  } else if (value.kind == Kind::kList && is_short(value)) {
    out += " [";
    for (std::size_t i = 0; i < value.items.size(); ++i) out += (i == 0 ? "" : ", ") + scalar_text(value.items[i].text);
    out += "]\n";
  } else if (value.kind == Kind::kList) {
    out += "\n";
    for (const YamlValue& item : value.items) {
      out.append(indent, ' ');
      out += "-";
      if (item.kind == Kind::kMap && !item.entries.empty()) {
        out += " ";
        append_map(item, indent + 2, true, out);
      } else {
        append_value(item, indent + 2, out);
      }
    }
  } else if (value.entries.empty()) {
    out += " {}\n";
  } else {
    out += "\n";
    append_map(value, indent, false, out);
  }
}

}  // namespace

std::string yaml_text(const YamlValue& root) {
  std::string out;
  if (root.kind == Kind::kMap) append_map(root, 0, false, out);
  return out;
}

namespace {

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

/// The entry of the sensor of this name; null if it is missing.
YamlValue* find_sensor(YamlValue& root, std::string_view name) {
  YamlValue* const sensors = root.find("sensors");
  if (sensors == nullptr) return nullptr;
  for (YamlValue& item : sensors->items) {
    const YamlValue* const found = item.find("name");
    if (found != nullptr && found->text == name) return &item;
  }
  return nullptr;
}

/// Replaces or adds the value of a key.
YamlValue& entry_of(YamlValue& map, std::string_view key) {
  YamlValue* const found = map.find(key);
  return found != nullptr ? *found : add_entry(map, std::string(key));
}

void remove_entries(YamlValue& map, std::initializer_list<std::string_view> keys) {
  std::erase_if(map.entries, [&](const YamlEntry& entry) { return std::ranges::find(keys, entry.key) != keys.end(); });
}

/// A new name in `folder`, which it makes.
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

/// Makes file names independent of the place of the scene file.
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

std::filesystem::path SaveFolder::save(std::string_view stem, std::string_view extension,
                                       const std::function<void(const std::filesystem::path&)>& write) {
  std::filesystem::path file = free_file(folder_, stem, extension);
  limits_.begin(LiveClock::now());
  write(file);
  limits_.end(file);
  return file;
}

YamlValue scene_yaml(const std::filesystem::path& scene_file, const std::vector<std::string>& overrides,
                     const std::vector<std::filesystem::path>& inputs) {
  YamlValue root = parse_yaml(read_yaml_text(scene_file), scene_file.string());
  for (const std::string& override_text : overrides) apply_override(root, override_text);
  std::set<std::filesystem::path> absolute;
  for (const auto& input : inputs) absolute.insert(std::filesystem::absolute(input).lexically_normal());
  make_absolute(root, scene_file.parent_path(), absolute);
  return root;
}

void set_noise(YamlValue& root, const Sensor& sensor, const Scene& scene) {
  YamlValue* const item = find_sensor(root, sensor.name);
  if (item != nullptr) entry_of(*item, "noise") = chain_value(sensor.noise, scene);
}

void set_camera(YamlValue& root, const Sensor& sensor) {
  YamlValue* const item = find_sensor(root, sensor.name);
  const auto* const stereo = std::get_if<StereoCamera>(&sensor.model);
  const DepthCamera* const camera = depth_camera_of(sensor.model);
  if (item == nullptr || camera == nullptr) return;
  const Intrinsics k = intrinsics(*camera);
  remove_entries(*item, {"horizontal_fov_rad", "horizontal_fov_deg", "focal_length_mm", "horizontal_aperture_mm",
                         "vertical_aperture_mm"});
  const auto set = [&](std::string_view key, double value) { entry_of(*item, key) = scalar_value(number_text(value)); };
  set("width", camera->width), set("height", camera->height), set("fx", k.fx), set("fy", k.fy);
  YamlValue& center = entry_of(*item, "principal_point_px") = YamlValue();
  center.kind = Kind::kList;
  center.items = {scalar_value(number_text(k.cx)), scalar_value(number_text(k.cy))};
  if (stereo == nullptr || stereo->left_camera) return;
  remove_entries(*item, {"left_camera", "right_camera"});
  set("baseline_m", stereo->baseline_m);
}

void write_scene(const std::filesystem::path& file, const YamlValue& root) {
  const std::string text = yaml_text(root);
  static_cast<void>(read_scene_text(text, file, {}));
  write_whole_file(file, text);
}

}  // namespace fathom
