// SPDX-License-Identifier: MIT
#pragma once
// Noise for frames that something else rendered: a sensor without a scene. It takes clean ranges, and applies to them
// every step of a frame that Simulator takes after its cast.

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <fathom/core/compute.hpp>
#include <fathom/core/export.hpp>
#include <fathom/core/field.hpp>
#include <fathom/core/geometry.hpp>
#include <fathom/frame/frame.hpp>
#include <fathom/scene/scene.hpp>
#include <fathom/simulate/environments.hpp>
#include <fathom/simulate/sensor.hpp>

namespace fathom {

enum class NormalFrame : std::uint8_t { kSensor, kWorld };
template <>
inline constexpr std::array<std::string_view, 2> kChoiceWords<NormalFrame> = {"sensor", "world"};

/// A clean image. Every array is [rows, cols] of the sensor, row-major, and is read only during the call.
///
/// In range_m and depth_m, 0, a negative number, NaN, infinity, and a value of SensorNoiseOptions::far_m or more mean
/// that the ray met nothing.
struct GivenFrame {
  /// How far the sensor has moved from frame 0 to a frame: sums over the frames between.
  struct Motion {
    double way_m = 0.0, angle_rad = 0.0;
  };

  std::span<const float> range_m = {};  ///< m, along the ray, from its origin; give this or depth_m
  std::span<const float> depth_m = {};  ///< m, along the optical axis (x of the sensor frame); of cameras only
  /// [rows, cols, 3] unit normals of the surfaces. Empty: normals are found from the ranges. Of a sensor with one row
  /// they are found in the plane of its rays. Surfaces face a sensor whose rays are in no order, such as a rosette.
  std::span<const float> normal = {};
  NormalFrame normal_frame = NormalFrame::kSensor;
  std::span<const std::uint32_t> entity_id = {};  ///< empty: all surfaces belong to entity 0
  std::span<const float> reflectivity = {};       ///< in [0, 1]; empty: 1
  bool reflectivity_has_incidence = false;        ///< as measured intensities: the cosine is in it already
  Pose world_from_sensor = {};                    ///< places Channel::kHitWorld and Channel::kNormal
  /// For correlations with motion_m or motion_rad; zeros: the sensor stands still. Empty: each frame has independent
  /// fields, unless SensorNoiseOptions::still is set.
  std::optional<Motion> motion = {};
};

/// A clean cloud in the sensor frame: each point is where a ray met a surface. A point at 0 or with a NaN met nothing.
/// Arrays are [points], and are read only during the call.
///
/// Points on the sensor's own rays, in its order, take these rays, also where they met nothing. Any other cloud brings
/// its rays: they start at the origin of the sensor frame, and a point that met nothing reports nothing.
struct GivenCloud {
  std::span<const float> x_m, y_m, z_m;
  std::uint32_t rows = 0, cols = 0;           ///< of an organised cloud, row-major; 0: it is not organised
  std::span<const std::uint16_t> ring = {};   ///< sorts a cloud that is not organised into rows, by azimuth
  std::span<const float> time_offset_s = {};  ///< for Channel::kTimeOffset; empty: 0
  std::span<const float> range_m = {};        ///< more exact than the points; empty: as far as the points are away
  std::span<const float> normal = {};         ///< [points, 3], as in GivenFrame
  NormalFrame normal_frame = NormalFrame::kSensor;
  std::span<const std::uint32_t> entity_id = {};  ///< empty: all surfaces belong to entity 0
  std::span<const float> reflectivity = {};       ///< in [0, 1]; empty: 1
  bool reflectivity_has_incidence = false;        ///< as measured intensities: the cosine is in it already
  Pose world_from_sensor = {};
  std::optional<GivenFrame::Motion> motion = {};  ///< as in GivenFrame
};

struct SensorNoiseOptions {
  std::uint64_t seed = 0;
  Compute compute = {};
  double rate_hz = 10.0, start_s = 0.0;                    ///< the clock of the frames, as in SimulatorOptions
  double far_m = std::numeric_limits<double>::infinity();  ///< the far plane of the images: there, nothing was met
  std::vector<Entity> entities = {};                       ///< that the chain has entries for; entity_id numbers them
  std::function<bool()> should_stop = {};                  ///< as in SimulatorOptions
  bool still = false;                                      ///< a frame without motion is of a sensor that stands still
  std::uint32_t environments = 0;           ///< 0: one sensor; else a batch has the images of environments 0, 1, ...
  std::vector<ParameterRange> ranges = {};  ///< drawn for each environment and episode: SensorSetup::ranges
};

/// A sensor that takes given frames. The same seed, name of the sensor, number of the frame and given values have the
/// same bits on any computer, for any number of threads and in any order of calls.
///
/// Given clean_range, normal, entity_id and reflectivity of a Simulator's frame, its pose and its motion, it gives the
/// Simulator's frame bit for bit, if the chain has no angular_ray and no stereo_shadow. These two need a scene. Here
/// angular_ray meets the plane of the pixel that the turned ray points to. stereo_shadow moves the points of each row
/// into the other camera's image, where nearer points hide farther ones; a surface outside of the image hides nothing.
/// A third exception: Detection takes each surface as matt and as met by the whole beam.
///
/// With environments, image k is frame `index` of environment k. Parameters and noise depend on the seed, the
/// environment and its episode, as in Environments. The clean values of an Environments frame give that frame bit for
/// bit, with the exceptions above.
///
/// Not used: the sensor's pose, its parent, and the entities that it ignores. Rays do not widen again, since a given
/// range is already that of the whole beam. A frame of a rolling sensor is taken as one that has moved. Labels are 0,
/// triangles kNoTriangle, and intensities follow the cosine of incidence.
class FATHOM_API SensorNoise {
 public:
  /// Throws InputError as Environments::add_sensor() does; for several returns per ray; for ranges without
  /// environments; and for stereo_shadow if the cameras do not lie side by side along the rows.
  explicit SensorNoise(Sensor sensor, const SensorNoiseOptions& options = {});
  ~SensorNoise();
  SensorNoise(SensorNoise&&) noexcept;
  SensorNoise& operator=(SensorNoise&&) noexcept;

  /// Fills the channels of `frame`, in the shape image_shape(), with frame `index` of the sensor. The draws have the
  /// number Frame::content_index(), that of an earlier frame if the sensor's timing repeats it. In steady state nothing
  /// is allocated. Throws InputError if an array has a wrong size or an impossible value, if ranges look like
  /// millimetres, and with a temporal filter unless the frame is 0, the last one or the next one.
  void apply(std::uint32_t index, const GivenFrame& given, Frame& frame);
  /// Frames index, index + 1, ..., one for each image, as one frame of [images * rows, cols]. Each image has the bits
  /// that it has alone. The frame has the times of the first image. With environments the images are frame `index` of
  /// all, and the times are without draws. Throws InputError also for another number of images than environments.
  void apply(std::uint32_t index, std::span<const GivenFrame> given, Frame& frame);
  /// The frames after the last ones; at first, and after reset(), frame 0.
  void apply(std::span<const GivenFrame> given, Frame& frame);

  /// The same for a cloud. The frame is [rows, cols] of an organised cloud, [1, points] of one without order, and with
  /// rings a row for each ring, whose gaps met nothing; cloud_places() has the place of each point. The draws follow
  /// these places. Throws InputError for stereo_shadow, filters and alignments, which need an image; without rows for
  /// angular_ray and for models and correlations that need neighbours; and with environments.
  void apply_cloud(std::uint32_t index, const GivenCloud& given, Frame& frame);
  /// [points] of the last cloud: places in the arrays of its frame, valid until the next apply_cloud(). A point that
  /// met nothing gets ~0U if rings sort the cloud.
  [[nodiscard]] std::span<const std::uint32_t> cloud_places() const;

  /// Replaces the chain. Numbers with a range keep the values drawn for the episode. Throws InputError as the
  /// constructor does, and then changes nothing.
  void set_noise(NoiseChain noise);

  /// As in Environments; reset() also begins with frame 0 again. All throw InputError without environments.
  void reset(const EnvironmentNumbers& environments = {});
  void reset(const EnvironmentNumbers& environments, std::span<const std::uint32_t> episodes);
  [[nodiscard]] std::span<const std::uint32_t> episodes() const;
  [[nodiscard]] std::vector<ParameterRange::Drawn> drawn(std::uint32_t environment) const;

  [[nodiscard]] const Sensor& sensor() const;
  [[nodiscard]] const SensorNoiseOptions& options() const;
  [[nodiscard]] std::uint32_t rows() const;
  [[nodiscard]] std::uint32_t cols() const;
  /// The noise-free rays of frame `index`; with environments, of environment 0.
  [[nodiscard]] const RayPattern& pattern(std::uint32_t index);
  /// With environments, without draws.
  [[nodiscard]] FrameTime frame_time(std::uint32_t index) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fathom
