// SPDX-License-Identifier: MIT
#include "render/environment_parts.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "scene/poses.hpp"

namespace fathom {

std::uint32_t Episodes::local(std::uint32_t environment) const {
  if (environment >= first_ && environment - first_ < count()) return environment - first_;
  throw InputError(
      fmt::format("environment {} is not in [{}, {})", environment, first_, std::uint64_t{first_} + count()));
}

std::span<const std::uint32_t> Episodes::select(const EnvironmentNumbers& environments) {
  selected_.clear();
  if (!environments) {
    for (std::uint32_t e = 0; e < count(); ++e) selected_.push_back(e);
    return selected_;
  }
  ++mark_;
  for (const std::uint32_t environment : *environments) {
    const std::uint32_t e = local(environment);
    if (marks_[e] == mark_) throw InputError(fmt::format("environment {} is there twice", environment));
    marks_[e] = mark_;
    selected_.push_back(e);
  }
  return selected_;
}

std::vector<Episodes::Start> Episodes::starts(const EnvironmentNumbers& environments, const Numbers& episodes) {
  const std::size_t wanted = environments ? environments->size() : count();
  if (episodes && episodes->size() != wanted) {
    throw InputError(fmt::format("{} episodes are given for {} environments", episodes->size(), wanted));
  }
  std::vector<Start> starts;
  for (const std::uint32_t e : select(environments)) {
    if (!episodes && episodes_[e] == 0xffffffffU) {
      throw InputError(fmt::format("environment {} is in its last episode", std::uint64_t{first_} + e));
    }
    starts.push_back({e, episodes ? (*episodes)[starts.size()] : episodes_[e] + 1});
  }
  return starts;
}

EnvironmentSensor::EnvironmentSensor(Sensor sensor, std::vector<ParameterRange> ranges,
                                     std::span<const Entity> entities, std::uint32_t environments, CastOrder order)
    : prepared_(std::move(sensor), entities, order), ranges_(std::move(ranges)), environments_(environments) {
  check_rays(environments);
  check_ranges();
  poses_.resize(environments);
  fresh_.resize(environments), motion_.resize(environments);
  chains_.assign(draws_noise_ ? environments : 1, prepared_.chain());
  drawn_.resize(environments * ranges_.size());
  if (draws_pose(ranges_)) {
    offsets_.resize(environments);
    motions_.assign(environments, this->sensor().parent_from_sensor);
  }
  if (!draws_model(ranges_)) return;
  models_.assign(environments, {this->sensor().model, prepared_.view(),
                                make_sample_plan(this->sensor(), divergence_of(this->sensor(), prepared_.view()))});
  const auto changes = [&](const ParameterRange& range) { return changes_rays(this->sensor().model, range); };
  if (std::any_of(ranges_.begin(), ranges_.end(), changes)) own_rays_.assign(environments, SensorRays(order));
}

void EnvironmentSensor::check_ranges() {
  for (auto range = ranges_.begin(); range != ranges_.end(); ++range) {
    if (range->target == ParameterRange::Target::kNoise) {
      check_range(sensor(), *range);
      draws_noise_ = true;
      continue;
    }
    with_prefix([&] { return fmt::format("sensor '{}'", sensor().name); },
                [&] {
                  check_range(sensor(), *range);
                  for (auto before = ranges_.begin(); before != range; ++before) {
                    check_together(sensor(), *before, *range);
                  }
                });
  }
}

void EnvironmentSensor::check_rays(std::uint32_t environments) const {
  const CastPlan& plan = prepared_.plan();
  if (sensor().rolling) {
    throw InputError(fmt::format("sensor '{}': environments cast whole frames, not rolling ones", sensor().name));
  }
  const RayPattern::Shape image = prepared_.shape();
  const std::uint64_t rows = std::uint64_t{environments} * std::max(plan.rows, image.rows);
  if (rows * std::max(plan.cols, image.cols) * prepared_.returns() > kMaxRays || rows > 0xffffffffU) {
    throw InputError(fmt::format("{} environments of {} x {} rays are not in [1, {}] rays", environments, plan.rows,
                                 plan.cols, kMaxRays));
  }
}

void EnvironmentSensor::check_shared_rays() const {
  if (!(sensor().timing.freeze > 0.0) || !prepared_.view().rays_vary) return;
  throw InputError(fmt::format(
      "sensor '{}': timing.freeze = {}: its rays differ from frame to frame, and all environments share them",
      sensor().name, number_text(sensor().timing.freeze)));
}

EnvironmentSensor::Drawn EnvironmentSensor::draw_from(NoiseChain noise, bool is_own, std::span<const Entity> entities,
                                                      std::uint64_t episode_seed) const {
  Drawn drawn{draw_sensor(sensor(), std::move(noise), ranges_, episode_seed), {}};
  if (is_own || draws_noise_) drawn.chain = prepared_.staged_chain(drawn.numbers.noise, entities);
  return drawn;
}

EnvironmentSensor::Drawn EnvironmentSensor::draw(std::uint32_t environment, std::span<const Entity> entities,
                                                 std::uint64_t episode_seed) const {
  const bool has_own = !own_noise_.empty() && own_noise_[environment];
  return draw_from(has_own ? *own_noise_[environment] : sensor().noise, has_own, entities, episode_seed);
}

void EnvironmentSensor::keep(std::uint32_t environment, Drawn drawn) {
  SensorDraw& numbers = drawn.numbers;
  const auto first = static_cast<std::ptrdiff_t>(std::size_t{environment} * ranges_.size());
  std::copy(numbers.values.begin(), numbers.values.end(), drawn_.begin() + first);
  if (drawn.chain) chains_[environment] = *std::move(drawn.chain);
  if (numbers.offset) {
    offsets_[environment] = *numbers.offset;
    motions_[environment] = moved(sensor().parent_from_sensor, *numbers.offset);
  }
  if (!numbers.model) return;
  OwnModel& own = models_[environment];
  own = {*std::move(numbers.model), {}, {}};
  own.view = make_view(own.model);
  own.echoes = make_sample_plan(sensor(), divergence_of(sensor(), own.view));
  if (!own_rays_.empty()) own_rays_[environment].set_model(own.model, false);
}

void EnvironmentSensor::check_noise(const NoiseChain& noise, std::span<const Entity> entities) const {
  prepared_.check_noise(noise, entities);
  for (const ParameterRange& range : ranges_) {
    if (range.target == ParameterRange::Target::kNoise) check_range(noise, range);
  }
}

void EnvironmentSensor::set_noise(NoiseChain noise, std::span<const Entity> entities, const Episodes& episodes) {
  check_noise(noise, entities);
  std::vector<Drawn> drawn;
  for (std::uint32_t e = 0; e < environments_ && draws_noise_; ++e) {
    drawn.push_back(draw_from(noise, true, entities, episodes.seed_of(e)));
  }
  prepared_.set_noise(std::move(noise), entities);
  own_noise_.clear();
  chains_.assign(draws_noise_ ? environments_ : 1, prepared_.chain());
  for (std::uint32_t e = 0; e < drawn.size(); ++e) keep(e, std::move(drawn[e]));
}

void EnvironmentSensor::set_noise(std::uint32_t environment, NoiseChain noise, std::span<const Entity> entities,
                                  std::uint64_t episode_seed) {
  check_noise(noise, entities);
  Drawn drawn = draw_from(noise, true, entities, episode_seed);
  own_noise_.resize(environments_);
  if (chains_.size() == 1) chains_.resize(environments_, StagedChain(chains_[0]));
  own_noise_[environment] = std::move(noise);
  keep(environment, std::move(drawn));
}

void EnvironmentSensor::set_poses(std::span<const std::uint32_t> environments, const PoseArrays& poses,
                                  std::uint32_t first) {
  for (std::size_t i = 0; i < environments.size(); ++i) {
    if (is_valid(poses[i])) continue;
    const std::uint64_t environment = std::uint64_t{first} + environments[i];
    static_cast<void>(
        checked_pose(poses[i], fmt::format("environment {}, sensor '{}'", environment, sensor().name)));  // throws
  }
  for (std::size_t i = 0; i < environments.size(); ++i) poses_[environments[i]] = checked_pose(poses[i], "pose");
}

void EnvironmentSensor::set_frame(std::uint32_t index, std::span<const std::uint32_t> environments) {
  if (own_rays_.empty()) return prepared_.set_frame(index);
  if (!prepared_.view().rays_vary) return;
  for (const std::uint32_t e : environments) own_rays_[e].set_frame(models_[e].model, false, index);
}

Pose EnvironmentSensor::world_from_sensor(std::uint32_t environment, const Scene& scene, double stamp_s) const {
  const Sensor& s = sensor();
  const bool is_offset = !offsets_.empty();
  Pose pose;
  if (const std::optional<Pose>& set = poses_[environment]) {
    pose = is_offset ? moved(*set, offsets_[environment]) : *set;
  } else {
    pose = (is_offset ? motions_[environment] : s.parent_from_sensor).at(stamp_s);
  }
  if (s.parent != kNoEntity) pose = scene.world_from_entity(s.parent, stamp_s) * pose;
  check_place(pose.translation_m, "sensor", s.name);
  pose.rotation = aligned(prepared_.view().axes, pose.rotation);
  return pose;
}

RigidSpeed EnvironmentSensor::speed(std::uint32_t environment, const Scene& scene, double stamp_s) const {
  const Sensor& s = sensor();
  Motion motion;
  if (const std::optional<Pose>& set = poses_[environment]) {
    motion.pose = offsets_.empty() ? *set : moved(*set, offsets_[environment]);
  } else {
    motion = motion_at(offsets_.empty() ? s.parent_from_sensor : motions_[environment], stamp_s);
  }
  return narrow((motion_at(scene, s.parent, stamp_s) * motion).twist);
}

namespace {

/// Poses of a task of set().
constexpr std::size_t kPosesPerTask = 4096;

/// Environments of a task; `poses`: of each environment.
std::size_t environments_per_task(std::size_t poses) { return 1 + kPosesPerTask / (poses + 1); }

}  // namespace

void MovedEntities::set(const Scene& scene, std::span<const std::uint32_t> environments,
                        std::span<const EntityId> entities, const PoseArrays& poses, Executor& executor) {
  check(scene, environments, entities, poses, executor);
  if (environments.empty()) return;
  find_places(scene, entities);
  const std::size_t count = entities.size();
  executor.parallel_for(environments.size(), environments_per_task(count), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      ++revisions_[environments[i]];
      for (std::size_t k = 0; k < count; ++k) moved_[places_[k]].pose[environments[i]] = poses[i * count + k];
    }
  });
}

void MovedEntities::check(const Scene& scene, std::span<const std::uint32_t> environments,
                          std::span<const EntityId> entities, const PoseArrays& poses, Executor& executor) const {
  for (const EntityId entity : entities) {
    if (index(entity) >= scene.entities().size()) {
      throw InputError(fmt::format("entity {} is not in [0, {})", index(entity), scene.entities().size()));
    }
  }
  std::atomic<std::size_t> wrong = poses.size();  // the first wrong pose, for any order of the threads
  executor.parallel_for(poses.size(), kPosesPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (is_valid(poses[i])) continue;
      std::size_t least = wrong.load();
      while (i < least && !wrong.compare_exchange_weak(least, i)) {
      }
      return;
    }
  });
  if (wrong == poses.size()) return;
  const Entity& entity = scene.entities()[index(entities[wrong % entities.size()])];
  const std::uint64_t environment = std::uint64_t{first_} + environments[wrong / entities.size()];
  static_cast<void>(
      checked_pose(poses[wrong], fmt::format("environment {}, entity '{}'", environment, entity.name)));  // throws
}

std::uint32_t MovedEntities::find_place(const Scene& scene, EntityId entity) {
  place_of_.resize(scene.entities().size(), 0xffffffffU);
  std::uint32_t& place = place_of_[index(entity)];
  if (place >= moved_.size()) {
    Moved& moved = moved_.emplace_back();
    moved.entity = entity;
    moved.by_scene = scene.entities()[index(entity)].parent_from_entity;
    moved.pose.resize(environments_);
    place = static_cast<std::uint32_t>(moved_.size() - 1);
  }
  return place;
}

void MovedEntities::find_places(const Scene& scene, std::span<const EntityId> entities) {
  places_.clear();
  for (const EntityId entity : entities) places_.push_back(find_place(scene, entity));
}

std::span<const EntityId> MovedEntities::subtrees(const Scene& scene) {
  if (in_subtrees_ == moved_.size()) return subtrees_;
  subtrees_.clear();
  for (const Moved& m : moved_) subtrees_.push_back(m.entity);
  subtrees_ = with_children(scene, subtrees_);
  in_subtrees_ = moved_.size();
  return subtrees_;
}

void MovedEntities::set_offset(const Scene& scene, std::uint32_t environment, EntityId entity, const Pose& offset) {
  Moved& m = moved_[find_place(scene, entity)];
  m.offset.resize(environments_);
  m.motion.resize(environments_, m.by_scene);
  m.offset[environment] = offset;
  m.motion[environment] = moved(m.by_scene, offset);
  ++revisions_[environment];
}

void MovedEntities::place(std::uint32_t environment, double stamp_s, bool keeps_velocity, Scene& scene) const {
  for (const Moved& m : moved_) {
    const bool is_offset = !m.offset.empty();
    if (const std::optional<Pose>& set = m.pose[environment]) {
      scene.set_pose(m.entity, is_offset ? moved(*set, m.offset[environment]) : *set);
    } else {
      const Trajectory& path = is_offset ? m.motion[environment] : m.by_scene;
      if (keeps_velocity && !path.is_fixed()) {
        scene.set_motion(m.entity, path);
      } else {
        scene.set_pose(m.entity, path.at(stamp_s));
      }
    }
  }
}

}  // namespace fathom
