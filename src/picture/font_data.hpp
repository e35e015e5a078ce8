// SPDX-License-Identifier: MIT
#pragma once
// The font of all pictures, DejaVu Sans, as bytes of the library: nothing is looked for at run time, and a picture has
// the same letters on every computer that has this build.

#include <cstddef>
#include <span>

namespace fathom {

/// A whole TrueType file.
std::span<const std::byte> font_file();

}  // namespace fathom
