// SPDX-License-Identifier: MIT
#include <fathom/frame/frame.hpp>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "base/frame_writer.hpp"

namespace fathom {

namespace {

constexpr bool is_points(Channel c) {
  return c == Channel::kHitWorld || c == Channel::kHitSensor || c == Channel::kNormal || c == Channel::kCleanHit;
}

constexpr bool is_float(Channel c) {
  return c != Channel::kEntityId && c != Channel::kTriangleId && c != Channel::kRing && c != Channel::kReason;
}

}  // namespace

void Frame::require(Channel channel) const {
  if (!channels_.contains(channel)) {
    throw InputError(fmt::format("channel '{}' was not asked for when the frame was made", to_string(channel)));
  }
}

std::span<const float> Frame::floats(Channel channel) const {
  require(channel);
  if (!is_float(channel)) throw InputError(fmt::format("channel '{}' does not hold floats", to_string(channel)));
  return floats_[static_cast<std::size_t>(channel)];
}

PointSpan Frame::points(Channel channel) const {
  if (!is_points(channel)) throw InputError(fmt::format("channel '{}' does not hold points", to_string(channel)));
  const std::span<const float> all = floats(channel);
  return {all.subspan(0, size()), all.subspan(size(), size()), all.subspan(2 * size(), size())};
}

std::span<const std::uint32_t> Frame::entity_id() const { return require(Channel::kEntityId), entity_id_; }
std::span<const std::uint32_t> Frame::triangle_id() const { return require(Channel::kTriangleId), triangle_id_; }
std::span<const std::uint16_t> Frame::ring() const { return require(Channel::kRing), ring_; }
std::span<const Reason> Frame::reason() const { return require(Channel::kReason), reason_; }

std::array<std::uint64_t, kReasonNames.size()> Frame::count_reasons() const {
  std::array<std::uint64_t, kReasonNames.size()> counts{};
  for (const Reason r : reason()) ++counts[static_cast<std::size_t>(r)];
  return counts;
}

void FrameWriter::resize(std::uint32_t rows, std::uint32_t cols) {
  Frame& f = frame_;
  f.rows_ = rows, f.cols_ = cols;
  for (std::size_t i = 0; i < kChannelCount; ++i) {
    const auto channel = static_cast<Channel>(i);
    if (f.channels_.contains(channel) && is_float(channel)) {
      f.floats_[i].resize(f.size() * (is_points(channel) ? 3 : 1));
    }
  }
  if (f.channels_.contains(Channel::kEntityId)) f.entity_id_.resize(f.size());
  if (f.channels_.contains(Channel::kTriangleId)) f.triangle_id_.resize(f.size());
  if (f.channels_.contains(Channel::kRing)) f.ring_.resize(f.size());
  if (f.channels_.contains(Channel::kReason)) f.reason_.resize(f.size());
}

float* FrameWriter::floats(Channel channel) {
  return frame_.channels_.contains(channel) ? frame_.floats_[static_cast<std::size_t>(channel)].data() : nullptr;
}
std::uint32_t* FrameWriter::entity_id() {
  return frame_.channels_.contains(Channel::kEntityId) ? frame_.entity_id_.data() : nullptr;
}
std::uint32_t* FrameWriter::triangle_id() {
  return frame_.channels_.contains(Channel::kTriangleId) ? frame_.triangle_id_.data() : nullptr;
}
std::uint16_t* FrameWriter::ring() { return frame_.channels_.contains(Channel::kRing) ? frame_.ring_.data() : nullptr; }
Reason* FrameWriter::reason() { return frame_.channels_.contains(Channel::kReason) ? frame_.reason_.data() : nullptr; }

}  // namespace fathom
