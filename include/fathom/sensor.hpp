#pragma once
// Descriptions of sensors. Each kind turns into a RayPattern (make_pattern), so that everything after it, casting,
// noise, output, is the same for all. The sensor frame is x forward, y left, z up; azimuth is
// atan2(y, x), growing to the left, and elevation the angle above the x-y plane.
//
// A kind of sensor is a struct of parameters with its table (field.hpp). Its function check() throws InputError when
// parameters that are each within their limits do not fit together; validate() asks both.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fathom/depth_camera.hpp>
#include <fathom/export.hpp>
#include <fathom/noise.hpp>
#include <fathom/pattern.hpp>
#include <fathom/scene.hpp>
#include <fathom/trajectory.hpp>

namespace fathom {

/// Rotating lidar: [rings, columns]. Row 0 is the highest ring, whatever the order in which rings are listed; the lists
/// below are in the manufacturer's order. Columns follow each other in time: with `clockwise` (seen from
/// above, as Velodyne and Ouster turn) a range image reads like a camera's, left to right, and the default start puts
/// straight ahead in its middle.
///
///   step = span / columns                       (half open: the last column stops one step short of the end)
///   azimuth(ring, c) = start -+ c step -+ 2 pi rate firing_time(ring) + azimuth_offset(ring)
///   time(ring, c)    = c step / (2 pi rate) + firing_time(ring)
///
/// with - for clockwise: the head turns at a steady rate, also while one column fires.
struct SpinningLidar {
  std::vector<double> elevation_rad;       ///< per ring
  std::vector<double> azimuth_offset_rad;  ///< per ring, counter-clockwise; empty: 0
  std::vector<double> firing_time_s;       ///< per ring, after the start of its column; empty: all at once
  std::vector<double> vertical_offset_m;   ///< per ring, height of its ray origin; empty: 0
  std::vector<std::uint16_t> ring;         ///< its number; empty: counted from the lowest ring, as Velodyne's driver
  std::uint32_t columns = 0;
  double start_azimuth_rad = kMaxAngleRad;
  double span_rad = 2 * kMaxAngleRad;  ///< (0, 2 pi]
  double rate_hz = 10.0;               ///< revolutions per second
  bool clockwise = true;
  double min_range_m = 0.0;
  double max_range_m = 100.0;

  static constexpr std::string_view kSlug = "spinning_lidar";
  static constexpr std::string_view kDoc = "Rotating lidar with one or more channels, each at its own elevation.";
  FATHOM_API static std::span<const Field<SpinningLidar>> fields();
  FATHOM_API void check() const;
};

/// `count` elevations, evenly spaced from the first to the last, both included.
FATHOM_API std::vector<double> even_elevations(std::uint32_t count, double first_rad, double last_rad);

/// By how many columns to the right each row, [rings] from the top, must move so that a column of the image looks in
/// one direction: azimuth offsets and firing times in whole columns. See write_range_image.
FATHOM_API std::vector<std::int32_t> destagger_shifts(const SpinningLidar& lidar);

/// Planar scanner: one row, `beams` beams from min_azimuth to max_azimuth, both included, in the order of increasing
/// azimuth (as ROS' LaserScan). Its mirror turns once per scan, so beams are (max - min) / (beams - 1) / (2 pi rate)
/// apart in time; `clockwise` ones fire from the last to the first.
struct Laser2d {
  std::uint32_t beams = 0;
  double min_azimuth_rad = 0.0;
  double max_azimuth_rad = 0.0;
  double rate_hz = 10.0;  ///< scans per second
  bool clockwise = false;
  double min_range_m = 0.0;
  double max_range_m = 30.0;

  static constexpr std::string_view kSlug = "laser_2d";
  static constexpr std::string_view kDoc = "Planar laser scanner.";
  FATHOM_API static std::span<const Field<Laser2d>> fields();
  FATHOM_API void check() const;
};

/// Pinhole camera: [height, width] rays, pixel (u, v) through ((u - cx) / fx, (v - cy) / fy) with u right, v down and
/// pixel centres at whole numbers. Ranges are along the ray. The optical axis is the sensor's x axis. All pixels are
/// seen at the start of the frame.
struct PinholeCamera {
  double fx = 0.0, fy = 0.0, cx = 0.0, cy = 0.0;  ///< px
  std::uint32_t width = 0, height = 0;
  double min_range_m = 0.0;
  double max_range_m = 100.0;

  static constexpr std::string_view kSlug = "pinhole_camera";
  static constexpr std::string_view kDoc = "Range camera: one ray through each pixel of a pinhole camera.";
  FATHOM_API static std::span<const Field<PinholeCamera>> fields();
  FATHOM_API void check() const;
};

/// A camera with square pixels whose image spans `horizontal_fov_rad` (0, pi) from the left edge of its first to the
/// right edge of its last pixel, the principal point in the middle.
FATHOM_API PinholeCamera camera_from_fov(std::uint32_t width, std::uint32_t height, double horizontal_fov_rad);

/// Non-repetitive two-prism scanner (Livox-like), one row of `points`. Each prism deflects the beam by a quarter of the
/// field of view, and turns:
///
///   a(t) = field_of_view / 4 (e(prism1 t) + e(prism2 t)),   e(n) = (cos, sin)(2 pi n) in the sensor's (y, z)
///
/// The ray leaves at the angle |a| from the x axis, towards a: a rosette that fills the cone when the two rates have no
/// small common period. Frame k starts where frame k - 1 ended: t = (k points + i) / points_per_s.
struct Rosette {
  std::uint32_t points = 0;                 ///< per frame
  double field_of_view_rad = 0.0;           ///< full cone angle, (0, pi)
  double prism1_hz = 0.0, prism2_hz = 0.0;  ///< rotation rates, signed, counter-clockwise seen from in front
  double points_per_s = 0.0;
  double min_range_m = 0.0;
  double max_range_m = 100.0;

  static constexpr std::string_view kSlug = "rosette";
  static constexpr std::string_view kDoc = "Two-prism scanner whose pattern does not repeat from frame to frame.";
  FATHOM_API static std::span<const Field<Rosette>> fields();
  FATHOM_API void check() const;
};

using SensorModel =
    std::variant<SpinningLidar, Laser2d, PinholeCamera, Rosette, RayPattern, DepthCamera, StereoCamera, GridScanner>;

/// Most rays that one frame of a sensor may have.
inline constexpr std::uint64_t kMaxRays = std::uint64_t{1} << 28U;

/// The rays of frame `frame` (only Rosette depends on it). Throws InputError, before it allocates, for a parameter
/// outside its limits, lists of unequal length, min_range >= max_range, more than kMaxRays rays, or rays that would not
/// fit in this computer's memory. Angles are computed in double precision and stored as float unit vectors; they come
/// from the C library's sin and cos, so two platforms may differ in the last bit of a direction.
FATHOM_API RayPattern make_pattern(const SensorModel& model, std::uint32_t frame = 0);
/// Whether make_pattern gives other rays for another frame.
FATHOM_API bool pattern_varies(const SensorModel& model);

/// Other parameters for the returns from one entity.
struct EntityEntry {
  EntityId entity = kNoEntity;
  Noise noise;
};

/// Other parameters for the returns of one ring of the sensor, as a table of calibration gives them.
struct RingEntry {
  std::uint16_t ring = 0;  ///< of its rays (Frame::ring)
  Noise noise;
};

/// A model of a chain. It may have other parameters for single entities or for single rings, not for both: entries of
/// the same model, whose stage is after the cast and not kReading.
struct ChainEntry {
  Noise noise;  ///< where no entry below says otherwise
  std::vector<EntityEntry> by_entity = {};
  std::vector<RingEntry> by_ring = {};

  ChainEntry(Noise model)  // NOLINT(google-explicit-constructor): a noise is a chain's entry
      : noise(std::move(model)) {}
  ChainEntry(Noise model, std::vector<EntityEntry> entities)
      : noise(std::move(model)), by_entity(std::move(entities)) {}
  ChainEntry(Noise model, std::vector<RingEntry> rings) : noise(std::move(model)), by_ring(std::move(rings)) {}
  template <NoiseModel M>
  ChainEntry(const M& model)  // NOLINT(google-explicit-constructor): so that a chain can be given as a list of models
      : noise(model) {}
};

/// The noise of a sensor. See Stage for the order of acting; within a stage, models act in the order of the chain.
using NoiseChain = std::vector<ChainEntry>;

/// A named sensor from a public datasheet.
struct SensorPreset {
  std::string_view name;    ///< "VLP-16"
  std::string_view kind;    ///< "spinning_lidar"
  std::string_view source;  ///< the datasheet or manual
  std::string_view doc;     ///< one line
  SensorModel model;
  NoiseChain noise;  ///< typical accuracy from the datasheet, as noise models
};
FATHOM_API const std::vector<SensorPreset>& sensor_presets();
/// Throws InputError naming the nearest preset.
FATHOM_API const SensorPreset& find_preset(std::string_view name);

/// What becomes of a return that noise carried outside [min_range, max_range].
enum class RangePolicy : std::uint8_t { kKeep, kClamp, kDrop };
inline constexpr std::array<std::string_view, 3> kRangePolicyNames = {"keep", "clamp", "drop"};
constexpr std::string_view to_string(RangePolicy policy) { return kRangePolicyNames[static_cast<std::size_t>(policy)]; }

/// The policy of a sensor that has none of its own: depth and stereo cameras drop, since what lies outside their limits
/// is lost; others keep.
FATHOM_API RangePolicy usual_range_policy(const SensorModel& model);

/// A sensor in a scene.
struct Sensor {
  std::string name;  ///< unique; names the sensor's random streams
  SensorModel model;
  Trajectory parent_from_sensor = {};  ///< in the world, or in the frame of the entity it is attached to
  EntityId parent = kNoEntity;
  bool rolling = false;      ///< cast each ray from the pose at its own time offset (motion distortion)
  NoiseChain noise;
  std::optional<RangePolicy> range_policy = {};  ///< empty: usual_range_policy()
};

}  // namespace fathom
