// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/files/pictures.hpp>
#include <fathom/frame/frame.hpp>

#include "core/text/files.hpp"
#include "core/text/text_lines.hpp"
#include "io/log/grey_image.hpp"
#include "io/picture/float_image.hpp"

namespace fathom {

namespace {

static_assert(std::endian::native == std::endian::little, "PFM files are read in the order of memory");

float swapped(float value) {
  auto bytes = std::bit_cast<std::array<std::byte, sizeof(float)>>(value);
  std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<float>(bytes);
}

/// The words of the header; a single blank ends each.
class PfmHeader {
 public:
  explicit PfmHeader(std::string_view bytes) : rest_(bytes) {}
  std::string_view word() {
    const std::size_t end = std::min(rest_.find_first_of(" \t\r\n"), rest_.size());
    const std::string_view found = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return found;
  }
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

}  // namespace

FloatImage read_pfm(const std::filesystem::path& file) {
  const std::string bytes = read_file(file);
  PfmHeader header(bytes);
  if (const std::string_view magic = header.word(); magic != "Pf") {
    fail_image(file, magic == "PF" ? "has colours; depths are a PFM of one channel (Pf)" : "is no PFM (Pf)");
  }
  const auto cols = parse_number<std::uint32_t>(header.word()), rows = parse_number<std::uint32_t>(header.word());
  const auto scale = parse_number<double>(header.word());
  if (!cols || !rows || !scale || !std::isfinite(*scale) || *scale == 0.0) {
    fail_image(file, "its header has no width, height and scale, in three lines");
  }
  check_image_sides(file, *cols, *rows);
  FloatImage image{.rows = *rows, .cols = *cols, .big_endian = *scale > 0.0, .value = {}};
  const std::size_t row_bytes = *cols * sizeof(float), needed = *rows * row_bytes;
  const std::string_view data = header.rest();
  if (data.size() < needed) {
    fail_image(file, fmt::format("{} x {} pixels need {} bytes, {} are there", *cols, *rows, needed, data.size()));
  }
  image.value.resize(std::size_t{*rows} * *cols);
  for (std::size_t row = 0; row < *rows; ++row) {
    std::memcpy(&image.value[(*rows - 1 - row) * *cols], data.data() + row * row_bytes, row_bytes);
  }
  if (image.big_endian) std::ranges::transform(image.value, image.value.begin(), swapped);
  return image;
}

void write_pfm(const std::filesystem::path& file, const Frame& frame, Channel channel, bool big_endian) {
  const std::span<const float> values = frame.floats(channel);
  if (frame.size() == 0 || values.size() != frame.size()) throw InputError("a PFM needs one value per ray");
  std::vector<float> bottom_up;
  for (std::size_t row = frame.returns() * frame.rows(); row-- > 0;) {
    const std::span<const float> line = values.subspan(row * frame.cols(), frame.cols());
    bottom_up.insert(bottom_up.end(), line.begin(), line.end());
  }
  if (big_endian) std::ranges::transform(bottom_up, bottom_up.begin(), swapped);
  WholeFile out(file);
  out.write(fmt::format("Pf\n{} {}\n{}\n", frame.cols(), frame.returns() * frame.rows(), big_endian ? "1.0" : "-1.0"));
  out.write(std::as_bytes(std::span(bottom_up)));
  out.commit();
}

}  // namespace fathom
