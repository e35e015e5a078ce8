// SPDX-License-Identifier: MIT
#pragma once
// A sensor of many environments: in each it has a chain, numbers drawn for the episode and a pose of its own, and
// where numbers of its kind are drawn, a view and rays of its own.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <fathom/scene/scene.hpp>
#include <fathom/simulate/parameter_range.hpp>

#include "render/fresh_frames.hpp"
#include "render/parameter_range.hpp"
#include "render/prepared_sensor.hpp"
#include "scene/checked_pose.hpp"

namespace fathom {

/// Environments are counted from 0.
class EnvironmentSensor {
 public:
  /// An episode's numbers, with the chain that they make.
  struct Drawn {
    SensorDraw numbers;
    std::optional<StagedChain> chain;  ///< where it may differ from that of other episodes
  };

  /// `entities`: those of the scene, here as everywhere. Until keep(), nothing is drawn. Throws InputError as
  /// Environments::add_sensor does.
  EnvironmentSensor(Sensor sensor, std::vector<ParameterRange> ranges, std::span<const Entity> entities,
                    std::uint32_t environments);

  /// Whether an episode can change anything of an environment.
  [[nodiscard]] bool draws() const { return !ranges_.empty() || !own_noise_.empty(); }
  /// What the episode of that seed draws for an environment. Throws InputError where the numbers do not fit together.
  [[nodiscard]] Drawn draw(std::uint32_t environment, std::span<const Entity> entities,
                           std::uint64_t episode_seed) const;
  void keep(std::uint32_t environment, Drawn drawn);

  /// Gives one environment a chain of its own. Throws InputError, and then changes nothing.
  void set_noise(std::uint32_t environment, NoiseChain noise, std::span<const Entity> entities,
                 std::uint64_t episode_seed);
  /// Throws InputError, and then changes nothing. Messages count environments from `first`.
  void set_poses(std::span<const std::uint32_t> environments, const PoseArrays& poses, std::uint32_t first);
  /// From now on the rays of these environments are those of this frame. In steady state nothing is allocated.
  void set_frame(std::uint32_t index, std::span<const std::uint32_t> environments);

  /// With the entities of the scene where they are in the environment.
  [[nodiscard]] Pose world_from_sensor(std::uint32_t environment, const Scene& scene, double stamp_s) const;
  [[nodiscard]] const StagedChain& chain(std::uint32_t environment) const {
    return chains_[chains_.size() == 1 ? 0 : environment];
  }
  [[nodiscard]] const SensorView& view(std::uint32_t environment) const {
    return models_.empty() ? prepared_.view() : models_[environment].view;
  }
  [[nodiscard]] const RayPattern& rays(std::uint32_t environment) const {
    return own_rays_.empty() ? prepared_.rays() : own_rays_[environment].pattern();
  }
  [[nodiscard]] const CastPlan& plan(std::uint32_t environment) const {
    return own_rays_.empty() ? prepared_.plan() : own_rays_[environment].plan();
  }
  /// Sets of rays: one for all environments, or one for each.
  [[nodiscard]] std::uint32_t ray_sets() const {
    return own_rays_.empty() ? 1U : static_cast<std::uint32_t>(own_rays_.size());
  }
  [[nodiscard]] FreshFrames& fresh(std::uint32_t environment) const { return fresh_[environment]; }
  [[nodiscard]] std::span<const double> drawn() const { return drawn_; }  ///< [environments, ranges]
  [[nodiscard]] const std::vector<ParameterRange>& ranges() const { return ranges_; }
  [[nodiscard]] const PreparedSensor& prepared() const { return prepared_; }
  [[nodiscard]] const Sensor& sensor() const { return prepared_.sensor(); }

 private:
  /// The parameters of the kind in an environment.
  struct OwnModel {
    SensorModel model;
    SensorView view;
  };
  [[nodiscard]] Drawn draw_from(NoiseChain noise, bool is_own, std::span<const Entity> entities,
                                std::uint64_t episode_seed) const;
  void check_rays(std::uint32_t environments) const;
  void check_ranges();

  PreparedSensor prepared_;
  std::vector<ParameterRange> ranges_;
  std::uint32_t environments_;
  bool draws_noise_ = false;                          // whether a range is of the chain
  std::vector<StagedChain> chains_;                   // [environments], or one for all
  std::vector<std::optional<NoiseChain>> own_noise_;  // [environments], or empty: all have the sensor's
  std::vector<std::optional<Pose>> poses_;            // [environments], as set
  std::vector<OwnModel> models_;                      // [environments], or empty: all have the sensor's
  std::vector<SensorRays> own_rays_;                  // [environments], or empty: all have the sensor's
  std::vector<Pose> offsets_;                         // [environments], or empty: none is drawn
  std::vector<Trajectory> motions_;         // [environments], with the offsets, where no pose was set; or empty
  std::vector<double> drawn_;               // [environments, ranges]
  mutable std::vector<FreshFrames> fresh_;  // [environments]
};

}  // namespace fathom
