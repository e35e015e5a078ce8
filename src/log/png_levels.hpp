// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string_view>

#include "log/map_image.hpp"

namespace fathom {

/// A grey PNG of 8 or 16 bits by its stored levels: gamma and colour profiles are ignored. `white` says which: 255 or
/// 65535. `wanted` ends the refusal of colours: "heights are a grey picture of 8 or 16 bits". Throws InputError naming
/// the file, also for one that is cut short.
GreyImage read_png_levels(const std::filesystem::path& file, std::string_view bytes, std::string_view wanted);

}  // namespace fathom
