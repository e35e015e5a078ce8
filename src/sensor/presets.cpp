// SPDX-License-Identifier: MIT
#include "sensor/presets.hpp"

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "base/text.hpp"

namespace fathom {

const std::vector<SensorPreset>& sensor_presets() {
  static const std::vector<SensorPreset> presets = [] {
    std::vector<SensorPreset> list;
    add_velodyne_presets(list);
    add_ouster_presets(list);
    add_livox_presets(list);
    add_laser2d_presets(list);
    add_depth_presets(list);
    return list;
  }();
  return presets;
}

const SensorPreset& find_preset(std::string_view name) {
  std::vector<std::string_view> names;
  for (const SensorPreset& preset : sensor_presets()) {
    if (preset.name == name) return preset;
    names.push_back(preset.name);
  }
  throw InputError(fmt::format("there is no sensor preset '{}'{}", name, nearest_hint(name, names)));
}

}  // namespace fathom
