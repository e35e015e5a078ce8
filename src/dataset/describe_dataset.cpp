// SPDX-License-Identifier: MIT
#include "dataset/describe_dataset.hpp"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include <fathom/sensor/model.hpp>
#include <fathom/simulate/simulator.hpp>

#include "dataset/sensor_description.hpp"
#include "simulate/outputs/array_plan.hpp"

namespace fathom {

namespace {

/// Arrays of one frame of all sensors.
std::uint64_t frame_bytes(const SceneSetup& setup) {
  std::uint64_t bytes = 0;
  for (const SensorSetup& sensor : setup.sensors) {
    const PatternShape shape = pattern_shape(sensor.sensor.model);
    for (const ArrayPlan& plan : planned_arrays(sensor)) {
      bytes += sensor.sensor.returns.size() * shape.rows * shape.cols * channel_info(plan.channel).bytes();
    }
  }
  return bytes;
}

/// With a number of units in a file, where the options leave it open.
DatasetFiles resolved(const DatasetOptions& options, const SceneSetup& setup, const UnitList& units) {
  constexpr std::uint64_t kBytesOfFile = std::uint64_t{64} << 20U;
  DatasetFiles files = options.files;
  const std::uint64_t unit_bytes = std::max<std::uint64_t>(1, units.block() * frame_bytes(setup));
  if (files.units_per_file == 0) files.units_per_file = std::max<std::uint64_t>(1, kBytesOfFile / unit_bytes);
  return files;
}

std::string descriptions(const SceneSetup& setup) {
  auto list = nlohmann::ordered_json::array();
  for (const SensorSetup& sensor : setup.sensors) list.push_back(sensor_description(sensor, setup.scene));
  return list.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
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

}  // namespace fathom
