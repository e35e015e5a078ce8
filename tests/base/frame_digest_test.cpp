// SPDX-License-Identifier: MIT
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include <fathom/frame/digest.hpp>

#include "base/frame_writer.hpp"

namespace fathom::test {
namespace {

const ChannelSet kChannels = {Channel::kRange, Channel::kHitSensor, Channel::kEntityId, Channel::kRing,
                              Channel::kReason};

/// Number 7 at 0.5 s, 2 x 3 rays, each array counting up from 1.
Frame counting(ChannelSet channels = kChannels, std::uint32_t rows = 2, std::uint32_t cols = 3) {
  Frame frame(channels);
  FrameWriter writer(frame);
  writer.resize(rows, cols);
  writer.set_stamp(7, 0.5);
  for (std::uint32_t i = 0; i < 6; ++i) {
    if (float* range = writer.floats(Channel::kRange)) range[i] = static_cast<float>(i + 1);
    for (std::uint32_t k = 3 * i; k < 3 * i + 3; ++k) {
      if (float* hit = writer.floats(Channel::kHitSensor)) hit[k] = static_cast<float>(k + 1);
    }
    if (std::uint32_t* id = writer.entity_id()) id[i] = i + 1;
    if (std::uint16_t* ring = writer.ring()) ring[i] = static_cast<std::uint16_t>(i + 1);
    if (Reason* reason = writer.reason()) reason[i] = static_cast<Reason>(i + 1);
  }
  return frame;
}

std::string digest_of(const Frame& frame) {
  FrameDigest digest;
  digest.add(frame);
  return digest.text();
}

// From a program in another language that packs the bytes as the header says:
//   b = struct.pack('<IIId', 7, 2, 3, 0.5) + b'range' + struct.pack('<6f', *range(1, 7)) + b'hit_sensor' + ...
//   h = 0xcbf29ce484222325
//   for c in b: h = (h ^ c) * 0x100000001b3 % 2**64
TEST(FrameDigest, IsTheHashThatItsHeaderDescribes) {
  EXPECT_EQ(FrameDigest().text(), "cbf29ce484222325");
  EXPECT_EQ(digest_of(counting()), "accf04c40185e5ac");
  FrameDigest twice;
  twice.add(counting());
  twice.add(counting());
  EXPECT_EQ(twice.text(), "c1fc57b6fa24f2bd");
}

TEST(FrameDigest, EveryBitCounts) {
  const std::string whole = digest_of(counting());
  const auto changed = [&](auto change) {
    Frame frame = counting();
    change(FrameWriter(frame));
    return digest_of(frame);
  };
  EXPECT_EQ(changed([](FrameWriter) {}), whole);
  EXPECT_NE(changed([](FrameWriter w) { w.set_stamp(8, 0.5); }), whole);
  EXPECT_NE(changed([](FrameWriter w) { w.set_stamp(7, 0.5 + 0x1p-53); }), whole);
  EXPECT_NE(changed([](FrameWriter w) { w.set_time(7, 7, 0.5, 0.75); }), whole);
  EXPECT_NE(digest_of(counting(kChannels, 3, 2)), whole);
  for (std::size_t i = 0; i < 6; ++i) {
    for (int bit = 0; bit < 32; ++bit) {
      const auto flip = [bit](auto& value) {
        const auto byte = reinterpret_cast<unsigned char*>(&value) + bit / 8;
        *byte = static_cast<unsigned char>(*byte ^ (1U << (bit % 8)));
      };
      EXPECT_NE(changed([&](FrameWriter w) { flip(w.floats(Channel::kRange)[i]); }), whole);
      EXPECT_NE(changed([&](FrameWriter w) { flip(w.floats(Channel::kHitSensor)[12 + i]); }), whole);
      EXPECT_NE(changed([&](FrameWriter w) { flip(w.entity_id()[i]); }), whole);
      if (bit < 16) {
        EXPECT_NE(changed([&](FrameWriter w) { flip(w.ring()[i]); }), whole);
      }
      if (bit < 8) {
        EXPECT_NE(changed([&](FrameWriter w) { flip(w.reason()[i]); }), whole);
      }
    }
  }
}

TEST(FrameDigest, OrderAndChannelsCount) {
  Frame swapped = counting();
  std::swap(FrameWriter(swapped).floats(Channel::kRange)[1], FrameWriter(swapped).floats(Channel::kRange)[2]);
  EXPECT_NE(digest_of(swapped), digest_of(counting()));

  Frame later = counting();
  FrameWriter(later).set_stamp(8, 0.6);
  FrameDigest one, other;
  one.add(counting()), one.add(later);
  other.add(later), other.add(counting());
  EXPECT_NE(one.text(), other.text());

  // The same numbers under another name.
  Frame range(ChannelSet{Channel::kRange}), depth(ChannelSet{Channel::kDepth});
  FrameWriter(range).resize(1, 1), FrameWriter(depth).resize(1, 1);
  EXPECT_NE(digest_of(range), digest_of(depth));
  EXPECT_NE(digest_of(counting({Channel::kRange})), digest_of(counting({Channel::kRange, Channel::kRing})));
}

TEST(FrameDigest, TakesTheDigestsOfOthersInOrder) {
  // FNV-1a of these 16 characters.
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : std::string("0123456789abcdef")) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  FrameDigest one, two, swapped;
  one.add("0123456789abcdef");
  EXPECT_EQ(std::stoull(one.text(), nullptr, 16), hash);
  two.add("0123456789abcdef"), two.add("cbf29ce484222325");
  swapped.add("cbf29ce484222325"), swapped.add("0123456789abcdef");
  EXPECT_NE(two.text(), swapped.text());
}

}  // namespace
}  // namespace fathom::test
