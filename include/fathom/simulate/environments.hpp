// SPDX-License-Identifier: MIT
#pragma once
// Many environments at once, for the training of robots: one scene and its sensors, with separate poses and drawn
// parameters for each environment, rendered as arrays [environments, rows, cols].

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/core/detail/field_member.hpp>
#include <fathom/core/export.hpp>
#include <fathom/frame/frame.hpp>
#include <fathom/scene/scene.hpp>
#include <fathom/simulate/sensor.hpp>
#include <fathom/simulate/simulator.hpp>

namespace fathom {

/// The parts of a pose's offset: the true place of a sensor or an entity, in the frame of its nominal pose.
/// parent_from_drawn = parent_from_nominal * offset: a position along its own axes, and a rotation vector about them.
/// Every key of a motion takes the offset. A pose that is set later (Environments::set_entity_pose, set_sensor_pose) is
/// nominal: the offset drawn for the episode still applies.
inline constexpr std::array<std::string_view, 6> kPoseOffsetFields = {
    "position_x_m", "position_y_m", "position_z_m", "rotation_x_rad", "rotation_y_rad", "rotation_z_rad"};

/// One number of one model, of a sensor or of an entity, to be drawn.
///
///   {.entry = 1, .field = "stddev_m", .low = 0.01, .high = 0.03}                          // of a noise model
///   {.field = "baseline_m", .low = 0.048, .high = 0.052, .target = ParameterRange::Target::kSensor}  // of a stereo
///   camera
///
/// Of a sensor's kind, any number may be drawn that keeps the number of rays: baseline_m, fx, fy, horizontal_fov_rad,
/// min_range_m, ... The principal point of a depth or stereo camera is "cx" and "cy"; if the camera does not give it,
/// the other of the two stays in the middle of the image.
struct ParameterRange {
  enum class Law : std::uint8_t { kUniform, kLogUniform, kNormal, kTruncatedNormal };
  /// The owner of the number that a range draws.
  enum class Target : std::uint8_t {
    kNoise,   ///< `field` of the model `entry` of a sensor's chain
    kSensor,  ///< `field` of a sensor: a number of its kind, or a part of kPoseOffsetFields
    kEntity,  ///< `field` of `entity`: "reflectivity", or a part of kPoseOffsetFields
  };

  /// A value that was drawn.
  struct Drawn {
    std::uint32_t entry;
    std::string field;
    EntityId entity;                    ///< kNoEntity if not for a single entity
    std::optional<std::uint16_t> ring;  ///< empty if not for a single ring
    double value;
    Target target = Target::kNoise;
  };

  std::uint32_t entry = 0;  ///< position of the model in the sensor's chain
  std::string field = {};   ///< "min_energy"
  Law law = Law::kUniform;
  double low = 0.0, high = 0.0;     ///< limits of the value, within the field's; kLogUniform: low > 0
  double mean = 0.0, stddev = 0.0;  ///< of kNormal, clipped to [low, high], and kTruncatedNormal, renormalised on it
  // The entry for an entity or a ring; with neither, the chain's own entry.
  EntityId entity = kNoEntity;             ///< kNoise: the entry in ChainEntry::by_entity; kEntity: the entity
  std::optional<std::uint16_t> ring = {};  ///< the entry in ChainEntry::by_ring
  /// kNoise: the entity or ring takes the value drawn for the model itself. kEntity: a part takes the value drawn for
  /// the whole (Entity::part_of_parent).
  bool as_chain = false;
  Target target = Target::kNoise;
};
template <>
inline constexpr std::array<std::string_view, 4> kChoiceWords<ParameterRange::Law> = {"uniform", "log_uniform",
                                                                                      "normal", "truncated_normal"};

/// The seed of all draws in an episode, of noise and ranges. Environment 0 in episode 0 has the run's own seed.
FATHOM_API std::uint64_t episode_seed(std::uint64_t seed, std::uint32_t environment, std::uint32_t episode);

/// The environments of a call: a list of numbers, in any order and without duplicates; without a list: all. An empty
/// list means no environment. A call reads the list before it returns, and does not keep it.
using EnvironmentNumbers = std::optional<std::span<const std::uint32_t>>;

/// A batch of environments. The frame of one depends only on its number, its episode, its poses and its noise, never on
/// other environments or sensors: environment 17 alone equals environment 17 of 64, bit by bit, and equals the frame of
/// a Simulator with that episode's seed and parameters. An environment is named by its number, in [first, first +
/// count). Use it from one thread at a time.
///
///   Environments batch(scene, {.simulator = {.seed = 7}, .count = 4096});
///   const SensorId left = batch.add_sensor(left_camera), right = batch.add_sensor(right_camera);
///   Frame l({Channel::kDepth}), r({Channel::kDepth});
///   for (std::uint32_t t = 0; t < steps; ++t) {
///     batch.set_entity_poses(bodies, positions_m, quaternions);  // [4096, K, 3], [4096, K, 4]
///     batch.reset(fallen);                                       // the next episode of these
///     batch.render(t, std::array{&l, &r});
///   }
///
/// A call that throws InputError changes nothing but frames.
class FATHOM_API Environments {
 public:
  struct Options {
    SimulatorOptions simulator = {};
    std::uint32_t count = 1;
    std::uint32_t first = 0;                  ///< number of the first: environment 17 alone is {count = 1, first = 17}
    std::vector<ParameterRange> ranges = {};  ///< of the sensor that the constructor takes: SensorSetup::ranges
    std::vector<ParameterRange> entity_ranges = {};  ///< of entities, which all sensors see: SceneSetup::entity_ranges
  };

  /// Without sensors yet. Throws InputError as Simulator does, for a count of 0, for entity_ranges that name no number
  /// of an entity or leave its limits, and for ranges: they need a sensor.
  Environments(Scene scene, Options options);
  /// With one sensor, SensorId{0}, and options.ranges as its ranges; throws as add_sensor() does, too.
  Environments(Scene scene, Sensor sensor, Options options);
  ~Environments();
  Environments(Environments&&) noexcept;
  Environments& operator=(Environments&&) noexcept;

  /// Throws InputError as Simulator::add_sensor does, and also
  /// - for a rolling sensor, for a temporal filter, which needs the frames before, and for more than kMaxRays rays in
  /// all environments;
  /// - for a range that names no number of the sensor or its chain, that names a number which must be the same in the
  ///   whole chain or changes the number of rays, or that leaves the limits of its field;
  /// - for the 32nd sensor that ignores something (a sensor with a parent does, by default);
  /// - for a timing that freezes a sensor whose rays differ from frame to frame, as all environments share them.
  /// If a range changes the directions or limits of rays, each environment keeps its own rays, 31 bytes each.
  SensorId add_sensor(Sensor sensor, std::vector<ParameterRange> ranges = {});

  /// Places an entity in one environment, relative to its parent, from now on; in other environments it stays where it
  /// is or follows its motion. An offset drawn for its pose (kPoseOffsetFields) still applies.
  void set_entity_pose(std::uint32_t environment, EntityId entity, const Pose& parent_from_entity);
  /// The same for K entities in E environments: positions [E, K, 3] in m and quaternions (w, x, y, z) [E, K, 4]. If an
  /// entity is listed twice, the later pose counts. Allocates only for entities that were never placed before.
  void set_entity_poses(std::span<const EntityId> entities, std::span<const double> positions_m,
                        std::span<const double> quaternions_wxyz, const EnvironmentNumbers& environments = {});
  /// Places a sensor in one environment, from now on; in other environments it stays where it is or follows its
  /// trajectory. An offset drawn for its pose still applies.
  void set_sensor_pose(std::uint32_t environment, const Pose& parent_from_sensor, SensorId sensor = SensorId{0});
  /// The same in E environments: positions [E, 3] in m and quaternions (w, x, y, z) [E, 4].
  void set_sensor_poses(SensorId sensor, std::span<const double> positions_m, std::span<const double> quaternions_wxyz,
                        const EnvironmentNumbers& environments = {});
  /// Gives one environment its own chain; the next frame rendered uses it. Numbers with a range keep the values drawn
  /// for the episode. Throws InputError as Simulator::set_noise does, and when the chain lacks a number that has a
  /// range.
  void set_noise(std::uint32_t environment, NoiseChain noise, SensorId sensor = SensorId{0});

  /// Starts an episode: draws the parameters again. All environments start in episode 0.
  void reset(std::uint32_t environment, std::uint32_t episode);
  /// Starts the next episode of each.
  void reset(const EnvironmentNumbers& environments);
  /// Starts an episode of each: [E], in the order of the environments.
  void reset(const EnvironmentNumbers& environments, std::span<const std::uint32_t> episodes);
  /// The present episodes, [count].
  [[nodiscard]] std::span<const std::uint32_t> episodes() const;

  /// The values drawn for the present episode, in the order of the ranges.
  [[nodiscard]] std::vector<ParameterRange::Drawn> drawn(std::uint32_t environment,
                                                         SensorId sensor = SensorId{0}) const;
  /// The same values of all environments: [count, ranges(sensor)].
  [[nodiscard]] std::span<const double> drawn_values(SensorId sensor) const;
  [[nodiscard]] std::span<const ParameterRange> ranges(SensorId sensor) const;
  /// The same three of the entities: Options::entity_ranges.
  [[nodiscard]] std::vector<ParameterRange::Drawn> entity_drawn(std::uint32_t environment) const;
  [[nodiscard]] std::span<const double> entity_drawn_values() const;
  [[nodiscard]] std::span<const ParameterRange> entity_ranges() const;

  /// The times of frame `index` of a sensor, [count]: each environment draws its own jitter, dropped and frozen frames.
  /// render() uses them: a frozen frame has the content of an earlier one with the present poses, and a dropped frame
  /// is rendered too. To keep the rows of both unchanged, render only the other environments.
  [[nodiscard]] std::vector<FrameTime> frame_times(SensorId sensor, std::uint32_t index) const;

  /// Renders frame `index` of a sensor: arrays [count, rows, cols], that is a frame of count * rows rows. With a list
  /// of environments only these are cast, and the rows of the others stay unchanged; if the frame had no or another
  /// shape, they become kMasked and NaN. The frame's stamps follow the sensor's timing without draws. In steady
  /// state nothing is allocated.
  void render(SensorId sensor, std::uint32_t index, Frame& frame, const EnvironmentNumbers& environments = {});
  /// Of the first sensor.
  void render(std::uint32_t index, Frame& frame, const EnvironmentNumbers& environments = {});
  /// Of all sensors, frames[i] for SensorId i; null: not rendered. The tree of an environment is built once for all.
  void render(std::uint32_t index, std::span<Frame* const> frames, const EnvironmentNumbers& environments = {});

  [[nodiscard]] std::uint32_t count() const;
  [[nodiscard]] std::uint32_t first() const;
  [[nodiscard]] std::uint32_t sensor_count() const;
  [[nodiscard]] const Sensor& sensor(SensorId sensor) const;
  [[nodiscard]] std::uint32_t rows(SensorId sensor = SensorId{0}) const;  ///< of one environment
  [[nodiscard]] std::uint32_t cols(SensorId sensor = SensorId{0}) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fathom
