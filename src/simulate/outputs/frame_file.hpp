// SPDX-License-Identifier: MIT
#pragma once
// Functions that kinds of output share.

#include <cstdint>
#include <string_view>

#include <fathom/files/pictures.hpp>
#include <fathom/outputs/kind.hpp>

namespace fathom {

inline constexpr std::uint64_t kHeaderBytes = 1024;  ///< of a cloud, an array or a log, at most
inline constexpr std::uint32_t kRgbBytes = 3, kGrey16Bytes = 2;

/// A file of every frame that is called as `first_file`, "cloud_000000.pcd", says, with `variant` behind the stem. How
/// it is written is still to be set.
OutputFile frame_file(std::string_view first_file, std::string_view variant = "");

/// The suffix of a picture's stem: empty for the usual colours, so that the plain case has the plain name.
std::string_view color_variant(ColorBy color);

}  // namespace fathom
