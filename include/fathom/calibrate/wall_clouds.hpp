// SPDX-License-Identifier: MIT
#pragma once
// The rays of a lidar before a wall, and its clouds as frames of one (fathom/calibrate/wall.hpp).

#include <span>
#include <string>

#include <fathom/base/export.hpp>
#include <fathom/calibrate/chain_frames.hpp>
#include <fathom/calibrate/wall.hpp>
#include <fathom/sensor/kinds.hpp>

namespace fathom {

/// A lidar as a sensor of walls; `entry` as WallLidar::entry. Throws InputError for a model whose rays vary from frame
/// to frame or have fewer than two rows or columns.
FATHOM_API WallSensor wall_lidar(const SensorModel& model, std::string entry = {});

/// The lidar that a preset has, "OS1-64", or a file: an entry of `sensors:` of a scene file, as sensor.yaml is, or a
/// whole scene file with one sensor. Of the entry the rays count alone. Throws InputError naming file or preset, also
/// for a sensor that reports several returns of a ray.
FATHOM_API WallSensor find_wall_lidar(const std::string& preset_or_file);

/// Clouds of points in the sensor frame, a file for each frame, as read_cloud_frames() takes them: a point is of the
/// ray that it lies on, and rays without a point are lost. Where more than one point in a hundred of a cloud lies on no
/// ray, turns start anywhere, and frames have WallTurns: a point is of the ring that its elevation is nearest to (where
/// the file has a field `ring`: most elevations of its ring), its ray goes through it, and a ring without a point in a
/// column that others have points in is lost. Throws InputError naming the file as read_cloud_frames() does, when more
/// than one point in a hundred lies on no ring, to 0.2 degrees and what 30 mm beside the start of the ray are, and for
/// several returns of a ray.
FATHOM_API WallFrames read_wall_clouds(std::span<const FrameFile> files, const WallSensor& lidar);

}  // namespace fathom
