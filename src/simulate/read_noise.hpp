#pragma once
// The `noise` of a sensor. Models and their parameters come from the registry: a new model needs no change here.

#include <vector>

#include <fathom/scene.hpp>
#include <fathom/sensor.hpp>

#include "simulate/yaml_reader.hpp"

namespace fathom {

/// A list of `slug: {parameters}` and of the word `preset`, which stands for the typical noise of the sensor's preset
/// (null when the sensor has none); or that word alone. A model may have `entities`, a map from names of the scene to
/// parameters that differ there. Fills noise and entity_noise of the sensor.
void read_noise(const YamlReader& reader, const SensorPreset* preset, const Scene& scene, Sensor& sensor);

}  // namespace fathom
