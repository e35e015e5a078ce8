// SPDX-License-Identifier: MIT
#include <array>
#include <vector>

#include <fathom/files/arrays.hpp>
#include <fathom/frame/channel_list.hpp>

#include "cloud/elements.hpp"
#include "text/npy.hpp"
#include "text/whole_file.hpp"

namespace fathom {

namespace {

void write_array(const std::filesystem::path& file, npy::Type type, std::span<const std::size_t> shape,
                 std::span<const std::byte> bytes) {
  WholeFile out(file);
  out.write(npy::header(type, shape));
  out.write(bytes);
  out.commit();
}

/// The three planes as one array [..., 3].
std::vector<std::array<float, 3>> interleave(const PointSpan& points) {
  std::vector<std::array<float, 3>> xyz(points.x.size());
  for (std::size_t i = 0; i < xyz.size(); ++i) xyz[i] = {points.x[i], points.y[i], points.z[i]};
  return xyz;
}

}  // namespace

void write_npy(const std::filesystem::path& file, const Frame& frame, Channel channel) {
  const ChannelInfo& info = channel_info(channel);
  const npy::Type type = npy_type(info.type);
  const std::vector<std::size_t> shape = shape_of(frame, channel);
  if (info.planes == 1) return write_array(file, type, shape, elements_of(frame, channel));
  const auto xyz = interleave(frame.points(channel));
  write_array(file, type, shape, std::as_bytes(std::span(xyz)));
}

}  // namespace fathom
