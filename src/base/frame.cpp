#include <fathom/frame.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <fathom/error.hpp>

namespace fathom {

namespace {

constexpr bool is_points(Channel c) {
  return c == Channel::kHitWorld || c == Channel::kHitSensor || c == Channel::kNormal || c == Channel::kCleanHit;
}

constexpr bool is_float(Channel c) {
  return c != Channel::kEntityId && c != Channel::kTriangleId && c != Channel::kRing && c != Channel::kReason;
}

}  // namespace

std::optional<Channel> channel_from_name(std::string_view name) {
  const auto found = std::find(kChannelNames.begin(), kChannelNames.end(), name);
  if (found == kChannelNames.end()) return std::nullopt;
  return static_cast<Channel>(found - kChannelNames.begin());
}

void Frame::require(Channel channel) const {
  if (!channels_.contains(channel)) {
    throw InputError(fmt::format("channel '{}' was not asked for when the frame was made", to_string(channel)));
  }
}

void Frame::resize(std::uint32_t rows, std::uint32_t cols) {
  rows_ = rows, cols_ = cols;
  for (std::size_t i = 0; i < kChannelCount; ++i) {
    const auto channel = static_cast<Channel>(i);
    if (channels_.contains(channel) && is_float(channel)) floats_[i].resize(size() * (is_points(channel) ? 3 : 1));
  }
  if (channels_.contains(Channel::kEntityId)) entity_id_.resize(size());
  if (channels_.contains(Channel::kTriangleId)) triangle_id_.resize(size());
  if (channels_.contains(Channel::kRing)) ring_.resize(size());
  if (channels_.contains(Channel::kReason)) reason_.resize(size());
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

float* Frame::float_data(Channel channel) {
  return channels_.contains(channel) ? floats_[static_cast<std::size_t>(channel)].data() : nullptr;
}
std::uint32_t* Frame::entity_id_data() { return channels_.contains(Channel::kEntityId) ? entity_id_.data() : nullptr; }
std::uint32_t* Frame::triangle_id_data() {
  return channels_.contains(Channel::kTriangleId) ? triangle_id_.data() : nullptr;
}
std::uint16_t* Frame::ring_data() { return channels_.contains(Channel::kRing) ? ring_.data() : nullptr; }
Reason* Frame::reason_data() { return channels_.contains(Channel::kReason) ? reason_.data() : nullptr; }

}  // namespace fathom
