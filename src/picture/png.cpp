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
PngBytes encode(const std::filesystem::path& file, std::uint32_t width, std::uint32_t height, png_uint_32 format,
                const void* pixels) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = width;
  png.height = height;
  png.format = format;
  PngBytes bytes;
  bytes.size = PNG_IMAGE_PNG_SIZE_MAX(png);
  bytes.data = std::make_unique_for_overwrite<std::byte[]>(bytes.size);
  if (png_image_write_to_memory(&png, bytes.data.get(), &bytes.size, 0, pixels, 0, nullptr) == 0) {
    throw SystemError(
        fmt::format("{}: cannot encode a picture of {} x {} pixels: {}", file.string(), width, height, png.message));
  }
  return bytes;
}

void write_pixels(const std::filesystem::path& file, std::uint32_t width, std::uint32_t height, png_uint_32 format,
                  const void* pixels) {
  try {
    const PngBytes bytes = encode(file, width, height, format, pixels);
    WholeFile out(file);
    out.write(std::span<const std::byte>(bytes.data.get(), bytes.size));
    out.commit();
  } catch (const std::bad_alloc&) {
    throw SystemError(
        fmt::format("{}: a picture of {} x {} pixels does not fit in memory", file.string(), width, height));
  }
}

}  // namespace

std::string png_bytes(const Image& image) {
  const PngBytes bytes = encode("picture", image.width, image.height, PNG_FORMAT_RGB, image.pixels.data());
  return {reinterpret_cast<const char*>(bytes.data.get()), bytes.size};
}

void write_png(const std::filesystem::path& file, const Image& image) {
  write_pixels(file, image.width, image.height, PNG_FORMAT_RGB, image.pixels.data());
}

void write_grey16_png(const std::filesystem::path& file, std::uint32_t width, std::uint32_t height,
                      std::span<const std::uint16_t> levels) {
  write_pixels(file, width, height, PNG_FORMAT_LINEAR_Y, levels.data());
}

}  // namespace fathom
