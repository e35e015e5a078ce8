// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/files/height_fields.hpp>

#include "base/text.hpp"
#include "log/map_image.hpp"
#include "log/pgm_image.hpp"
#include "log/png_levels.hpp"
#include "text/npy.hpp"
#include "text/read_file.hpp"

namespace fathom {

namespace {

GreyImage read_levels(const std::filesystem::path& file) {
  const std::string bytes = read_file(file);
  if (bytes.starts_with("P5") || bytes.starts_with("P2")) return read_pgm(file, bytes);
  if (bytes.starts_with("\x89PNG")) {
    return read_png_levels(file, bytes, "heights are a grey picture of 8 or 16 bits");
  }
  fail_image(file, "is neither PNG nor PGM (P2, P5)");
}

void check_elevation(double elevation_m) {
  if (elevation_m > 0.0 && elevation_m <= kMostPrimitiveM) return;
  throw InputError(fmt::format("height_field.elevation_m = {} is not in (0, {}] m", number_text(elevation_m),
                               number_text(kMostPrimitiveM)));
}

HeightField heights_of(const GreyImage& image, const HeightImageOptions& options) {
  HeightField field;
  field.rows = image.rows;
  field.cols = image.cols;
  field.size_x_m = options.size_x_m;
  field.size_y_m = options.size_y_m;
  field.base_m = options.base_m;
  field.notes = image.notes;
  double low = 0.0, high = image.white;
  if (options.stretch) {
    const auto [least, most] = std::minmax_element(image.value.begin(), image.value.end());
    low = *least;
    high = std::max<double>(*most, low + 1.0);  // a picture of one level is flat
  }
  field.heights_m.reserve(image.value.size());
  for (std::uint32_t row = image.rows; row-- > 0;) {
    for (std::uint32_t col = 0; col < image.cols; ++col) {
      const double level = image.value[std::size_t{row} * image.cols + col];
      field.heights_m.push_back(static_cast<float>(options.elevation_m * ((level - low) / (high - low))));
    }
  }
  return field;
}

HeightField read_array(const std::filesystem::path& file) {
  const npy::Array array = npy::read(file);
  constexpr std::size_t kMostSide = 0xffffffffU;
  if (array.shape.size() != 2 || array.shape[0] > kMostSide || array.shape[1] > kMostSide) {
    throw InputError(fmt::format("{}: heights are an array of shape (rows, cols)", file.string()));
  }
  HeightField field;
  field.rows = static_cast<std::uint32_t>(array.shape[0]);
  field.cols = static_cast<std::uint32_t>(array.shape[1]);
  const std::size_t count = array.shape[0] * array.shape[1];
  field.heights_m.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double height_m = array.at(i);
    if (!(height_m >= -kMostPrimitiveM && height_m <= kMostPrimitiveM)) {
      throw InputError(fmt::format("{}: height [{}, {}] = {} is not in [{}, {}] m", file.string(), i / field.cols,
                                   i % field.cols, number_text(height_m), number_text(-kMostPrimitiveM),
                                   number_text(kMostPrimitiveM)));
    }
    field.heights_m.push_back(static_cast<float>(height_m));
  }
  return field;
}

}  // namespace

HeightField read_height_image(const std::filesystem::path& file, const HeightImageOptions& options) {
  check_elevation(options.elevation_m);
  return within_memory(file, [&] { return heights_of(read_levels(file), options); });
}

HeightField read_height_array(const std::filesystem::path& file) {
  return within_memory(file, [&] { return read_array(file); });
}

}  // namespace fathom
