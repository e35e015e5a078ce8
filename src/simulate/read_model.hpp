// SPDX-License-Identifier: MIT
#pragma once
// The parameters of a sensor: its kind or preset, and what the file sets of them.

#include <vector>

#include <fathom/sensor/model.hpp>
#include <fathom/sensor/presets.hpp>

#include "simulate/read_pose.hpp"
#include "simulate/read_range.hpp"
#include "text/yaml_reader.hpp"

namespace fathom {

/// `preset`: null where the file gives a type. The other keys of the map are left to map.finish().
/// Numbers that are ranges are set to their middles, and the ranges added to `ranges`.
SensorModel read_model(YamlReader& map, const SensorPreset* preset, SceneFiles& files,
                       std::vector<LocatedRange>& ranges);

/// Throws when fields of the model do not fit together; beside a preset, the file shows only some of these fields.
void check_model(const YamlReader& map, const SensorPreset* preset, const SensorModel& model);

}  // namespace fathom
