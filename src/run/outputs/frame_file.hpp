// SPDX-License-Identifier: MIT
#pragma once
// Functions that kinds of output share.

#include <cstdint>
#include <string>
#include <string_view>

#include <fathom/simulate/output.hpp>
#include <fathom/simulate/sensor.hpp>

namespace fathom {

inline constexpr std::uint64_t kHeaderBytes = 1024;  ///< of a cloud, an array or a log, at most

/// A file of every frame with names as `first_file`, "cloud_000000.pcd", and `variant` after the stem. The caller sets
/// bytes_at_most and write.
OutputFile frame_file(std::string_view first_file, std::string_view variant = "");

/// The suffix of a picture's stem for a return of each ray, "_return1"; empty for number 0, the first. Throws
/// InputError for a return that the sensor does not have.
std::string return_variant(const Sensor& sensor, std::uint32_t number);

/// Calls f with the frame; if it has several returns, with this return of each ray.
template <class F>
void with_return(const Frame& frame, std::uint32_t number, F f) {
  if (frame.returns() == 1) {
    f(frame);
  } else {
    f(frame.of_return(number));
  }
}

}  // namespace fathom
