// SPDX-License-Identifier: MIT
// Any bytes as a scene file: accepted or refused with InputError, nothing else.

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <fathom/core/error.hpp>

#include "run/scene_file.hpp"

namespace {

/// Large numbers of rays are allowed as far as the memory goes; here they would only fill it.
bool asks_for_many_rays(std::string_view text) {
  int digits = 0;
  return std::any_of(text.begin(), text.end(), [&](char c) {
    digits = std::isdigit(static_cast<unsigned char>(c)) != 0 ? digits + 1 : 0;
    return digits > 3;
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (asks_for_many_rays(text)) return 0;
  try {
    // The folder does not exist, so that no file of this computer is read by chance.
    static_cast<void>(fathom::read_scene_text(text, "no_such_folder/scene.yaml", {}));
  } catch (const fathom::InputError&) {
  }
  return 0;
}
