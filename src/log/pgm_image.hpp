// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string_view>

#include "log/map_image.hpp"

namespace fathom {

/// The image in the bytes of a file that begin with P2 or P5. Throws InputError naming the file.
GreyImage read_pgm(const std::filesystem::path& file, std::string_view bytes);

}  // namespace fathom
