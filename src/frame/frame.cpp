// SPDX-License-Identifier: MIT
#include <fathom/frame/frame.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/ids.hpp>
#include <fathom/frame/digest.hpp>

#include "frame/frame_writer.hpp"

namespace fathom {

namespace {

constexpr std::array<ChannelInfo, kChannelCount> kChannels = {{
    {Channel::kRange, ElementType::kFloat32, 1, "m", "measured, noise applied; NaN where lost"},
    {Channel::kCleanRange, ElementType::kFloat32, 1, "m",
     "along the noise-free ray, nothing lost; +inf where it meets nothing"},
    {Channel::kHitWorld, ElementType::kFloat32, 3, "m", "the point in the world frame; NaN where lost"},
    {Channel::kHitSensor, ElementType::kFloat32, 3, "m", "the point in the sensor frame; NaN where lost"},
    {Channel::kNormal, ElementType::kFloat32, 3, "",
     "unit normal of the surface struck, world frame, towards the sensor; NaN on a miss"},
    {Channel::kIncidence, ElementType::kFloat32, 1, "rad", "between the reversed ray and the normal; NaN on a miss"},
    {Channel::kEntityId, ElementType::kUint32, 1, "", "what was struck; 4294967295 on a miss"},
    {Channel::kTriangleId, ElementType::kUint32, 1, "", "triangle of its mesh; 4294967295 on a miss"},
    {Channel::kRing, ElementType::kUint16, 1, "", "scan line of the sensor"},
    {Channel::kAzimuth, ElementType::kFloat32, 1, "rad", "of the emitted ray, atan2(y, x) in the sensor frame"},
    {Channel::kElevation, ElementType::kFloat32, 1, "rad", "of the emitted ray, above the x-y plane"},
    {Channel::kTimeOffset, ElementType::kFloat32, 1, "s", "since the start of the frame"},
    {Channel::kIntensity, ElementType::kFloat32, 1, "",
     "of the surface: usually reflectivity times cosine of incidence; 0 on a miss"},
    {Channel::kReason, ElementType::kUint8, 1, "", "why a return is there or missing"},
    {Channel::kDepth, ElementType::kFloat32, 1, "m", "distance to the image plane, noise applied; NaN where lost"},
    {Channel::kCleanDepth, ElementType::kFloat32, 1, "m",
     "the same along the noise-free ray; +inf where it meets nothing"},
    {Channel::kEnergy, ElementType::kFloat32, 1, "", "energy that reaches the cameras, 0 to 1; NaN on a miss"},
    {Channel::kCleanHit, ElementType::kFloat32, 3, "m", "hit point of the noise-free ray, sensor frame; NaN on a miss"},
    {Channel::kLabel, ElementType::kUint32, 1, "", "id of the label of what was struck; 0: none, or a miss"},
    {Channel::kVelocity, ElementType::kFloat32, 1, "m/s",
     "of the surface along the ray against the sensor, noise applied; above 0 the range grows; NaN on a miss"},
    {Channel::kPath, ElementType::kUint8, 1, "", "0: direct, 1: through glass, 2: mirrored, 3: both"},
}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kChannels.size(); ++i) {
    if (static_cast<std::size_t>(kChannels[i].channel) != i) return false;
  }
  return true;
}
static_assert(in_order());

constexpr unsigned planes_of(Channel c) { return kChannels[static_cast<std::size_t>(c)].planes; }
constexpr bool is_points(Channel c) { return planes_of(c) == 3; }
constexpr bool is_float(Channel c) { return kChannels[static_cast<std::size_t>(c)].type == ElementType::kFloat32; }

/// Throws InputError unless the buffer suits an array of these rays.
void check_buffer(const Frame::Buffer& buffer, std::uint32_t returns, std::uint32_t rows, std::uint32_t cols) {
  const ChannelInfo& info = channel_info(buffer.channel);
  const std::size_t bytes = std::size_t{returns} * rows * cols * info.bytes();
  if (buffer.data == nullptr) throw InputError(fmt::format("the buffer of channel '{}' is null", info.name()));
  if (buffer.bytes != bytes) {
    const std::string several = returns == 1 ? "" : fmt::format("{} returns of ", returns);
    throw InputError(fmt::format("the buffer of channel '{}' has {} bytes, not {}: {}{} x {} rays of {} bytes",
                                 info.name(), buffer.bytes, bytes, several, rows, cols, info.bytes()));
  }
  if (reinterpret_cast<std::uintptr_t>(buffer.data) % size_of(info.type) != 0) {
    throw InputError(fmt::format("the buffer of channel '{}' is not aligned to its elements, of {} bytes", info.name(),
                                 size_of(info.type)));
  }
}

bool overlap(const Frame::Buffer& a, const Frame::Buffer& b) {
  const auto first = reinterpret_cast<std::uintptr_t>(a.data), second = reinterpret_cast<std::uintptr_t>(b.data);
  return first < second + b.bytes && second < first + a.bytes;
}

}  // namespace

std::span<const ChannelInfo> channel_list() { return kChannels; }
const ChannelInfo& channel_info(Channel channel) { return kChannels[static_cast<std::size_t>(channel)]; }

Frame::Frame(std::uint32_t rows, std::uint32_t cols, std::span<const Frame::Buffer> buffers, Frame::Memory memory,
             std::shared_ptr<const void> owner, std::uint32_t returns)
    : memory_(memory), of_caller_(true), owner_(std::move(owner)), rows_(rows), cols_(cols), returns_(returns) {
  if (returns == 0) throw InputError("a frame has at least one return, not 0");
  if (size() == 0) throw InputError(fmt::format("a frame over buffers has rays, not {} x {}", rows, cols));
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    check_buffer(buffers[i], returns, rows, cols);
    for (const Frame::Buffer& other : buffers.first(i)) {
      const std::string_view name = to_string(buffers[i].channel);
      if (other.channel == buffers[i].channel) throw InputError(fmt::format("channel '{}' has two buffers", name));
      if (overlap(other, buffers[i])) {
        throw InputError(fmt::format("the buffers of channels '{}' and '{}' overlap", to_string(other.channel), name));
      }
    }
    channels_.insert(buffers[i].channel);
    buffers_[static_cast<std::size_t>(buffers[i].channel)] = buffers[i].data;
  }
}

template <class T>
std::span<const T> Frame::array(Channel channel, const std::vector<T>& own) const {
  require(channel);
  if (memory_ == Frame::Memory::kGpu) {
    throw InputError(fmt::format("channel '{}' of the frame is in the memory of a GPU", to_string(channel)));
  }
  if (!of_caller_) return own;
  return {static_cast<const T*>(buffers_[static_cast<std::size_t>(channel)]), size() * planes_of(channel)};
}

void Frame::require(Channel channel) const {
  if (!channels_.contains(channel)) {
    throw InputError(fmt::format("channel '{}' was not asked for when the frame was made", to_string(channel)));
  }
}

std::span<const float> Frame::floats(Channel channel) const {
  require(channel);
  if (!is_float(channel)) throw InputError(fmt::format("channel '{}' does not hold floats", to_string(channel)));
  return array(channel, floats_[static_cast<std::size_t>(channel)]);
}

const void* Frame::data(Channel channel) const {
  require(channel);
  if (of_caller_) return buffers_[static_cast<std::size_t>(channel)];
  if (is_float(channel)) return floats_[static_cast<std::size_t>(channel)].data();
  if (channel == Channel::kRing) return ring_.data();
  if (channel == Channel::kReason) return reason_.data();
  if (channel == Channel::kPath) return path_.data();
  return (channel == Channel::kEntityId ? entity_id_ : channel == Channel::kLabel ? label_ : triangle_id_).data();
}

Frame::Points Frame::points(Channel channel) const {
  if (!is_points(channel)) throw InputError(fmt::format("channel '{}' does not hold points", to_string(channel)));
  const std::span<const float> all = floats(channel);
  return {all.subspan(0, size()), all.subspan(size(), size()), all.subspan(2 * size(), size())};
}

std::span<const std::uint32_t> Frame::entity_id() const { return array(Channel::kEntityId, entity_id_); }
std::span<const std::uint32_t> Frame::triangle_id() const { return array(Channel::kTriangleId, triangle_id_); }
std::span<const std::uint32_t> Frame::label() const { return array(Channel::kLabel, label_); }
std::span<const std::uint16_t> Frame::ring() const { return array(Channel::kRing, ring_); }
std::span<const Reason> Frame::reason() const { return array(Channel::kReason, reason_); }
std::span<const std::uint8_t> Frame::path() const { return array(Channel::kPath, path_); }

std::span<const std::byte> elements_of(const Frame& frame, Channel channel) {
  switch (channel) {
    case Channel::kEntityId:
      return std::as_bytes(frame.entity_id());
    case Channel::kTriangleId:
      return std::as_bytes(frame.triangle_id());
    case Channel::kLabel:
      return std::as_bytes(frame.label());
    case Channel::kRing:
      return std::as_bytes(frame.ring());
    case Channel::kReason:
      return std::as_bytes(frame.reason());
    case Channel::kPath:
      return std::as_bytes(frame.path());
    default:
      return std::as_bytes(frame.floats(channel));
  }
}

ReasonCounts Frame::count_reasons() const {
  std::array<std::uint64_t, kReasonNames.size()> counts{};
  for (const Reason r : reason()) ++counts[static_cast<std::size_t>(r)];
  return counts;
}

Frame Frame::of_return(std::uint32_t k) const {
  if (k >= returns_) throw InputError(fmt::format("return {} is not in [0, {})", k, returns_));
  Frame one(channels_);
  FrameWriter writer(one);
  writer.resize(rows_, cols_);
  writer.set_time(index_, content_, stamp_s_, delivered_s_);
  const auto take = [&](auto values, auto* to) {
    if (to != nullptr) std::copy_n(values.data() + k * rays(), rays(), to);
  };
  for (std::size_t i = 0; i < kChannelCount; ++i) {
    const auto channel = static_cast<Channel>(i);
    if (!channels_.contains(channel) || !is_float(channel)) continue;
    const std::span<const float> all = floats(channel);
    for (std::size_t plane = 0; plane < planes_of(channel); ++plane) {
      take(all.subspan(plane * size()), writer.floats(channel) + plane * rays());
    }
  }
  if (channels_.contains(Channel::kEntityId)) take(entity_id(), writer.entity_id());
  if (channels_.contains(Channel::kTriangleId)) take(triangle_id(), writer.triangle_id());
  if (channels_.contains(Channel::kLabel)) take(label(), writer.label());
  if (channels_.contains(Channel::kRing)) take(ring(), writer.ring());
  if (channels_.contains(Channel::kReason)) take(reason(), writer.reason());
  if (channels_.contains(Channel::kPath)) take(path(), writer.path());
  return one;
}

void FrameWriter::resize(std::uint32_t rows, std::uint32_t cols, std::uint32_t returns) {
  Frame& f = frame_;
  if (f.of_caller_) {
    if (has_shape(rows, cols, returns)) return;
    if (f.returns_ != returns) {
      throw InputError(fmt::format("the buffers of the frame are for {} return{} of each ray, not for {}", f.returns_,
                                   f.returns_ == 1 ? "" : "s", returns));
    }
    throw InputError(
        fmt::format("the buffers of the frame are for {} x {} rays, not for {} x {}", f.rows_, f.cols_, rows, cols));
  }
  f.rows_ = rows, f.cols_ = cols, f.returns_ = returns;
  for (std::size_t i = 0; i < kChannelCount; ++i) {
    const auto channel = static_cast<Channel>(i);
    if (f.channels_.contains(channel) && is_float(channel)) {
      f.floats_[i].resize(f.size() * planes_of(channel));
    }
  }
  if (f.channels_.contains(Channel::kEntityId)) f.entity_id_.resize(f.size());
  if (f.channels_.contains(Channel::kTriangleId)) f.triangle_id_.resize(f.size());
  if (f.channels_.contains(Channel::kLabel)) f.label_.resize(f.size());
  if (f.channels_.contains(Channel::kRing)) f.ring_.resize(f.size());
  if (f.channels_.contains(Channel::kReason)) f.reason_.resize(f.size());
  if (f.channels_.contains(Channel::kPath)) f.path_.resize(f.size());
}

void FrameWriter::mask_all() {
  const std::size_t rays = frame_.size();
  for (std::size_t i = 0; i < kChannelCount; ++i) {
    const auto channel = static_cast<Channel>(i);
    if (!frame_.channels_.contains(channel) || !is_float(channel)) continue;
    std::fill_n(floats(channel), rays * planes_of(channel), std::numeric_limits<float>::quiet_NaN());
  }
  if (std::uint32_t* out = entity_id()) std::fill_n(out, rays, index(kNoEntity));
  if (std::uint32_t* out = triangle_id()) std::fill_n(out, rays, kNoTriangle);
  if (std::uint32_t* out = label()) std::fill_n(out, rays, 0U);
  if (std::uint16_t* out = ring()) std::fill_n(out, rays, std::uint16_t{0});
  if (Reason* out = reason()) std::fill_n(out, rays, Reason::kMasked);
  if (std::uint8_t* out = path()) std::fill_n(out, rays, std::uint8_t{0});
}

template <class T>
T* FrameWriter::array(Channel channel, std::vector<T>& own) {
  if (!frame_.channels_.contains(channel)) return nullptr;
  return frame_.of_caller_ ? static_cast<T*>(frame_.buffers_[static_cast<std::size_t>(channel)]) : own.data();
}

float* FrameWriter::floats(Channel channel) {
  return array(channel, frame_.floats_[static_cast<std::size_t>(channel)]);
}
std::uint32_t* FrameWriter::entity_id() { return array(Channel::kEntityId, frame_.entity_id_); }
std::uint32_t* FrameWriter::triangle_id() { return array(Channel::kTriangleId, frame_.triangle_id_); }
std::uint32_t* FrameWriter::label() { return array(Channel::kLabel, frame_.label_); }
std::uint16_t* FrameWriter::ring() { return array(Channel::kRing, frame_.ring_); }
Reason* FrameWriter::reason() { return array(Channel::kReason, frame_.reason_); }
std::uint8_t* FrameWriter::path() { return array(Channel::kPath, frame_.path_); }

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
    hash_ = hash_bytes(elements_of(frame, channel), hash_);
  }
}

void FrameDigest::add(std::string_view digest) { hash_ = hash_array(std::span(digest), hash_); }

std::string FrameDigest::text() const { return fmt::format("{:016x}", hash_); }

}  // namespace fathom
