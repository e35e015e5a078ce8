// SPDX-License-Identifier: MIT
#include <cmath>
#include <memory>
#include <new>

#include <fmt/format.h>
#include <png.h>

#include <fathom/core/error.hpp>
#include <fathom/files/pictures.hpp>

#include "core/text/files.hpp"
#include "io/picture/painter.hpp"

namespace fathom {

namespace {

struct PngBytes {
  std::unique_ptr<std::byte[]> data;
  png_alloc_size_t size = 0;
};

/// Uses the simplified interface of libpng, which has no long jumps.
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

namespace {

constexpr double kTopLevel = 65535.0;

std::uint16_t lost_level(const LostPolicy& policy, double per_m) {
  switch (policy.value) {
    case LostValue::kZero:
      return 0;
    case LostValue::kInf:
      return 65535;
    case LostValue::kMax: {
      const double level = std::round(double{policy.max_m} * per_m);
      if (level > 0.0 && level <= kTopLevel) return static_cast<std::uint16_t>(level);
      throw InputError(fmt::format("{} m at {} levels per metre is not in (0, 65535]", policy.max_m, per_m));
    }
    case LostValue::kNan:
    case LostValue::kMinusOne:
      break;
  }
  throw InputError("a 16-bit picture has no NaN and no -1 for lost pixels: choose zero, inf or max");
}

}  // namespace

std::vector<std::uint16_t> levels_of(std::span<const float> values, const LostPolicy& policy, double per_m,
                                     OffScale off_scale) {
  const std::uint16_t lost = lost_level(policy, per_m);
  std::vector<std::uint16_t> levels(values.size(), lost);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    const double level = std::round(double{values[i]} * per_m);
    if (!(level >= 0.0 && level <= kTopLevel)) {
      if (off_scale == OffScale::kLost) continue;
      throw InputError(fmt::format("pixel {}: {} m at {} levels per metre is not in [0, 65535]; choose fewer levels", i,
                                   values[i], per_m));
    }
    levels[i] = static_cast<std::uint16_t>(level);
  }
  return levels;
}

void write_depth_png(const std::filesystem::path& file, const Frame& frame, Channel channel, const LostPolicy& policy,
                     double per_m, OffScale off_scale) {
  if (frame.returns() > 1) return write_depth_png(file, frame.of_return(0), channel, policy, per_m, off_scale);
  if (!(per_m >= kLeastLevelsPerM && per_m <= kMostLevelsPerM)) {
    throw InputError(fmt::format("per_m = {} is not in [{}, {}] 1/m", per_m, kLeastLevelsPerM, kMostLevelsPerM));
  }
  if (frame.size() == 0) throw InputError(fmt::format("{}: a frame without rays makes no picture", file.string()));
  const std::span<const float> values = frame.floats(channel);
  if (values.size() != frame.size()) throw InputError("a depth picture needs one value per ray");
  const std::vector<std::uint16_t> levels = levels_of(values, policy, per_m, off_scale);
  write_grey16_png(file, frame.cols(), frame.rows(), levels);
}

}  // namespace fathom
