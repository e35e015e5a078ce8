// SPDX-License-Identifier: MIT
#pragma once
// The arrays that are kept of a frame, and their bytes.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fathom/frame/frame.hpp>
#include <fathom/simulate/output_kinds.hpp>
#include <fathom/simulate/run.hpp>

namespace fathom {

struct ArrayPlan {
  Channel channel = Channel::kRange;
  std::optional<LostPolicy> lost = {};  ///< instead of lost ranges and depths; empty: the values of the frame
};

/// The arrays of an output, in the order of the channels.
std::vector<ArrayPlan> planned_arrays(const NpyOutput& output, const Sensor& sensor);

/// The arrays of a sensor: of its `npy` outputs or, without such an output, the channels that its outputs need.
std::vector<ArrayPlan> planned_arrays(const SensorSetup& setup);

/// The part of a NPY file before the elements.
std::string npy_header(const Frame& frame, Channel channel);

/// The elements, an array [rows, cols], for points [rows, cols, 3], with a first axis for several returns. The span
/// shows the memory of the frame or `buffer`.
std::span<const std::byte> array_bytes(const Frame& frame, const ArrayPlan& plan, std::vector<float>& buffer);

}  // namespace fathom
