// SPDX-License-Identifier: MIT
#pragma once
// Which arrays of a frame are kept, and their bytes.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fathom/frame/channel_list.hpp>
#include <fathom/frame/lost_value.hpp>
#include <fathom/outputs/npy.hpp>
#include <fathom/simulate/run.hpp>

namespace fathom {

struct ArrayPlan {
  Channel channel = Channel::kRange;
  std::optional<LostPolicy> lost = {};  ///< in place of lost ranges and depths; empty: what the frame holds
};

/// The arrays of an output, in the order of the channels.
std::vector<ArrayPlan> planned_arrays(const NpyOutput& output, const Sensor& sensor);

/// The arrays of a sensor: those of its `npy` outputs, and without one the channels that its outputs are made from.
std::vector<ArrayPlan> planned_arrays(const SensorSetup& setup);

/// What stands before the elements in a NPY file.
std::string npy_header(const Frame& frame, Channel channel);

/// The elements, an array [rows, cols], of points [rows, cols, 3], with several returns these in front: as they lie in
/// the frame, or else in `buffer`.
std::span<const std::byte> array_bytes(const Frame& frame, const ArrayPlan& plan, std::vector<float>& buffer);

}  // namespace fathom
