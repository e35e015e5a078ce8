// SPDX-License-Identifier: MIT
#include "render/environment_sensor.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "base/text.hpp"
#include "scene/world_poses.hpp"

namespace fathom {

EnvironmentSensor::EnvironmentSensor(Sensor sensor, std::vector<ParameterRange> ranges,
                                     std::span<const Entity> entities, std::uint32_t environments)
    : prepared_(std::move(sensor), entities), ranges_(std::move(ranges)), environments_(environments) {
  const CastPlan& plan = prepared_.plan();
  if (prepared_.sensor().rolling) {
    throw InputError(
        fmt::format("sensor '{}': environments cast whole frames, not rolling ones", prepared_.sensor().name));
  }
  if (prepared_.sensor().timing.freeze > 0.0 && prepared_.view().rays_vary) {
    throw InputError(fmt::format(
        "sensor '{}': timing.freeze = {}: its rays differ from frame to frame, and all environments share them",
        prepared_.sensor().name, number_text(prepared_.sensor().timing.freeze)));
  }
  const std::uint64_t rows = std::uint64_t{environments} * plan.rows;
  if (rows * plan.cols > kMaxRays || rows > 0xffffffffU) {
    throw InputError(fmt::format("{} environments of {} x {} rays are not in [1, {}] rays", environments, plan.rows,
                                 plan.cols, kMaxRays));
  }
  for (const ParameterRange& range : ranges_) check_range(prepared_.sensor().noise, range);
  poses_.resize(environments);
  chains_.assign(ranges_.empty() ? 1 : environments, prepared_.chain());
  drawn_.resize(ranges_.empty() ? 0 : chains_.size() * ranges_.size());
}

EnvironmentSensor::Drawn EnvironmentSensor::draw_from(NoiseChain noise, std::span<const Entity> entities,
                                                      std::uint64_t episode_seed) const {
  Drawn drawn;
  for (const ParameterRange& range : ranges_) {
    drawn.values.push_back(draw_into(noise, sensor().name, range, episode_seed));
  }
  drawn.chain = prepared_.staged_chain(noise, entities);
  return drawn;
}

EnvironmentSensor::Drawn EnvironmentSensor::draw(std::uint32_t environment, std::span<const Entity> entities,
                                                 std::uint64_t episode_seed) const {
  const bool has_own = !own_noise_.empty() && own_noise_[environment];
  return draw_from(has_own ? *own_noise_[environment] : sensor().noise, entities, episode_seed);
}

void EnvironmentSensor::keep(std::uint32_t environment, Drawn drawn) {
  const auto first = static_cast<std::ptrdiff_t>(std::size_t{environment} * ranges_.size());
  std::copy(drawn.values.begin(), drawn.values.end(), drawn_.begin() + first);
  chains_[environment] = std::move(drawn.chain);
}

void EnvironmentSensor::set_noise(std::uint32_t environment, NoiseChain noise, std::span<const Entity> entities,
                                  std::uint64_t episode_seed) {
  prepared_.check_noise(noise, entities);
  for (const ParameterRange& range : ranges_) check_range(noise, range);
  Drawn drawn = draw_from(noise, entities, episode_seed);
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

Pose EnvironmentSensor::world_from_sensor(std::uint32_t environment, const Scene& scene, double stamp_s) const {
  const Sensor& s = sensor();
  Pose pose = poses_[environment] ? *poses_[environment] : s.parent_from_sensor.at(stamp_s);
  if (s.parent != kNoEntity) pose = scene.world_from_entity(s.parent, stamp_s) * pose;
  check_place(pose.translation_m, "sensor", s.name);
  pose.rotation = aligned(prepared_.view().axes, pose.rotation);
  return pose;
}

}  // namespace fathom
