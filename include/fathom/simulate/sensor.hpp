// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/core/export.hpp>
#include <fathom/core/field.hpp>
#include <fathom/core/ids.hpp>
#include <fathom/noise/chain.hpp>
#include <fathom/scene/trajectory.hpp>
#include <fathom/sensor/depth_filters.hpp>
#include <fathom/sensor/kinds.hpp>
#include <fathom/sensor/returns.hpp>

namespace fathom {

/// When a sensor measures and when its frames arrive. By default frame k is measured at start_s + k / rate_hz of the
/// scene and arrives at once.
///
///   measured(k)  = start_s + phase_s + k / rate_hz + j(k)    j: normal, cut at 4 jitter_s
///   delivered(k) = measured(k) + latency_s
///
/// The jitter is at most half a period, so neither stamps nor times of delivery go backwards. A dropped frame never
/// arrives. A frozen frame arrives in its turn, with the content and the stamp of the last frame before it that was
/// neither frozen nor dropped; the first frame that arrives is never frozen. Each frame draws separately whether it is
/// dropped or frozen; if both, it is dropped.
///
/// The draws have their own stream (core/random.hpp): they depend only on the seed, the name of the sensor and the
/// number of the frame, and they change no other draw. Not modelled: latency that varies, which would let frames
/// overtake each other, and losses that come in bursts.
struct Timing {
  std::optional<double> rate_hz = {};
  double phase_s = 0.0;
  double latency_s = 0.0;
  double jitter_s = 0.0;
  double drop_frame = 0.0;
  double freeze = 0.0;

  static constexpr std::string_view kSlug = "timing";
  static constexpr std::string_view kDoc = "Times of a sensor's frames: measured and delivered.";
  static constexpr auto fields() {
    return std::array<Field<Timing>, 6>{{
        {.name = "rate_hz",
         .unit = "Hz",
         .member = &Timing::rate_hz,
         .low = 1e-3,
         .high = 1e6,
         .doc = "frames in a second",
         .default_text = "the scene's"},
        {"phase_s", "s", &Timing::phase_s, 0, 1000, "from the start of the scene to the first frame"},
        {"latency_s", "s", &Timing::latency_s, 0, 1000, "from the start of a frame to its delivery"},
        {"jitter_s", "s", &Timing::jitter_s, 0, 1000,
         "standard deviation of the start of a frame, at most an eighth of a frame's time"},
        {"drop_frame", "1", &Timing::drop_frame, 0, 1, "probability that a frame never arrives"},
        {"freeze", "1", &Timing::freeze, 0, 1, "probability that a frame is the one before it once more"},
    }};
  }

  friend bool operator==(const Timing&, const Timing&) = default;
};

/// The time of one frame of one sensor.
struct FrameTime {
  std::uint32_t index = 0;    ///< of the frame
  std::uint32_t content = 0;  ///< of the frame that was measured: `index`, unless it is frozen
  double stamp_s = 0.0;       ///< when the content was measured: the start of that frame
  double delivered_s = 0.0;   ///< when the frame arrives; NaN: never

  [[nodiscard]] bool is_frozen() const { return content != index; }
  [[nodiscard]] bool is_dropped() const { return std::isnan(delivered_s); }
};

/// A sensor in a scene.
struct Sensor {
  std::string name;  ///< unique; names the sensor's random streams
  SensorModel model;
  Trajectory parent_from_sensor = {};  ///< in the world, or in the frame of the entity it is attached to
  EntityId parent = kNoEntity;
  bool rolling = false;  ///< casts each ray at its own time offset: sensor and entities move on (motion distortion)
  NoiseChain noise;
  /// Noise of Channel::kVelocity: models of stage range, whose metres are metres per second.
  NoiseChain velocity_noise = {};
  /// Empty: depth and stereo cameras drop returns outside their limits; other kinds keep them.
  std::optional<RangePolicy> range_policy = {};
  /// Whether its rays meet the entity that it is attached to. Otherwise a body around the sensor is ignored.
  bool see_parent = false;
  /// Entities that its rays pass through, including the rays from its cameras to a point (StereoShadow). Parts of an
  /// ignored entity are ignored too (Entity::part_of_parent); its other children are seen.
  std::vector<EntityId> ignore = {};
  std::vector<std::string> ignore_groups = {};  ///< all entities of these groups, and their parts; a group may be empty
  Timing timing = {};                           ///< when it measures, and when its frames arrive
  Divergence divergence = {};                   ///< how far its rays widen; not for stereo cameras
  ReturnChoices returns = {ReturnChoice::kStrongest};     ///< of each ray: frames are [returns, rows, cols]
  CoincidingReturn coinciding = CoincidingReturn::kNext;  ///< the report of a return whose echo an earlier one has
  Falloff falloff = {};                                   ///< of intensities
  Detection detection = {};                               ///< the weakest return that it detects
  LightPaths light_paths = {};                            ///< how far light is followed through glass and mirrors
  DepthFilters filters = {};                              ///< of depth and stereo cameras, after the noise
  std::optional<AlignedCamera> aligned_to = {};           ///< after the filters: frames have the shape of that camera
};

/// Rows and columns of the frames of a sensor: of the camera that they are aligned to, else of its rays.
FATHOM_API RayPattern::Shape image_shape(const Sensor& sensor);

/// A sensor with the model and noise of find_preset(). Throws InputError naming the nearest preset.
FATHOM_API Sensor preset_sensor(std::string name, std::string_view preset);

}  // namespace fathom
