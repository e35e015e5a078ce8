// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fathom {

/// Unpacks what LibLZF packed: http://oldhome.schmorp.de/marc/liblzf.html. Throws InputError where the bytes do not
/// make exactly `size` bytes, or refer to what lies before the first.
std::string unpack_lzf(std::string_view packed, std::size_t size);

}  // namespace fathom
