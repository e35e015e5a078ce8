// SPDX-License-Identifier: MIT
#include "log/png_chunks.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace fathom {

namespace {

constexpr std::size_t kPngSignature = 8;
constexpr std::size_t kChunkFrame = 12;  // length and type before the data, check sum behind

/// Calls visit(type, whole chunk) until it returns true or there is no further chunk; a last one may be cut short.
template <class Visit>
bool any_chunk(std::string_view bytes, Visit visit) {
  for (std::size_t at = kPngSignature; bytes.size() >= at + kChunkFrame;) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < 4; ++i) length = length << 8U | static_cast<std::uint8_t>(bytes[at + i]);
    if (visit(bytes.substr(at + 4, 4), bytes.substr(at, kChunkFrame + length))) return true;
    at += kChunkFrame + length;
  }
  return false;
}

}  // namespace

bool png_has_end(std::string_view bytes) {
  return any_chunk(bytes, [](std::string_view type, std::string_view) { return type == "IEND"; });
}

std::string png_levels_only(std::string_view bytes) {
  constexpr std::array<std::string_view, 4> kOfPixels = {"IHDR", "PLTE", "IDAT", "IEND"};
  std::string kept(bytes.substr(0, kPngSignature));
  any_chunk(bytes, [&](std::string_view type, std::string_view chunk) {
    if (std::find(kOfPixels.begin(), kOfPixels.end(), type) != kOfPixels.end()) kept += chunk;
    return false;
  });
  return kept;
}

}  // namespace fathom
