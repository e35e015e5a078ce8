#pragma once
// How large the pictures of a run become, before there is one.

#include <cstdint>

#include <fathom/run.hpp>

namespace fathom {

/// Of the PNG file that this output writes for a frame of `rows` x `cols` rays, at most: nothing in it compressed.
/// `by_angle`: a range image shows the rays by their angles (file_plan.hpp).
std::uint64_t picture_bytes_at_most(const SensorOutput& output, std::uint32_t rows, std::uint32_t cols, bool by_angle);

}  // namespace fathom
