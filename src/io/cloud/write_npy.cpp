// SPDX-License-Identifier: MIT
#include <array>
#include <cmath>
#include <vector>

#include <fathom/core/error.hpp>
#include <fathom/files/clouds.hpp>
#include <fathom/frame/frame.hpp>

#include "core/text/files.hpp"
#include "core/text/formats.hpp"
#include "io/cloud/arrays.hpp"

namespace fathom {

std::vector<std::size_t> shape_of(const Frame& frame, Channel channel) {
  std::vector<std::size_t> shape;
  if (frame.returns() > 1) shape.push_back(frame.returns());
  shape.push_back(frame.rows()), shape.push_back(frame.cols());
  if (channel_info(channel).planes == 3) shape.push_back(3);
  return shape;
}

npy::Type npy_type(ElementType type) {
  switch (type) {
    case ElementType::kUint8:
      return npy::Type::kUint8;
    case ElementType::kUint16:
      return npy::Type::kUint16;
    case ElementType::kUint32:
      return npy::Type::kUint32;
    case ElementType::kFloat32:
      break;
  }
  return npy::Type::kFloat32;
}

namespace {

void write_array(const std::filesystem::path& file, npy::Type type, std::span<const std::size_t> shape,
                 std::span<const std::byte> bytes) {
  WholeFile out(file);
  out.write(npy::header(type, shape));
  out.write(bytes);
  out.commit();
}

/// The three planes as one array [..., 3].
std::vector<std::array<float, 3>> interleave(const Frame::Points& points) {
  std::vector<std::array<float, 3>> xyz(points.x.size());
  for (std::size_t i = 0; i < xyz.size(); ++i) xyz[i] = {points.x[i], points.y[i], points.z[i]};
  return xyz;
}

}  // namespace

namespace {

float value_of(const LostPolicy& policy) {
  switch (policy.value) {
    case LostValue::kZero:
      return 0.0F;
    case LostValue::kNan:
      return __builtin_nanf("");
    case LostValue::kInf:
      return __builtin_inff();
    case LostValue::kMinusOne:
      return -1.0F;
    case LostValue::kMax:
      break;
  }
  if (!(policy.max_m > 0.0F && std::isfinite(policy.max_m))) {
    throw InputError("lost pixels shall become the maximum range, and max_m is not a number above 0");
  }
  return policy.max_m;
}

}  // namespace

std::vector<float> replace_lost(const Frame& frame, Channel channel, const LostPolicy& policy) {
  const float lost = value_of(policy);
  const std::span<const float> values = frame.floats(channel);
  if (values.size() != frame.size()) throw InputError("points have no single value for a lost pixel");
  std::vector<float> out(values.begin(), values.end());
  for (float& v : out) {
    if (!std::isfinite(v)) v = lost;
  }
  return out;
}

void write_npy(const std::filesystem::path& file, const Frame& frame, Channel channel,
               const std::optional<LostPolicy>& policy) {
  const ChannelInfo& info = channel_info(channel);
  const npy::Type type = npy_type(info.type);
  const std::vector<std::size_t> shape = shape_of(frame, channel);
  if (policy) {
    const std::vector<float> values = replace_lost(frame, channel, *policy);
    write_array(file, type, shape, std::as_bytes(std::span(values)));
  } else if (info.planes == 1) {
    write_array(file, type, shape, elements_of(frame, channel));
  } else {
    const auto xyz = interleave(frame.points(channel));
    write_array(file, type, shape, std::as_bytes(std::span(xyz)));
  }
}

}  // namespace fathom
