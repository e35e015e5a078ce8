// SPDX-License-Identifier: MIT
// Depth images of OpenEXR, by the code of the module: an image or an InputError of one line.

#include <cstdint>
#include <string>

#include "in_memory.hpp"
#include "io/picture/float_image.hpp"

extern "C" void fathom_exr_functions(fathom::ExrFunctions& functions);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fathom::ExrFunctions functions = [] {
    fathom::ExrFunctions found;
    fathom_exr_functions(found);
    return found;
  }();
  fathom::fuzz::expect_answer([&] {
    fathom::FloatImage image;
    functions.read({reinterpret_cast<const char*>(data), size}, image);
  });
  return 0;
}
