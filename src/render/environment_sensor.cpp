// SPDX-License-Identifier: MIT
#include "render/environment_sensor.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "base/errors.hpp"
#include "base/text.hpp"
#include "scene/pose_offset.hpp"
#include "scene/world_poses.hpp"

namespace fathom {

EnvironmentSensor::EnvironmentSensor(Sensor sensor, std::vector<ParameterRange> ranges,
                                     std::span<const Entity> entities, std::uint32_t environments)
    : prepared_(std::move(sensor), entities), ranges_(std::move(ranges)), environments_(environments) {
  check_rays(environments);
  check_ranges();
  poses_.resize(environments);
  fresh_.resize(environments);
  chains_.assign(draws_noise_ ? environments : 1, prepared_.chain());
  drawn_.resize(environments * ranges_.size());
  if (draws_pose(ranges_)) {
    offsets_.resize(environments);
    motions_.assign(environments, this->sensor().parent_from_sensor);
  }
  if (!draws_model(ranges_)) return;
  models_.assign(environments, {this->sensor().model, prepared_.view()});
  const auto changes = [&](const ParameterRange& range) { return changes_rays(this->sensor().model, range); };
  if (std::any_of(ranges_.begin(), ranges_.end(), changes)) own_rays_.resize(environments);
}

void EnvironmentSensor::check_ranges() {
  for (auto range = ranges_.begin(); range != ranges_.end(); ++range) {
    if (range->target == RangeTarget::kNoise) {
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
  if (prepared_.sensor().timing.freeze > 0.0 && prepared_.view().rays_vary) {
    throw InputError(fmt::format(
        "sensor '{}': timing.freeze = {}: its rays differ from frame to frame, and all environments share them",
        prepared_.sensor().name, number_text(prepared_.sensor().timing.freeze)));
  }
  const std::uint64_t rows = std::uint64_t{environments} * plan.rows;
  if (rows * plan.cols * prepared_.returns() > kMaxRays || rows > 0xffffffffU) {
    throw InputError(fmt::format("{} environments of {} x {} rays are not in [1, {}] rays", environments, plan.rows,
                                 plan.cols, kMaxRays));
  }
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
  own = {*std::move(numbers.model), {}};
  own.view = make_view(own.model);
  if (!own_rays_.empty()) own_rays_[environment].set_model(own.model, false);
}

void EnvironmentSensor::set_noise(std::uint32_t environment, NoiseChain noise, std::span<const Entity> entities,
                                  std::uint64_t episode_seed) {
  prepared_.check_noise(noise, entities);
  for (const ParameterRange& range : ranges_) {
    if (range.target == RangeTarget::kNoise) check_range(noise, range);
  }
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

}  // namespace fathom
