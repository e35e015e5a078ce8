// SPDX-License-Identifier: MIT
#pragma once
// The format of HDF5. In each file, for U units of at most F frames:
//   /SENSOR/CHANNEL      [U, F, rows, cols] or, of points, [U, F, rows, cols, 3]; a chunk for each frame
//   /SENSOR/time_s       [U, F], when the frame was measured
//   /SENSOR/delivered_s  [U, F], of a sensor with a timing: when it arrived; NaN: it was dropped
//   /SENSOR/pose         [U, F, 7]: x, y, z, and the quaternion w, x, y, z; world from sensor, when the frame begins
//   /unit/index, environment, episode, first_frame, frames   [U]
//   /unit/parameters     [U]: JSON, what was drawn for the episode
// Frames that a shorter unit lacks are NaN, or 0 of whole numbers.

#include <filesystem>
#include <memory>
#include <string>

#include "dataset/dataset_file.hpp"
#include "dataset/pack_writer.hpp"
#include "simulate/prepare_run.hpp"

namespace fathom {

/// Whether several threads may write HDF5 at once: so the library was built.
bool hdf5_takes_threads();

/// Throws InputError for a sensor whose arrays have no place in a file, and in a build without HDF5.
void check_hdf5(const SceneSetup& setup);

/// After check_hdf5().
std::unique_ptr<PackWriter> make_hdf5_writer(const std::filesystem::path& dataset, const SceneSetup& setup,
                                             PreparedRun& run, const DatasetFile& file);

}  // namespace fathom
