// SPDX-License-Identifier: MIT
#pragma once
// Frames with known contents.

#include <fathom/frame/frame.hpp>

#include "frame/frame_writer.hpp"
#include "support/expect.hpp"

namespace fathom::test {

inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

inline ChannelSet all_channels() {
  ChannelSet all;
  for (std::size_t i = 0; i < kChannelCount; ++i) all.insert(static_cast<Channel>(i));
  return all;
}

/// The value of any channel, whatever its type.
inline double value_at(const Frame& frame, Channel channel, std::size_t plane, std::size_t ray) {
  switch (channel) {
    case Channel::kEntityId:
      return frame.entity_id()[ray];
    case Channel::kTriangleId:
      return frame.triangle_id()[ray];
    case Channel::kLabel:
      return frame.label()[ray];
    case Channel::kRing:
      return frame.ring()[ray];
    case Channel::kReason:
      return static_cast<double>(frame.reason()[ray]);
    case Channel::kPath:
      return frame.path()[ray];
    default:
      return frame.floats(channel)[plane * frame.size() + ray];
  }
}

/// A frame of every channel with different values everywhere; ray i has a return if is_hit(i).
template <class IsHit>
Frame filled_frame(std::uint32_t rows, std::uint32_t cols, IsHit is_hit) {
  Frame frame(all_channels());
  FrameWriter(frame).resize(rows, cols);
  const std::size_t n = frame.size();
  for (std::size_t c = 0; c < kChannelCount; ++c) {
    const auto channel = static_cast<Channel>(c);
    float* const data = FrameWriter(frame).floats(channel);
    if (data == nullptr || frame.floats(channel).empty()) continue;
    for (std::size_t i = 0; i < frame.floats(channel).size(); ++i) {
      data[i] = static_cast<float>(c) * 1000.0F + static_cast<float>(i) * 0.37F - 5.0F;
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    FrameWriter(frame).entity_id()[i] = static_cast<std::uint32_t>(4000000000U + i);
    FrameWriter(frame).triangle_id()[i] = static_cast<std::uint32_t>(3 * i);
    FrameWriter(frame).label()[i] = static_cast<std::uint32_t>(i % 40);
    FrameWriter(frame).path()[i] = static_cast<std::uint8_t>(i % 4);
    FrameWriter(frame).ring()[i] = static_cast<std::uint16_t>(65000 + i);
    FrameWriter(frame).reason()[i] = is_hit(i) ? Reason::kHit : static_cast<Reason>(1 + i % 11);
    if (is_hit(i)) continue;
    FrameWriter(frame).floats(Channel::kRange)[i] = kNan;
    for (const Channel channel : {Channel::kHitWorld, Channel::kHitSensor}) {
      for (std::size_t plane = 0; plane < 3; ++plane) FrameWriter(frame).floats(channel)[plane * n + i] = kNan;
    }
  }
  return frame;
}

/// For properties: 0 to 20 rows and columns, any rays lost.
inline Frame random_frame() {
  const auto rows = *rc::gen::inRange<std::uint32_t>(0, 20), cols = *rc::gen::inRange<std::uint32_t>(0, 20);
  const auto hits = *rc::gen::container<std::vector<bool>>(rows * cols, rc::gen::arbitrary<bool>());
  return filled_frame(rows, cols, [&](std::size_t i) { return static_cast<bool>(hits[i]); });
}

}  // namespace fathom::test
