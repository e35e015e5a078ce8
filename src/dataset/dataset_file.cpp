// SPDX-License-Identifier: MIT
#include "dataset/dataset_file.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/base/error.hpp>

#include "dataset/read_bytes.hpp"

namespace fathom {

namespace {

constexpr auto kFormatWords = kChoiceWords<DatasetFormat>;

using DatasetJson = nlohmann::ordered_json;

DatasetJson range_json(const NumberRange& range) { return {range.first, range.end}; }

NumberRange range_of(const DatasetJson& json) {
  return {json.at(0).get<std::uint32_t>(), json.at(1).get<std::uint32_t>()};
}

DatasetFiles files_of(const DatasetJson& json) {
  const auto word = std::ranges::find(kFormatWords, json.at("format").get<std::string>());
  if (word == kFormatWords.end()) throw InputError("of a format that this version does not know");
  return {.format = static_cast<DatasetFormat>(word - kFormatWords.begin()),
          .units_per_file = json.at("units_per_file").get<std::uint64_t>(),
          .compression = json.at("compression").get<int>()};
}

/// What sensor_description() gives, as far as merging reads it. Throws nlohmann::json::exception.
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
  const DatasetJson json = {{"fathom", file.version},
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
  return json.dump(2, ' ', false, DatasetJson::error_handler_t::replace) + "\n";
}

DatasetFile read_dataset_file(const std::filesystem::path& dataset) {
  const std::filesystem::path name = dataset / kDatasetName;
  const auto text = read_bytes(name);
  if (!text) throw InputError(fmt::format("{}: holds no {}, so it is no dataset", dataset.string(), kDatasetName));
  const auto json = DatasetJson::parse(*text, nullptr, false);
  try {
    DatasetFile file;
    file.version = json.at("fathom").get<std::string>();
    file.scene = json.at("scene").get<std::string>();
    file.command = json.at("command").get<std::string>();
    file.inputs = json.at("inputs").get<std::string>();
    file.seed = json.at("seed").get<std::uint64_t>();
    const UnitList units(range_of(json.at("environments")), range_of(json.at("episodes")),
                         json.at("frames").get<std::uint32_t>(), json.at("block").get<std::uint32_t>());
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
