// SPDX-License-Identifier: MIT
#include "run/dataset/dataset_file.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/core/error.hpp>
#include <fathom/sensor/kinds.hpp>
#include <fathom/simulate/simulator.hpp>

#include "core/text/files.hpp"
#include "render/prepared_sensor.hpp"
#include "run/dataset/digest.hpp"
#include "run/dataset/own_files.hpp"
#include "run/outputs/arrays.hpp"
#include "run/summary.hpp"
#include "sensor/sensor_view.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;
using DatasetJson = nlohmann::ordered_json;

constexpr std::array<std::string_view, 3> kNames = {kDatasetName, "units", "packs"};
constexpr auto kFormatWords = kChoiceWords<DatasetFormat>;

/// On one line; names of files may hold bytes that are not UTF-8.
std::string line_of(const DatasetJson& json) {
  return json.dump(-1, ' ', false, DatasetJson::error_handler_t::replace);
}

DatasetJson channels_json(const SensorSetup& setup) {
  DatasetJson channels = DatasetJson::array();
  for (const ArrayPlan& plan : planned_arrays(setup)) {
    const ChannelInfo& info = channel_info(plan.channel);
    channels.push_back({{"name", info.name()}, {"type", to_string(info.type)}, {"unit", info.unit}});
  }
  return channels;
}

DatasetJson sensor_description(const SensorSetup& setup, const Scene& scene) {
  const Sensor& sensor = setup.sensor;
  const RayPattern::Shape shape = image_shape(sensor);
  DatasetJson json = {{"name", sensor.name},
                      {"rows", shape.rows},
                      {"cols", shape.cols},
                      {"noise", chain_json(sensor.noise, scene)},
                      {"range_policy", to_string(sensor.range_policy.value_or(make_view(sensor.model).usual_policy))},
                      {"channels", channels_json(setup)}};
  add_velocity_noise(sensor, scene, json);
  if (sensor.timing != Timing()) json["timing"] = timing_json(sensor.timing);
  add_returns(sensor, json);
  if (const auto lens = image_lens(sensor)) {
    json["intrinsics"] = {{"fx", lens->fx}, {"fy", lens->fy}, {"cx", lens->cx}, {"cy", lens->cy}};
  }
  return json;
}

/// The bytes of all arrays of a frame.
std::uint64_t frame_bytes(const SceneSetup& setup) {
  std::uint64_t bytes = 0;
  for (const SensorSetup& sensor : setup.sensors) {
    const RayPattern::Shape shape = image_shape(sensor.sensor);
    for (const ArrayPlan& plan : planned_arrays(sensor)) {
      bytes += sensor.sensor.returns.size() * shape.rows * shape.cols * channel_info(plan.channel).bytes();
    }
  }
  return bytes;
}

/// With a number of units per file even if the options leave it open.
DatasetFiles resolved(const DatasetOptions& options, const SceneSetup& setup, const UnitList& units) {
  constexpr std::uint64_t kBytesOfFile = std::uint64_t{64} << 20U;
  DatasetFiles files = options.files;
  const std::uint64_t unit_bytes = std::max<std::uint64_t>(1, units.block() * frame_bytes(setup));
  if (files.units_per_file == 0) files.units_per_file = std::max<std::uint64_t>(1, kBytesOfFile / unit_bytes);
  return files;
}

std::string descriptions(const SceneSetup& setup) {
  DatasetJson list = DatasetJson::array();
  for (const SensorSetup& sensor : setup.sensors) list.push_back(sensor_description(sensor, setup.scene));
  return line_of(list);
}

}  // namespace

DatasetFile describe_dataset(const SceneSetup& setup, const DatasetOptions& options, std::string inputs) {
  const UnitList units = dataset_units(setup, options);
  return {.version = std::string(versions().fathom),
          .scene = setup.file.filename().string(),
          .command = options.command,
          .inputs = std::move(inputs),
          .seed = options.run.seed.value_or(setup.seed),
          .packs = PackList(units, resolved(options, setup, units)),
          .sensors = descriptions(setup)};
}

namespace {

DatasetJson range_json(const NumberRange& range) { return {range.first, range.end}; }

/// A whole number that T can hold: get() would wrap others around.
template <class T>
T number_of(const DatasetJson& json) {
  const auto value = json.is_number_unsigned() ? json.get<std::uint64_t>() : std::numeric_limits<std::uint64_t>::max();
  if (!json.is_number_unsigned() || value > static_cast<std::uint64_t>(std::numeric_limits<T>::max())) {
    throw InputError("not a number of this type");
  }
  return static_cast<T>(value);
}

NumberRange range_of(const DatasetJson& json) {
  return {number_of<std::uint32_t>(json.at(0)), number_of<std::uint32_t>(json.at(1))};
}

DatasetFiles files_of(const DatasetJson& json) {
  const auto word = std::ranges::find(kFormatWords, json.at("format").get<std::string>());
  if (word == kFormatWords.end()) throw InputError("an unknown format");
  return {.format = static_cast<DatasetFormat>(word - kFormatWords.begin()),
          .units_per_file = number_of<std::uint64_t>(json.at("units_per_file")),
          .compression = number_of<int>(json.at("compression"))};
}

/// As sensor_description() writes them. Throws nlohmann::json::exception if something is missing.
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

/// Whether the folder holds names that neither datasets nor files in the making have.
bool holds_others(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with('.') && std::ranges::find(kNames, name) == kNames.end()) return true;
  }
  if (error) throw SystemError(fmt::format("{}: cannot be read: {}", folder.string(), error.message()));
  return false;
}

/// Whether the folder holds units whose dataset.json was lost.
bool holds_packs(const fs::path& folder) { return fs::exists(folder / "units") || fs::exists(folder / "packs"); }

/// The dataset of a folder; empty if it has no dataset.json, or a torn one that is no JSON. Throws InputError for one
/// that fathom did not write.
std::optional<DatasetFile> dataset_in(const fs::path& folder) {
  const auto text = read_bytes(folder / kDatasetName);
  if (!text || !nlohmann::json::accept(*text)) return {};
  return read_dataset_file(folder);
}

/// Another spelling of the command does not make another dataset.
bool is_same_dataset(DatasetFile a, const DatasetFile& b) {
  a.command = b.command;
  return dataset_text(a) == dataset_text(b);
}

void make_folder_of(const fs::path& out) {
  if (out.empty()) throw InputError("the output folder has no name");
  std::error_code error;
  fs::create_directories(out, error);
  if (!error) return;
  std::error_code unknown;
  if (fs::exists(fs::symlink_status(out, unknown))) {
    throw InputError(fmt::format("{}: exists and is not a folder", out.string()));
  }
  throw SystemError(fmt::format("{}: cannot be made: {}", out.string(), error.message()));
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
  json["check"] = digest_of(line_of(json));
  return json.dump(2, ' ', false, DatasetJson::error_handler_t::replace) + "\n";
}

DatasetFile read_dataset_file(const fs::path& dataset) {
  const fs::path name = dataset / kDatasetName;
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
  } catch (const nlohmann::json::exception&) {  // reported below
  } catch (const InputError&) {
  }
  throw InputError(fmt::format(
      "{}: not as this version of fathom writes it; once it is removed, `fathom simulate --resume` writes it again",
      name.string()));
}

void open_dataset(const DatasetFile& file, const DatasetOptions& options) {
  const fs::path& out = options.run.out;
  const bool replaces = options.resume || options.run.force;
  make_folder_of(out);
  for (const std::string_view name : kNames) check_way(out, name);
  const auto there = dataset_in(out);
  if (there && is_same_dataset(*there, file)) {
    const std::string kept = dataset_text(*there);
    if (read_bytes(out / kDatasetName) != kept) write_whole_file(out / kDatasetName, kept);  // the end was torn
    return;
  }
  if (there && !replaces) {
    throw InputError(fmt::format(
        "{}: holds another dataset: other units, inputs, seed or version; --resume keeps the units that are "
        "the same, --force replaces all",
        out.string()));
  }
  if (there && !options.run.force && there->packs.files().format != file.packs.files().format) {
    throw InputError(fmt::format(
        "{}: holds a dataset of --format {}; --format {} keeps nothing of it: give another folder (--out), or --force",
        out.string(), to_string(there->packs.files().format), to_string(file.packs.files().format)));
  }
  if (there && !options.run.force && there->inputs == file.inputs && there->packs.files() != file.packs.files()) {
    throw InputError(fmt::format(
        "{}: holds files of --units-per-file {} and --compression {}; others keep nothing of them: give these, another "
        "folder (--out), or --force",
        out.string(), there->packs.files().units_per_file, there->packs.files().compression));
  }
  // Another shard may have made the file since dataset_in().
  if (!there && holds_others(out) && !fs::exists(out / kDatasetName)) {
    throw InputError(fmt::format("{}: holds something else than a dataset; give another folder (--out)", out.string()));
  }
  if (!there && !replaces && holds_packs(out) && !dataset_in(out)) {
    throw InputError(
        fmt::format("{}: holds units, and the {} that described them is lost; --resume keeps units that are the same",
                    out.string(), kDatasetName));
  }
  write_whole_file(out / kDatasetName, dataset_text(file));
}

}  // namespace fathom
