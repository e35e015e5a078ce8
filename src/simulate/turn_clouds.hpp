// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include <fathom/calibrate/chain_frames.hpp>
#include <fathom/calibrate/wall.hpp>

#include "simulate/ring_rows.hpp"

namespace fathom {

/// Clouds of a lidar whose turns start anywhere, as frames with WallTurns: a ray with a point is the one through it,
/// and one without is that of its ring in a column of the turn. Where most clouds lie on grids, those that do not are
/// left out; else all are taken, and of losses nothing is known. Throws InputError as RingRows and find_turn_grid() do.
WallFrames read_turn_clouds(std::span<const FrameFile> files, const WallSensor& lidar, const RingRows& rows);

}  // namespace fathom
