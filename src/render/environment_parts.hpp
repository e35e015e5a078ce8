// SPDX-License-Identifier: MIT
#pragma once
// Sensors and entities that differ between environments. Environments are counted from 0 here.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fathom/core/compute.hpp>
#include <fathom/scene/scene.hpp>
#include <fathom/simulate/environments.hpp>

#include "render/parameter_range.hpp"
#include "render/prepared_sensor.hpp"
#include "render/simulators.hpp"
#include "scene/checks.hpp"

namespace fathom {

/// The environments of a batch with their present episodes. Users count environments from `first`.
class Episodes {
 public:
  /// An environment, and the episode that it begins.
  struct Start {
    std::uint32_t environment, episode;
  };
  using Numbers = std::optional<std::span<const std::uint32_t>>;

  Episodes(std::uint64_t seed, std::uint32_t first, std::uint32_t count)
      : seed_(seed), first_(first), episodes_(count, 0), marks_(count, 0) {}

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(episodes_.size()); }
  /// Throws InputError if there is no such environment.
  [[nodiscard]] std::uint32_t local(std::uint32_t environment) const;
  /// The environments; valid until the next call. Throws InputError also for one that is there twice.
  std::span<const std::uint32_t> select(const EnvironmentNumbers& environments);

  /// These episodes of the environments, [E], or their next ones. Throws InputError for another number of episodes, for
  /// an environment in its last episode, and as select() does. Changes nothing before begin().
  [[nodiscard]] std::vector<Start> starts(const EnvironmentNumbers& environments, const Numbers& episodes);
  void begin(const Start& start) { episodes_[start.environment] = start.episode; }

  [[nodiscard]] std::span<const std::uint32_t> present() const { return episodes_; }
  [[nodiscard]] std::uint64_t seed_of(std::uint32_t e) const { return seed_of({e, episodes_[e]}); }
  [[nodiscard]] std::uint64_t seed_of(const Start& start) const {
    return episode_seed(seed_, first_ + start.environment, start.episode);
  }

 private:
  std::uint64_t seed_;
  std::uint32_t first_;
  std::vector<std::uint32_t> episodes_;  // [count]
  std::vector<std::uint32_t> selected_;  // by a call
  std::vector<std::uint64_t> marks_;     // [count]: mark_ if the last call selected it
  std::uint64_t mark_ = 0;
};

/// A sensor of many environments. In each it has its own chain, drawn numbers and pose; if numbers of its kind are
/// drawn, also its own view and rays.
class EnvironmentSensor {
 public:
  /// An episode's numbers, with the chain that they make.
  struct Drawn {
    SensorDraw numbers;
    std::optional<StagedChain> chain;  ///< if it may differ from other episodes
  };

  /// `entities`: of the scene, in all members. Draws nothing before keep(). Throws InputError as
  /// Environments::add_sensor.
  EnvironmentSensor(Sensor sensor, std::vector<ParameterRange> ranges, std::span<const Entity> entities,
                    std::uint32_t environments, CastOrder order = CastOrder::kTiles);

  /// Whether an episode can change anything of an environment.
  [[nodiscard]] bool draws() const { return !ranges_.empty() || !own_noise_.empty(); }
  /// The draws of an episode for an environment. Throws InputError if the numbers do not fit together.
  [[nodiscard]] Drawn draw(std::uint32_t environment, std::span<const Entity> entities,
                           std::uint64_t episode_seed) const;
  void keep(std::uint32_t environment, Drawn drawn);

  /// Throws InputError for a timing that freezes a sensor whose rays differ from frame to frame: set_frame() makes one
  /// frame for all.
  void check_shared_rays() const;
  /// Gives one environment its own chain. Throws InputError, and then changes nothing.
  void set_noise(std::uint32_t environment, NoiseChain noise, std::span<const Entity> entities,
                 std::uint64_t episode_seed);
  /// Gives all environments the chain. Throws InputError, and then changes nothing.
  void set_noise(NoiseChain noise, std::span<const Entity> entities, const Episodes& episodes);
  /// Throws InputError, and then changes nothing. Messages count environments from `first`.
  void set_poses(std::span<const std::uint32_t> environments, const PoseArrays& poses, std::uint32_t first);
  /// Makes the rays of these environments for this frame. In steady state nothing is allocated.
  void set_frame(std::uint32_t index, std::span<const std::uint32_t> environments);

  /// The entities of the scene must have their poses of the environment.
  [[nodiscard]] Pose world_from_sensor(std::uint32_t environment, const Scene& scene, double stamp_s) const;
  /// Whether set_poses() gave it a pose.
  [[nodiscard]] bool is_placed(std::uint32_t environment) const { return poses_[environment].has_value(); }
  /// Its velocity in the world there; 0 if its pose was set.
  [[nodiscard]] RigidSpeed speed(std::uint32_t environment, const Scene& scene, double stamp_s) const;
  [[nodiscard]] const StagedChain& chain(std::uint32_t environment) const {
    return chains_[chains_.size() == 1 ? 0 : environment];
  }
  [[nodiscard]] const SensorView& view(std::uint32_t environment) const {
    return models_.empty() ? prepared_.view() : models_[environment].view;
  }
  /// Null if its rays are lines.
  [[nodiscard]] const SamplePlan* samples(std::uint32_t environment) const {
    return divergence_of(sensor(), view(environment)).diverges() ? echoes(environment) : nullptr;
  }
  /// RenderJob::echoes.
  [[nodiscard]] const SamplePlan* echoes(std::uint32_t environment) const {
    return models_.empty() || prepared_.echoes() == nullptr ? prepared_.echoes() : &models_[environment].echoes;
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
  [[nodiscard]] SensorMotion& motion(std::uint32_t environment) { return motion_[environment]; }
  [[nodiscard]] std::span<const double> drawn() const { return drawn_; }  ///< [environments, ranges]
  [[nodiscard]] const std::vector<ParameterRange>& ranges() const { return ranges_; }
  [[nodiscard]] const PreparedSensor& prepared() const { return prepared_; }
  [[nodiscard]] const Sensor& sensor() const { return prepared_.sensor(); }

 private:
  /// The parameters of the sensor's kind in an environment.
  struct OwnModel {
    SensorModel model;
    SensorView view;
    SamplePlan echoes;
  };
  [[nodiscard]] Drawn draw_from(NoiseChain noise, bool is_own, std::span<const Entity> entities,
                                std::uint64_t episode_seed) const;
  void check_rays(std::uint32_t environments) const;
  void check_noise(const NoiseChain& noise, std::span<const Entity> entities) const;
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
  std::vector<Pose> offsets_;                         // [environments], or empty without draws
  std::vector<Trajectory> motions_;         // [environments], with the offsets, used unless a pose was set; or empty
  std::vector<double> drawn_;               // [environments, ranges]
  mutable std::vector<FreshFrames> fresh_;  // [environments]
  std::vector<SensorMotion> motion_;        // [environments]
};

/// Entities whose pose in some environments differs from the scene's.
class MovedEntities {
 public:
  /// Messages count environments from `first`.
  MovedEntities(std::uint32_t environments, std::uint32_t first)
      : environments_(environments), first_(first), revisions_(environments) {}

  /// Whether all entities have the scene's poses.
  [[nodiscard]] bool empty() const { return moved_.empty(); }
  /// These entities and those below them, parents before children.
  [[nodiscard]] std::span<const EntityId> subtrees(const Scene& scene);
  /// Counts the changes of poses in an environment.
  [[nodiscard]] std::uint64_t revision(std::uint32_t environment) const { return revisions_[environment]; }

  /// The pose of entity k in the i-th of the environments is poses[i * K + k]. Throws InputError for a wrong pose or
  /// entity, and then changes nothing. Allocates only for entities that were never moved.
  void set(const Scene& scene, std::span<const std::uint32_t> environments, std::span<const EntityId> entities,
           const PoseArrays& poses, Executor& executor);

  /// Adds an offset to the entity's pose in an environment, whether that pose was set or is the scene's.
  void set_offset(const Scene& scene, std::uint32_t environment, EntityId entity, const Pose& offset);

  /// Gives the entities of the scene their poses in an environment at a time. Only motions, copied with all keys, keep
  /// the velocity.
  void place(std::uint32_t environment, double stamp_s, bool keeps_velocity, Scene& scene) const;

 private:
  struct Moved {
    EntityId entity = {};
    Trajectory by_scene = {};                    // used unless a pose was set
    std::vector<std::optional<Pose>> pose = {};  // [environments], as set
    std::vector<Pose> offset = {};               // [environments], or empty without offsets
    std::vector<Trajectory> motion = {};         // [environments], by_scene with the offsets; or empty
  };

  void check(const Scene& scene, std::span<const std::uint32_t> environments, std::span<const EntityId> entities,
             const PoseArrays& poses, Executor& executor) const;
  std::uint32_t find_place(const Scene& scene, EntityId entity);
  void find_places(const Scene& scene, std::span<const EntityId> entities);

  std::uint32_t environments_, first_;
  std::vector<std::uint64_t> revisions_;  // [environments]
  std::vector<Moved> moved_;
  std::vector<EntityId> subtrees_;
  std::size_t in_subtrees_ = 0;          // entities of moved_
  std::vector<std::uint32_t> place_of_;  // [entities]: in moved_, or beyond its end
  std::vector<std::uint32_t> places_;    // of the entities of a call
};

/// The numbers that episodes draw for the entities of a scene.
class DrawnEntities {
 public:
  /// Draws nothing before keep(). `reflectivity`: of the entities, unless drawn. Throws InputError for a range that is
  /// not for an entity.
  DrawnEntities(const Scene& scene, std::span<const float> reflectivity, std::vector<ParameterRange> ranges,
                std::uint32_t environments)
      : ranges_(std::move(ranges)), entities_(scene.entities().size()) {
    for (const ParameterRange& range : ranges_) check_range(scene.entities(), range);
    values_.resize(environments * ranges_.size());
    for (std::uint32_t e = 0; e < (ranges_.empty() ? 1 : environments); ++e) {
      reflectivity_.insert(reflectivity_.end(), reflectivity.begin(), reflectivity.end());
    }
  }

  [[nodiscard]] EntityDraw draw(const Scene& scene, std::uint64_t episode_seed) const {
    return draw_entities(scene.entities(), ranges_, episode_seed);
  }
  /// `moved`: takes the offsets of poses.
  void keep(std::uint32_t environment, const EntityDraw& drawn, const Scene& scene, MovedEntities& moved) {
    std::copy(drawn.values.begin(), drawn.values.end(),
              values_.begin() + static_cast<std::ptrdiff_t>(environment * ranges_.size()));
    const std::size_t first = environment * entities_;
    for (const auto& [entity, value] : drawn.reflectivity) reflectivity_[first + index(entity)] = value;
    for (const auto& [entity, offset] : drawn.offset) moved.set_offset(scene, environment, entity, offset);
  }

  /// [entities], in an environment.
  [[nodiscard]] std::span<const float> reflectivity(std::uint32_t environment) const {
    return std::span(reflectivity_).subspan(ranges_.empty() ? 0 : environment * entities_, entities_);
  }
  [[nodiscard]] std::vector<ParameterRange::Drawn> drawn(std::uint32_t environment) const {
    return named_values(ranges_, std::span(values_).subspan(environment * ranges_.size(), ranges_.size()));
  }
  [[nodiscard]] std::span<const double> values() const { return values_; }  ///< [environments, ranges]
  [[nodiscard]] std::span<const ParameterRange> ranges() const { return ranges_; }

 private:
  std::vector<ParameterRange> ranges_;
  std::size_t entities_;
  std::vector<double> values_;       // [environments, ranges]
  std::vector<float> reflectivity_;  // [entities], or [environments, entities]
};

}  // namespace fathom
