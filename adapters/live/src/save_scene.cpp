// SPDX-License-Identifier: MIT
#include "live/save_scene.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/core/error.hpp>

#include "core/text.hpp"
#include "core/text/files.hpp"
#include "core/text/yaml.hpp"
#include "run/scene_file.hpp"

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
