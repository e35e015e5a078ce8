// SPDX-License-Identifier: MIT
#include "message/compressed_image.hpp"

#include <cmath>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "base/text.hpp"

namespace fathom::msg {

namespace {

constexpr std::string_view kDepthTransport = "compressedDepth";
constexpr std::size_t kDepthConfig = 12;      // int32 format, float32 a, float32 b
constexpr std::size_t kPngHead = 29;          // signature, and IHDR as far as its interlacing
constexpr std::uint64_t kMostDeflate = 1032;  // bytes that one byte of deflate can become
constexpr std::string_view kPngBegin("\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR", 16);

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::uint32_t big_endian_at(std::span<const std::byte> bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8U | static_cast<std::uint32_t>(bytes[at + i]);
  return value;
}

/// Size and kind of the PNG by its first chunk. Its sides are checked against the bytes, which keeps bombs out.
void read_png_head(CompressedDepth& depth) {
  const std::span<const std::byte> png = depth.png;
  if (png.size() < kPngHead || std::memcmp(png.data(), kPngBegin.data(), kPngBegin.size()) != 0) {
    throw InputError(fmt::format("no PNG follows the {} bytes of configuration", kDepthConfig));
  }
  depth.cols = big_endian_at(png, 16), depth.rows = big_endian_at(png, 20);
  const auto bits = static_cast<unsigned>(png[24]), color = static_cast<unsigned>(png[25]);
  if (bits != 16 || color != 0) {
    throw InputError(fmt::format("the PNG has {} bits and colour type {}; depths are grey, of 16 bits", bits, color));
  }
  const std::uint64_t pixels = std::uint64_t{depth.rows} * depth.cols;
  if (pixels == 0 || pixels / kMostDeflate > png.size()) {
    throw InputError(fmt::format("a PNG of {} bytes cannot hold {} x {} pixels", png.size(), depth.cols, depth.rows));
  }
}

}  // namespace

std::optional<CompressedDepth> CompressedImage::depth() const {
  const std::string_view text = format;
  const std::size_t at = text.find(kDepthTransport);
  if (at == std::string_view::npos) return {};
  std::string_view encoding = trimmed(text.substr(0, at));
  if (encoding.ends_with(';')) encoding = trimmed(encoding.substr(0, encoding.size() - 1));
  const std::string_view packing = trimmed(text.substr(at + kDepthTransport.size()));
  if (!packing.empty() && packing != "png") {
    const std::string_view name = packing == "rvl" ? "RVL" : packing;
    throw InputError(fmt::format("'{}': depths as {} are not read, only as PNG", one_line(text), one_line(name)));
  }
  CompressedDepth depth;
  depth.is_inverse = encoding == "32FC1";
  if (!depth.is_inverse && encoding != "16UC1" && encoding != "mono16") {
    throw InputError(fmt::format("'{}': of depths 16UC1, mono16 and 32FC1 are read", one_line(text)));
  }
  if (data.size() < kDepthConfig) {
    throw InputError(
        fmt::format("{} bytes of depths, and their configuration alone has {}", data.size(), kDepthConfig));
  }
  std::int32_t method = 0;
  std::memcpy(&method, data.data(), sizeof(method));
  std::memcpy(&depth.a, data.data() + 4, sizeof(depth.a));
  std::memcpy(&depth.b, data.data() + 8, sizeof(depth.b));
  if (method != 0 && method != -1) {
    throw InputError(fmt::format("the configuration names the format {}, and only 0 (inverse depth) is known", method));
  }
  if (depth.is_inverse && !(depth.a > 0.0F && std::isfinite(depth.a) && std::isfinite(depth.b))) {
    throw InputError(
        fmt::format("the configuration has the parameters {} and {}: not a finite pair with the first "
                    "above 0",
                    depth.a, depth.b));
  }
  depth.png = data.subspan(kDepthConfig);
  read_png_head(depth);
  return depth;
}

}  // namespace fathom::msg
