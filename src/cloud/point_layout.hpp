// SPDX-License-Identifier: MIT
#pragma once
// How the points of a frame lie in memory: shared by every cloud format.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <fathom/files/clouds.hpp>
#include <fathom/frame/channel_list.hpp>
#include <fathom/frame/frame.hpp>

namespace fathom {

struct PointField {
  std::string_view name;
  ElementType type = ElementType::kFloat32;
  std::uint32_t offset = 0;  ///< bytes from the start of the point
  Channel channel = Channel::kRange;
  std::uint32_t plane = 0;  ///< x, y, z of a three-plane channel: 0, 1, 2
  bool is_return = false;   ///< of no channel: which return of its ray the point is
};

/// x y z, then the fields asked for that the frame holds, in the order of docs/output-formats.md, without padding.
struct PointLayout {
  std::vector<PointField> fields;
  std::uint32_t step = 0;  ///< bytes of a point
};

/// The elements that become points, in order: those that returned, or all where lost returns are kept.
std::vector<std::uint32_t> rays_kept(const Frame& frame, const CloudOptions& options);

/// The channel that x y z are of.
Channel position_channel(const CloudOptions& options);

/// `returns`: of each ray; points of several say last which they are.
PointLayout make_point_layout(const CloudOptions& options, ChannelSet present, std::uint32_t returns = 1);

/// Points, row-major [height, width, step bytes], little endian.
struct PackedCloud {
  PointLayout layout;
  std::uint32_t width = 0, height = 1;
  bool is_dense = true;  ///< no point is NaN
  std::unique_ptr<std::byte[]> data;

  [[nodiscard]] std::size_t points() const { return std::size_t{width} * height; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return {data.get(), points() * layout.step}; }
};

/// Lost returns (x is NaN) are left out, giving one row, or kept where they are, giving [returns * rows, cols].
/// Throws InputError when the frame lacks the points, SystemError when memory does.
PackedCloud pack_cloud(const Frame& frame, const CloudOptions& options);

}  // namespace fathom
