// SPDX-License-Identifier: MIT
#pragma once
// A PNG as the chunks that it is made of, without decoding them.

#include <string>
#include <string_view>

namespace fathom {

/// Whether the chunks of a PNG go on to the one that ends it; libpng is content with all pixels.
bool png_has_end(std::string_view bytes);

/// The PNG with only those chunks that hold pixels: decoded, it has the levels as they are stored, whatever the file
/// says of gamma and colour profiles.
std::string png_levels_only(std::string_view bytes);

}  // namespace fathom
