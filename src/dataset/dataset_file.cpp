// SPDX-License-Identifier: MIT
#include "dataset/dataset_file.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/base/error.hpp>

#include "dataset/own_place.hpp"
#include "dataset/read_bytes.hpp"

namespace fathom {

namespace {

constexpr auto kFormatWords = kChoiceWords<DatasetFormat>;

using DatasetJson = nlohmann::ordered_json;

DatasetJson range_json(const NumberRange& range) { return {range.first, range.end}; }

/// A whole number that T holds: get() would wrap others around.
template <class T>
T number_of(const DatasetJson& json) {
  const auto value = json.is_number_unsigned() ? json.get<std::uint64_t>() : std::numeric_limits<std::uint64_t>::max();
  if (!json.is_number_unsigned() || value > static_cast<std::uint64_t>(std::numeric_limits<T>::max())) {
    throw InputError("of numbers that are none");
  }
  return static_cast<T>(value);
}

NumberRange range_of(const DatasetJson& json) {
  return {number_of<std::uint32_t>(json.at(0)), number_of<std::uint32_t>(json.at(1))};
}

DatasetFiles files_of(const DatasetJson& json) {
  const auto word = std::ranges::find(kFormatWords, json.at("format").get<std::string>());
  if (word == kFormatWords.end()) throw InputError("of a format that this version does not know");
  return {.format = static_cast<DatasetFormat>(word - kFormatWords.begin()),
          .units_per_file = number_of<std::uint64_t>(json.at("units_per_file")),
          .compression = number_of<int>(json.at("compression"))};
}

/// As sensor_description() gives them. Throws nlohmann::json::exception where something is missing.
std::string sensors_of(const DatasetJson& json) {
  for (const DatasetJson& sensor : json) {
    static_cast<void>(sensor.at("name").get<std::string>());
    static_cast<void>(sensor.at("range_policy").get<std::string>());
    static_cast<void>(sensor.at("noise"));
    for (const DatasetJson& channel : sensor.at("channels")) static_cast<void>(channel.at("name").get<std::string>());
    if (!sensor.contains("intrinsics")) continue;
    for (const auto& number : sensor.at("intrinsics")) static_cast<void>(number.get<double>());
  }
  return json.dump();
}

}  // namespace

std::string dataset_text(const DatasetFile& file) {
  const UnitList& units = file.units();
  const DatasetFiles& files = file.packs.files();
  DatasetJson json = {{"fathom", file.version},
                      {"dataset", 1},
                      {"scene", file.scene},
                      {"command", file.command},
                      {"inputs", file.inputs},
                      {"seed", file.seed},
                      {"environments", range_json(units.environments())},
                      {"episodes", range_json(units.episodes())},
                      {"frames", units.frames()},
                      {"block", units.block()},
                      {"units", units.size()},
                      {"format", to_string(files.format)},
                      {"units_per_file", files.units_per_file},
                      {"compression", files.compression},
                      {"sensors", DatasetJson::parse(file.sensors)}};
  constexpr auto kReplace = DatasetJson::error_handler_t::replace;
  json["check"] = digest_of(json.dump(-1, ' ', false, kReplace));
  return json.dump(2, ' ', false, kReplace) + "\n";
}

DatasetFile read_dataset_file(const std::filesystem::path& dataset) {
  const std::filesystem::path name = dataset / kDatasetName;
  check_way(dataset, kDatasetName);
  const auto text = read_bytes(name);
  if (!text) throw InputError(fmt::format("{}: holds no {}, so it is no dataset", dataset.string(), kDatasetName));
  const auto json = DatasetJson::parse(*text, nullptr, false);
  try {
    DatasetFile file;
    file.version = json.at("fathom").get<std::string>();
    file.scene = json.at("scene").get<std::string>();
    file.command = json.at("command").get<std::string>();
    file.inputs = json.at("inputs").get<std::string>();
    file.seed = number_of<std::uint64_t>(json.at("seed"));
    const UnitList units(range_of(json.at("environments")), range_of(json.at("episodes")),
                         number_of<std::uint32_t>(json.at("frames")), number_of<std::uint32_t>(json.at("block")));
    file.packs = PackList(units, files_of(json));
    file.sensors = sensors_of(json.at("sensors"));
    if (json.at("dataset") == 1 && json.at("units") == units.size()) return file;
  } catch (const nlohmann::json::exception&) {  // answered below
  } catch (const InputError&) {
  }
  throw InputError(fmt::format(
      "{}: not as this version of fathom writes it; where it is gone, `fathom simulate --resume` writes it anew",
      name.string()));
}

}  // namespace fathom
