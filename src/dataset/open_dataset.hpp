// SPDX-License-Identifier: MIT
#pragma once

#include "dataset/dataset_file.hpp"

namespace fathom {

/// Makes the folder of a dataset with its dataset.json, unless they are there; many processes may do so at once. Throws
/// InputError for a folder that holds something else, for links in it, and, without resume and force, for another
/// dataset or units whose dataset.json is lost. A dataset.json that differs in its command alone stays.
void open_dataset(const DatasetFile& file, const DatasetOptions& options);

}  // namespace fathom
