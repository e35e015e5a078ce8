// SPDX-License-Identifier: MIT
#include <bit>
#include <cstddef>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include <fathom/frame/digest.hpp>

namespace fathom {

namespace {

static_assert(std::endian::native == std::endian::little);

/// FNV-1a in 64 bits, continuing from `hash`.
std::uint64_t hash_bytes(std::span<const std::byte> bytes, std::uint64_t hash) {
  for (const std::byte b : bytes) hash = (hash ^ static_cast<std::uint64_t>(b)) * 0x100000001b3;
  return hash;
}

template <class T>
std::uint64_t hash_array(std::span<const T> values, std::uint64_t hash) {
  return hash_bytes(std::as_bytes(values), hash);
}

template <class T>
std::uint64_t hash_number(T value, std::uint64_t hash) {
  return hash_array(std::span<const T>(&value, 1), hash);
}

std::uint64_t hash_channel(const Frame& frame, Channel channel, std::uint64_t hash) {
  switch (channel) {
    case Channel::kEntityId:
      return hash_array(frame.entity_id(), hash);
    case Channel::kTriangleId:
      return hash_array(frame.triangle_id(), hash);
    case Channel::kLabel:
      return hash_array(frame.label(), hash);
    case Channel::kRing:
      return hash_array(frame.ring(), hash);
    case Channel::kReason:
      return hash_array(frame.reason(), hash);
    default:
      return hash_array(frame.floats(channel), hash);
  }
}

}  // namespace

void FrameDigest::add(const Frame& frame) {
  hash_ = hash_number(frame.index(), hash_);
  hash_ = hash_number(frame.rows(), hash_);
  hash_ = hash_number(frame.cols(), hash_);
  if (frame.returns() > 1) hash_ = hash_number(frame.returns(), hash_);
  hash_ = hash_number(frame.stamp_s(), hash_);
  if (frame.delivered_s() != frame.stamp_s()) hash_ = hash_number(frame.delivered_s(), hash_);
  for (std::size_t i = 0; i < kChannelCount; ++i) {
    const auto channel = static_cast<Channel>(i);
    if (!frame.channels().contains(channel)) continue;
    const std::string_view name = to_string(channel);
    hash_ = hash_array(std::span(name), hash_);
    hash_ = hash_channel(frame, channel, hash_);
  }
}

void FrameDigest::add(std::string_view digest) { hash_ = hash_array(std::span(digest), hash_); }

std::string FrameDigest::text() const { return fmt::format("{:016x}", hash_); }

}  // namespace fathom
