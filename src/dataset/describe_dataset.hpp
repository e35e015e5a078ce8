// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "dataset/dataset_file.hpp"

namespace fathom {

/// What dataset.json says of the units of the options, with a number of units in a file where they leave it open.
/// `inputs`: digest of them.
DatasetFile describe_dataset(const SceneSetup& setup, const DatasetOptions& options, std::string inputs);

}  // namespace fathom
