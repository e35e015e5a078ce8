// SPDX-License-Identifier: MIT
#include "message/image.hpp"

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "base/text.hpp"

namespace fathom::msg {

void Image::check() const {
  std::uint64_t pixel_bytes = 0;  // of other encodings the bytes of a row are not known
  if (encoding == "32FC1") pixel_bytes = 4;
  if (encoding == "16UC1" || encoding == "mono16") pixel_bytes = 2;
  if (width * pixel_bytes > step || std::uint64_t{height} * step > data.size()) {
    throw InputError(fmt::format("{} rows of {} pixels '{}', step {}, do not fit into {} bytes of data", height, width,
                                 one_line(encoding), step, data.size()));
  }
}

}  // namespace fathom::msg
