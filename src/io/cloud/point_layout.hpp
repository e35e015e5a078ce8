// SPDX-License-Identifier: MIT
#pragma once
// The points of a frame as bytes, for every format of files.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/files/clouds.hpp>
#include <fathom/frame/frame.hpp>

namespace fathom {

struct PointField {
  std::string_view name;
  ElementType type = ElementType::kFloat32;
  std::uint32_t offset = 0;  ///< bytes from the start of the point
  Channel channel = Channel::kRange;
  std::uint32_t plane = 0;  ///< x, y, z of a three-plane channel: 0, 1, 2
  bool is_return = false;   ///< the number of the return, instead of a channel
};

/// x y z, then the requested fields of the frame in the order of docs/output-formats.md, without padding.
struct PointLayout {
  std::vector<PointField> fields;
  std::uint32_t step = 0;  ///< bytes of a point
};

/// The elements that become points, in order: returns, or all elements if lost returns are kept.
std::vector<std::uint32_t> rays_kept(const Frame& frame, const CloudOptions& options);

/// The channel of x y z.
Channel position_channel(const CloudOptions& options);

/// With several `returns` of each ray, the last field is the number of the return.
PointLayout make_point_layout(const CloudOptions& options, ChannelSet present, std::uint32_t returns = 1);

/// Points, row-major [height, width, step bytes], little endian.
struct PackedCloud {
  PointLayout layout;
  std::uint32_t width = 0, height = 1;
  std::unique_ptr<std::byte[]> data;

  [[nodiscard]] std::size_t points() const { return std::size_t{width} * height; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return {data.get(), points() * layout.step}; }
};

/// Omits lost returns (x is NaN) and gives one row, or keeps them and gives [returns * rows, cols]. Throws InputError
/// if the frame lacks the points, SystemError if memory does not suffice.
PackedCloud pack_cloud(const Frame& frame, const CloudOptions& options);

/// The header of a PCD file, version 0.7: https://pointclouds.org/documentation/tutorials/pcd_file_format.html
class PcdHeader {
 public:
  void add(std::string_view name, std::size_t size, char type, std::uint32_t count = 1);
  [[nodiscard]] std::string text(std::size_t width, std::size_t height) const;

 private:
  std::string fields_, sizes_, types_, counts_;
};

}  // namespace fathom
