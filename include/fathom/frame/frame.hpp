// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/core/export.hpp>
#include <fathom/core/field.hpp>
#include <fathom/frame/reason.hpp>

namespace fathom {

/// The arrays that a frame can hold. Every array is [returns, rows, cols] (points: three such planes), row-major; with
/// one return, the usual case, [rows, cols]. Values that depend only on the ray are the same for all of its returns.
enum class Channel : std::uint8_t {
  kRange,       ///< float, m; measured, noise applied; NaN where the return is lost
  kCleanRange,  ///< float, m; along the noise-free ray, nothing lost; +inf where it meets nothing
  kHitWorld,    ///< 3 x float, m, world frame; NaN where lost
  kHitSensor,   ///< 3 x float, m, sensor frame: the same points; NaN where lost
  kNormal,      ///< 3 x float, unit, world frame, of the surface struck, turned towards the sensor; NaN on a miss
  kIncidence,   ///< float, rad, between the reversed ray and the normal; NaN on a miss
  kEntityId,    ///< uint32, index() of an EntityId; that of kNoEntity on a miss
  kTriangleId,  ///< uint32, within the entity's mesh; kNoTriangle on a miss
  kRing,        ///< uint16
  kAzimuth,     ///< float, rad, of the emitted ray in the sensor frame: atan2(y, x)
  kElevation,   ///< float, rad, of the emitted ray: angle above the x-y plane
  kTimeOffset,  ///< float, s, since the start of the frame
  kIntensity,   ///< float: of the surface (sensor/returns.hpp), usually reflectivity * cos(incidence); 0 on a miss
  kReason,      ///< uint8: Reason
  kDepth,       ///< float, m; distance to the image plane (x in the sensor frame), noise applied; NaN where lost
  kCleanDepth,  ///< float, m; the same along the noise-free ray, nothing lost; +inf where it meets nothing
  kEnergy,      ///< float; E (noise/stereo_energy.hpp), the angle as in the chain, else cosine; NaN on a miss
  kCleanHit,    ///< 3 x float, m, sensor frame; the hit point of the noise-free ray, nothing lost; NaN on a miss
  kLabel,       ///< uint32, Label::id of the entity struck, also where the return is lost; 0: no label, or a miss
  kVelocity,    ///< float, m/s; along the ray, of the surface against the sensor, noise applied; above 0: the range
                ///< grows; NaN on a miss
  kPath,        ///< uint8: bit 0 if the light passed glass, bit 1 if a surface mirrored it (docs/glass.md)
};
inline constexpr std::size_t kChannelCount = 21;
inline constexpr std::array<std::string_view, kChannelCount> kChannelNames = {
    "range",       "clean_range", "hit_world", "hit_sensor", "normal",      "incidence", "entity_id",
    "triangle_id", "ring",        "azimuth",   "elevation",  "time_offset", "intensity", "reason",
    "depth",       "clean_depth", "energy",    "clean_hit",  "label",       "velocity",  "path"};

constexpr std::string_view to_string(Channel channel) { return kChannelNames[static_cast<std::size_t>(channel)]; }

/// A set of channels.
class ChannelSet {
 public:
  constexpr ChannelSet() = default;
  constexpr ChannelSet(std::initializer_list<Channel> channels) {
    for (const Channel c : channels) insert(c);
  }
  constexpr void insert(Channel c) { bits_ |= bit(c); }
  [[nodiscard]] constexpr bool contains(Channel c) const { return (bits_ & bit(c)) != 0; }
  friend constexpr ChannelSet operator|(ChannelSet a, ChannelSet b) {
    a.bits_ |= b.bits_;
    return a;
  }
  friend constexpr bool operator==(ChannelSet, ChannelSet) = default;

 private:
  static constexpr std::uint32_t bit(Channel c) { return 1U << static_cast<std::uint32_t>(c); }
  std::uint32_t bits_ = 0;
};

/// One frame of one sensor, with the arrays asked for; nothing else is computed. Reuse a Frame: once its arrays have
/// their size, rendering into it allocates nothing. The next render overwrites the values that its spans show, and a
/// render with another shape makes spans invalid. Over buffers of the caller's the shape never changes.
class FATHOM_API Frame {
 public:
  /// The memory that holds the arrays of a frame.
  enum class Memory : std::uint8_t {
    kHost,
    kGpu  ///< of the GPU that renders it; only the library follows its pointers
  };

  /// Memory of the caller's for one channel: its elements (channel_info() has their type) as an array [returns, rows,
  /// cols]; of points three such planes, one after the other.
  struct Buffer {
    Channel channel = Channel::kRange;
    void* data = nullptr;   ///< aligned to its elements
    std::size_t bytes = 0;  ///< exactly returns * rows * cols * channel_info(channel).bytes()
  };

  /// Points as three planes, each [returns, rows, cols].
  struct Points {
    std::span<const float> x, y, z;
  };

  Frame() = default;
  explicit Frame(ChannelSet channels) : channels_(channels) {}
  /// A frame of this shape for good, with the channels of `buffers`, in memory of the caller's, such as arrays of NumPy
  /// or a tensor: renderers write there, and nothing is copied, allocated or moved. Rendering a sensor of another shape
  /// into it throws InputError. The memory must outlive the frame and its copies, which share it. Throws InputError
  /// when a channel is listed twice, or a buffer is null, of another size, not aligned, or overlaps another one. Only a
  /// renderer on that GPU can fill memory of a GPU: each accessor of values throws InputError. `owner` of the memory,
  /// if any, lives as long as the frame and its copies.
  Frame(std::uint32_t rows, std::uint32_t cols, std::span<const Buffer> buffers, Memory memory = Memory::kHost,
        std::shared_ptr<const void> owner = {}, std::uint32_t returns = 1);

  [[nodiscard]] Memory memory() const { return memory_; }
  [[nodiscard]] ChannelSet channels() const { return channels_; }
  [[nodiscard]] std::uint32_t rows() const { return rows_; }
  [[nodiscard]] std::uint32_t cols() const { return cols_; }
  [[nodiscard]] std::uint32_t returns() const { return returns_; }  ///< of each ray, in the order of Sensor::returns
  /// Elements of an array: returns * rows * cols. Return k begins at element k * rays().
  [[nodiscard]] std::size_t size() const { return returns_ * rays(); }
  [[nodiscard]] std::size_t rays() const { return std::size_t{rows_} * cols_; }
  [[nodiscard]] double stamp_s() const { return stamp_s_; }  ///< when it was measured: its start
  /// When it arrives (Sensor::timing); NaN if the frame is dropped and never arrives.
  [[nodiscard]] double delivered_s() const { return delivered_s_; }
  [[nodiscard]] bool is_dropped() const { return std::isnan(delivered_s_); }
  [[nodiscard]] std::uint32_t index() const { return index_; }  ///< frame number
  /// The number of the frame that was measured, the key of its noise: index(), unless the frame is frozen.
  [[nodiscard]] std::uint32_t content_index() const { return content_; }

  // Each throws InputError when the channel was not asked for.
  [[nodiscard]] std::span<const float> range_m() const { return floats(Channel::kRange); }
  [[nodiscard]] std::span<const float> clean_range_m() const { return floats(Channel::kCleanRange); }
  [[nodiscard]] std::span<const float> incidence_rad() const { return floats(Channel::kIncidence); }
  [[nodiscard]] std::span<const float> azimuth_rad() const { return floats(Channel::kAzimuth); }
  [[nodiscard]] std::span<const float> elevation_rad() const { return floats(Channel::kElevation); }
  [[nodiscard]] std::span<const float> time_offset_s() const { return floats(Channel::kTimeOffset); }
  [[nodiscard]] std::span<const float> intensity() const { return floats(Channel::kIntensity); }
  [[nodiscard]] std::span<const float> depth_m() const { return floats(Channel::kDepth); }
  [[nodiscard]] std::span<const float> clean_depth_m() const { return floats(Channel::kCleanDepth); }
  [[nodiscard]] std::span<const float> energy() const { return floats(Channel::kEnergy); }
  [[nodiscard]] std::span<const float> velocity_m_s() const { return floats(Channel::kVelocity); }
  [[nodiscard]] Points hit_world_m() const { return points(Channel::kHitWorld); }
  [[nodiscard]] Points hit_sensor_m() const { return points(Channel::kHitSensor); }
  [[nodiscard]] Points clean_hit_sensor_m() const { return points(Channel::kCleanHit); }
  [[nodiscard]] Points normal_world() const { return points(Channel::kNormal); }
  [[nodiscard]] std::span<const std::uint32_t> entity_id() const;
  [[nodiscard]] std::span<const std::uint32_t> triangle_id() const;
  [[nodiscard]] std::span<const std::uint32_t> label() const;
  [[nodiscard]] std::span<const std::uint16_t> ring() const;
  [[nodiscard]] std::span<const Reason> reason() const;
  [[nodiscard]] std::span<const std::uint8_t> path() const;

  /// Any float channel by name of the enum; points() for the three-plane ones.
  [[nodiscard]] std::span<const float> floats(Channel channel) const;
  [[nodiscard]] Points points(Channel channel) const;
  /// Where the array of a channel begins, in whichever memory. Throws InputError when the channel was not asked for.
  [[nodiscard]] const void* data(Channel channel) const;

  /// A copy of return k of each ray as a frame with one return, for instance for pictures. Throws InputError for a k
  /// that is not in [0, returns()), and for a frame in the memory of a GPU.
  [[nodiscard]] Frame of_return(std::uint32_t k) const;

  /// How many returns ended with each Reason (needs kReason).
  [[nodiscard]] ReasonCounts count_reasons() const;

 private:
  friend class FrameWriter;  // of the library: fills the arrays
  FATHOM_HIDDEN void require(Channel channel) const;
  template <class T>
  FATHOM_HIDDEN std::span<const T> array(Channel channel, const std::vector<T>& own) const;

  ChannelSet channels_;
  Memory memory_ = Memory::kHost;
  bool of_caller_ = false;  // its arrays are buffers_, and its own are empty
  std::array<void*, kChannelCount> buffers_ = {};
  std::shared_ptr<const void> owner_;  // of buffers_, or null
  std::uint32_t rows_ = 0, cols_ = 0, returns_ = 1, index_ = 0, content_ = 0;
  double stamp_s_ = 0.0, delivered_s_ = 0.0;
  std::array<std::vector<float>, kChannelCount> floats_;
  std::vector<std::uint32_t> entity_id_, triangle_id_, label_;
  std::vector<std::uint16_t> ring_;
  std::vector<Reason> reason_;
  std::vector<std::uint8_t> path_;
};

enum class ElementType : std::uint8_t { kUint8, kUint16, kUint32, kFloat32 };
inline constexpr std::array<std::string_view, 4> kElementTypeNames = {"uint8", "uint16", "uint32", "float32"};
constexpr std::string_view to_string(ElementType type) { return kElementTypeNames[static_cast<std::size_t>(type)]; }
constexpr unsigned size_of(ElementType type) {
  return type == ElementType::kUint8 ? 1 : type == ElementType::kUint16 ? 2 : 4;
}

/// An array of a frame: the elements of its NPY file.
struct ChannelInfo {
  Channel channel;
  ElementType type;
  unsigned planes;        ///< values per ray: 1, or 3 of a point
  std::string_view unit;  ///< "m", "rad", "s", or empty
  std::string_view doc;

  [[nodiscard]] constexpr std::string_view name() const { return to_string(channel); }
  /// Bytes of the values of one ray.
  [[nodiscard]] constexpr unsigned bytes() const { return size_of(type) * planes; }
};

/// All channels, in the order of Channel.
FATHOM_API std::span<const ChannelInfo> channel_list();
/// The entry of one channel.
FATHOM_API const ChannelInfo& channel_info(Channel channel);

/// A class of things, for segmentation: the meaning of an id in Channel::kLabel.
struct Label {
  std::string name;                                       ///< not empty, unique in the scene
  std::uint32_t id = 0;                                   ///< 1 to kMostLabelId, unique; 0 means no label
  std::optional<std::array<std::uint8_t, 3>> color = {};  ///< red, green, blue in pictures; empty: chosen by the id
};
/// So that 16 bits hold every id.
inline constexpr std::uint32_t kMostLabelId = 65535;

/// The value of a lost pixel. It is chosen when a file is written: frames keep NaN and the reason.
enum class LostValue : std::uint8_t { kZero, kNan, kInf, kMax, kMinusOne };
template <>
inline constexpr std::array<std::string_view, 5> kChoiceWords<LostValue> = {"zero", "nan", "inf", "max", "minus_one"};

/// The channels in which the user chooses the value of a lost pixel.
inline constexpr std::array<Channel, 4> kLengthChannels = {Channel::kRange, Channel::kCleanRange, Channel::kDepth,
                                                           Channel::kCleanDepth};

/// The value of lost pixels and of rays that met nothing.
struct LostPolicy {
  LostValue value = LostValue::kNan;
  float max_m = 0.0F;  ///< the value for kMax, > 0
};

}  // namespace fathom
