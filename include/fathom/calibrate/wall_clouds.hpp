// SPDX-License-Identifier: MIT
#pragma once
// The rays of a lidar before a wall, and its clouds as frames of one (fathom/calibrate/wall.hpp).

#include <span>
#include <string>

#include <fathom/base/export.hpp>
#include <fathom/calibrate/chain_frames.hpp>
#include <fathom/calibrate/wall.hpp>
#include <fathom/sensor/model.hpp>

namespace fathom {

/// A lidar as a sensor of walls; `entry` as WallLidar::entry. Throws InputError for a model whose rays vary from frame
/// to frame or have fewer than two rows or columns.
FATHOM_API WallSensor wall_lidar(const SensorModel& model, std::string entry = {});

/// The lidar that a preset has, "OS1-64", or a file: an entry of `sensors:` of a scene file, as sensor.yaml is, or a
/// whole scene file with one sensor. Of the entry the rays count alone. Throws InputError naming file or preset, also
/// for a sensor that reports several returns of a ray.
FATHOM_API WallSensor find_wall_lidar(const std::string& preset_or_file);

/// Clouds of points in the sensor frame, a file for each frame, as read_cloud_frames() takes them: a point is of the
/// ray that it lies on, and rays without a point are lost. Throws InputError as that does.
FATHOM_API WallFrames read_wall_clouds(std::span<const FrameFile> files, const WallSensor& lidar);

}  // namespace fathom
