// SPDX-License-Identifier: MIT
#include <fathom/frame/digest.hpp>
#include <fathom/frame/frame.hpp>

#include "frame/frame_writer.hpp"
#include "support/expect.hpp"

namespace fathom::test {
namespace {

constexpr ChannelSet all_channels() {
  ChannelSet set;
  for (std::size_t i = 0; i < kChannelCount; ++i) set.insert(static_cast<Channel>(i));
  return set;
}

TEST(Channels, SetsAreSets) {
  const ChannelSet a = {Channel::kRange, Channel::kReason}, b = {Channel::kRing};
  EXPECT_TRUE(a.contains(Channel::kReason));
  EXPECT_FALSE(a.contains(Channel::kRing));
  EXPECT_EQ(a | b, (ChannelSet{Channel::kReason, Channel::kRing, Channel::kRange}));
}

TEST(Frame, HoldsTheChannelsAskedForAndNoOther) {
  for (std::size_t i = 0; i < kChannelCount; ++i) {
    const auto channel = static_cast<Channel>(i);
    Frame frame(ChannelSet{channel});
    FrameWriter(frame).resize(2, 3);
    int held = FrameWriter(frame).entity_id() != nullptr;
    held += FrameWriter(frame).triangle_id() != nullptr;
    held += FrameWriter(frame).label() != nullptr;
    held += FrameWriter(frame).ring() != nullptr;
    held += FrameWriter(frame).reason() != nullptr;
    held += FrameWriter(frame).path() != nullptr;
    for (std::size_t k = 0; k < kChannelCount; ++k) {
      const auto other = static_cast<Channel>(k);
      held += other != Channel::kEntityId && other != Channel::kTriangleId && other != Channel::kRing &&
              other != Channel::kReason && other != Channel::kLabel && other != Channel::kPath &&
              FrameWriter(frame).floats(other) != nullptr;
    }
    EXPECT_EQ(held, 1) << to_string(channel);
  }
}

TEST(Frame, ReadsBackWhatTheRendererWrote) {
  Frame frame(all_channels());
  FrameWriter(frame).resize(2, 3);
  FrameWriter(frame).set_stamp(7, 0.5);
  EXPECT_EQ(frame.delivered_s(), 0.5);
  EXPECT_EQ(frame.content_index(), 7U);
  EXPECT_FALSE(frame.is_dropped());
  EXPECT_EQ(frame.index(), 7U);
  EXPECT_EQ(frame.stamp_s(), 0.5);
  EXPECT_EQ(frame.rows(), 2U);
  EXPECT_EQ(frame.cols(), 3U);
  float* points = FrameWriter(frame).floats(Channel::kHitSensor);
  std::iota(points, points + 18, 0.0F);
  const Frame::Points p = frame.hit_sensor_m();
  ASSERT_EQ(p.x.size(), 6U);
  EXPECT_EQ(p.x[5], 5.0F);
  EXPECT_EQ(p.y[0], 6.0F);
  EXPECT_EQ(p.z[5], 17.0F);
  FrameWriter(frame).floats(Channel::kIntensity)[4] = 0.25F;
  EXPECT_EQ(frame.intensity()[4], 0.25F);
  FrameWriter(frame).entity_id()[1] = 9;
  EXPECT_EQ(frame.entity_id()[1], 9U);
  FrameWriter(frame).triangle_id()[2] = 8;
  EXPECT_EQ(frame.triangle_id()[2], 8U);
  FrameWriter(frame).ring()[3] = 65535;
  EXPECT_EQ(frame.ring()[3], 65535U);
}

TEST(Frame, CountsReasons) {
  Frame frame(ChannelSet{Channel::kReason});
  FrameWriter(frame).resize(1, 5);
  const Reason written[] = {Reason::kHit, Reason::kMiss, Reason::kHit, Reason::kMasked, Reason::kDropout};
  std::copy(std::begin(written), std::end(written), FrameWriter(frame).reason());
  const auto counts = frame.count_reasons();
  EXPECT_EQ(counts[static_cast<std::size_t>(Reason::kHit)], 2U);
  EXPECT_EQ(counts[static_cast<std::size_t>(Reason::kMiss)], 1U);
  EXPECT_EQ(counts[static_cast<std::size_t>(Reason::kMasked)], 1U);
  EXPECT_EQ(counts[static_cast<std::size_t>(Reason::kDropout)], 1U);
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}), 5U);
}

TEST(Frame, NamesTheChannelThatWasNotAskedFor) {
  Frame frame(ChannelSet{Channel::kRange, Channel::kEntityId, Channel::kNormal});
  FrameWriter(frame).resize(1, 1);
  const auto not_asked = [](const char* name) {
    return "channel '" + std::string(name) + "' was not asked for when the frame was made";
  };
  EXPECT_EQ(input_error([&] { (void)frame.clean_range_m(); }), not_asked("clean_range"));
  EXPECT_EQ(input_error([&] { (void)frame.reason(); }), not_asked("reason"));
  EXPECT_EQ(input_error([&] { (void)frame.count_reasons(); }), not_asked("reason"));
  EXPECT_EQ(input_error([&] { (void)frame.hit_world_m(); }), not_asked("hit_world"));
  EXPECT_EQ(input_error([&] { (void)frame.floats(Channel::kEntityId); }), "channel 'entity_id' does not hold floats");
  EXPECT_EQ(input_error([&] { (void)frame.points(Channel::kRange); }), "channel 'range' does not hold points");
  EXPECT_EQ(input_error([&] { (void)frame.normal_world(); }), "");
}

TEST(Frame, KeepsItsMemoryWhenReused) {
  Frame frame(all_channels());
  FrameWriter(frame).resize(64, 32);
  const float* range = FrameWriter(frame).floats(Channel::kRange);
  FrameWriter(frame).resize(8, 8);
  EXPECT_EQ(frame.range_m().size(), 64U);
  EXPECT_EQ(frame.hit_world_m().z.size(), 64U);
  FrameWriter(frame).resize(64, 32);
  EXPECT_EQ(FrameWriter(frame).floats(Channel::kRange), range);
}

TEST(Frame, AnEmptyFrameIsEmpty) {
  Frame frame(all_channels());
  EXPECT_EQ(frame.size(), 0U);
  EXPECT_TRUE(frame.range_m().empty());
}

TEST(Reasons, NamesAreDistinctAndValuesStable) {
  EXPECT_EQ(to_string(Reason::kHit), "hit");
  EXPECT_EQ(to_string(Reason::kBelowMinRange), "below_min_range");
  EXPECT_EQ(to_string(Reason::kDropout), "dropout");
  EXPECT_EQ(to_string(Reason::kMasked), "masked");
  EXPECT_EQ(static_cast<int>(Reason::kMasked), 11);
}

TEST(FrameOverBuffers, WritesIntoThemAndKeepsItsShape) {
  std::vector<float> hit(18);
  std::vector<std::uint32_t> entity(6);
  std::vector<std::uint16_t> ring(6);
  const std::array buffers = {Frame::Buffer{Channel::kHitWorld, hit.data(), 72},
                              Frame::Buffer{Channel::kEntityId, entity.data(), 24},
                              Frame::Buffer{Channel::kRing, ring.data(), 12}};
  Frame frame(2, 3, buffers);
  EXPECT_EQ(frame.channels(), (ChannelSet{Channel::kHitWorld, Channel::kEntityId, Channel::kRing}));
  FrameWriter writer(frame);
  writer.resize(2, 3);
  EXPECT_EQ(writer.floats(Channel::kHitWorld), hit.data());
  EXPECT_EQ(writer.floats(Channel::kRange), nullptr);
  writer.mask_all();
  EXPECT_TRUE(std::isnan(hit[17]));
  EXPECT_EQ(entity[5], 0xffffffffU);
  hit[7] = 3.0F, ring[5] = 9;
  EXPECT_EQ(frame.hit_world_m().y[1], 3.0F);
  EXPECT_EQ(frame.hit_world_m().z.size(), 6U);
  EXPECT_EQ(frame.ring().back(), 9);
  EXPECT_EQ(input_error([&] { writer.resize(3, 2); }), "the buffers of the frame are for 2 x 3 rays, not for 3 x 2");
  EXPECT_EQ(frame.rows(), 2U);
  const Frame copy = frame;
  EXPECT_EQ(copy.ring().data(), ring.data()) << "a copy shares them";
}

TEST(FrameOverBuffers, WrongOnesAreRefused) {
  alignas(8) std::array<float, 12> memory{};
  const auto refused = [&](std::vector<Frame::Buffer> buffers) { return input_error([&] { Frame(2, 3, buffers); }); };
  EXPECT_EQ(refused({{Channel::kRange, nullptr, 24}}), "the buffer of channel 'range' is null");
  EXPECT_EQ(refused({{Channel::kRange, memory.data(), 20}}),
            "the buffer of channel 'range' has 20 bytes, not 24: 2 x 3 rays of 4 bytes");
  EXPECT_EQ(refused({{Channel::kNormal, memory.data(), 24}}),
            "the buffer of channel 'normal' has 24 bytes, not 72: 2 x 3 rays of 12 bytes");
  EXPECT_EQ(refused({{Channel::kRange, reinterpret_cast<char*>(memory.data()) + 2, 24}}),
            "the buffer of channel 'range' is not aligned to its elements, of 4 bytes");
  EXPECT_EQ(refused({{Channel::kRange, memory.data(), 24}, {Channel::kRange, memory.data() + 6, 24}}),
            "channel 'range' has two buffers");
  EXPECT_EQ(refused({{Channel::kRange, memory.data(), 24}, {Channel::kDepth, memory.data() + 5, 24}}),
            "the buffers of channels 'range' and 'depth' overlap");
  EXPECT_EQ(refused({{Channel::kRange, memory.data(), 24}, {Channel::kDepth, memory.data() + 6, 24}}), "");
  EXPECT_EQ(input_error([] { Frame(0, 3, {}); }), "a frame over buffers has rays, not 0 x 3");
}

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
