// SPDX-License-Identifier: MIT
#pragma once
// Functions that kinds of output share.

#include <cstdint>
#include <string>
#include <string_view>

#include <fathom/files/pictures.hpp>
#include <fathom/outputs/kind.hpp>
#include <fathom/simulate/sensor.hpp>

namespace fathom {

inline constexpr std::uint64_t kHeaderBytes = 1024;  ///< of a cloud, an array or a log, at most
inline constexpr std::uint32_t kRgbBytes = 3, kGrey16Bytes = 2;

/// A file of every frame that is called as `first_file`, "cloud_000000.pcd", says, with `variant` behind the stem. How
/// it is written is still to be set.
OutputFile frame_file(std::string_view first_file, std::string_view variant = "");

/// The suffix of a picture's stem that says which return of each ray it shows, "_return1"; empty for the first of them,
/// number 0. Throws InputError for one that the sensor does not have.
std::string return_variant(const Sensor& sensor, std::uint32_t number);

/// f(frame), of a frame with several returns f(that one of each ray).
template <class F>
void with_return(const Frame& frame, std::uint32_t number, F f) {
  if (frame.returns() == 1) {
    f(frame);
  } else {
    f(frame.of_return(number));
  }
}

/// The suffix of a picture's stem: empty for the usual colours, so that the plain case has the plain name.
std::string_view color_variant(ColorBy color);

}  // namespace fathom
