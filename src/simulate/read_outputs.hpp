// SPDX-License-Identifier: MIT
#pragma once
// The `outputs` of a sensor: which files it writes every frame.

#include <vector>

#include <fathom/simulate/run.hpp>

#include "text/yaml_reader.hpp"

namespace fathom {

/// The outputs of a sensor whose scene file lists none: a PCD cloud and a range image.
std::vector<Output> default_outputs();

/// A list of bare words (pcd, npy, depth_png, ...) and of `word: {options}`.
std::vector<Output> read_outputs(const YamlReader& list);

}  // namespace fathom
