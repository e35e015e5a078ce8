// SPDX-License-Identifier: MIT
#include <memory>
#include <new>

#include <fmt/format.h>
#include <png.h>

#include <fathom/base/error.hpp>

#include "picture/image.hpp"
#include "text/whole_file.hpp"

namespace fathom {

namespace {

struct PngBytes {
  std::unique_ptr<std::byte[]> data;
  png_alloc_size_t size = 0;
};

/// The simplified interface of libpng: no jumps out of C code.
PngBytes encode(const Image& image, const std::filesystem::path& file) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = image.width;
  png.height = image.height;
  png.format = PNG_FORMAT_RGB;
  PngBytes bytes;
  bytes.size = PNG_IMAGE_PNG_SIZE_MAX(png);
  bytes.data = std::make_unique_for_overwrite<std::byte[]>(bytes.size);
  if (png_image_write_to_memory(&png, bytes.data.get(), &bytes.size, 0, image.pixels.data(), 0, nullptr) == 0) {
    throw SystemError(fmt::format("{}: cannot encode a picture of {} x {} pixels: {}", file.string(), image.width,
                                  image.height, png.message));
  }
  return bytes;
}

}  // namespace

void write_png(const std::filesystem::path& file, const Image& image) {
  try {
    const PngBytes bytes = encode(image, file);
    WholeFile out(file);
    out.write(std::span<const std::byte>(bytes.data.get(), bytes.size));
    out.commit();
  } catch (const std::bad_alloc&) {
    throw SystemError(fmt::format("{}: a picture of {} x {} pixels does not fit in memory", file.string(), image.width,
                                  image.height));
  }
}

}  // namespace fathom
