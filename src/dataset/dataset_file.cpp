// SPDX-License-Identifier: MIT
#include "dataset/dataset_file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/base/error.hpp>

#include "dataset/read_bytes.hpp"

namespace fathom {

namespace {

using DatasetJson = nlohmann::ordered_json;

DatasetJson range_json(const NumberRange& range) { return {range.first, range.end}; }

NumberRange range_of(const DatasetJson& json) {
  return {json.at(0).get<std::uint32_t>(), json.at(1).get<std::uint32_t>()};
}

}  // namespace

std::string dataset_text(const DatasetFile& file) {
  const DatasetJson json = {{"fathom", file.version},
                            {"dataset", 1},
                            {"scene", file.scene},
                            {"command", file.command},
                            {"inputs", file.inputs},
                            {"seed", file.seed},
                            {"environments", range_json(file.units.environments())},
                            {"episodes", range_json(file.units.episodes())},
                            {"frames", file.units.frames()},
                            {"block", file.units.block()},
                            {"units", file.units.size()}};
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
    file.units = UnitList(range_of(json.at("environments")), range_of(json.at("episodes")),
                          json.at("frames").get<std::uint32_t>(), json.at("block").get<std::uint32_t>());
    if (json.at("dataset") == 1 && json.at("units") == file.units.size()) return file;
  } catch (const nlohmann::json::exception&) {  // answered below
  } catch (const InputError&) {
  }
  throw InputError(fmt::format("{}: not written by this version of fathom", name.string()));
}

}  // namespace fathom
