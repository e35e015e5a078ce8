// SPDX-License-Identifier: MIT
#pragma once
// The `noise` of a sensor. Models and their parameters come from the registry: a new model needs no change here.

#include <string>
#include <vector>

#include <fathom/scene/scene.hpp>
#include <fathom/sensor/presets.hpp>
#include <fathom/simulate/run.hpp>

#include "text/yaml_reader.hpp"

namespace fathom {

/// The typical noise of its preset, for a sensor whose map has no `noise`. Throws InputError where the other keys of
/// the map do not fit it.
void read_preset_noise(const YamlReader& map, const SensorPreset& preset, SensorSetup& setup);

/// A list of `slug: {parameters}` and of the word `preset`, which stands for the typical noise of the sensor's preset
/// (null when the sensor has none); or that word alone. A number may be a range (read_range.hpp). A model may have
/// `entities`, a map from names of the scene to parameters that differ there, or `rings`, a map from the numbers of the
/// sensor's rings; and a `correlation` of its draws. Fills the noise of the sensor, whose model is there already, and
/// the ranges, and adds a note for each parameter that does nothing beside the others.
void read_noise(const YamlReader& reader, const SensorPreset* preset, const Scene& scene, SensorSetup& setup,
                std::vector<std::string>& notes);

}  // namespace fathom
