// SPDX-License-Identifier: MIT
#include "render/prepared_sensor.hpp"

#include <utility>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "base/with_prefix.hpp"
#include "render/check_chain.hpp"
#include "render/seen_masks.hpp"

namespace fathom {

namespace {

/// Calls f; what it throws as InputError gets the sensor's name in front.
template <class F>
void named(const Sensor& sensor, F f) {
  with_prefix([&] { return fmt::format("sensor '{}'", sensor.name); }, f);
}

}  // namespace

PreparedSensor::PreparedSensor(Sensor sensor, std::span<const Entity> entities) : sensor_(std::move(sensor)) {
  if (sensor_.name.empty()) throw InputError("a sensor needs a name");
  named(sensor_, [&] {
    if (sensor_.parent != kNoEntity && index(sensor_.parent) >= entities.size()) {
      throw InputError(fmt::format("entity {} is not in [0, {})", index(sensor_.parent), entities.size()));
    }
    check_ignored(sensor_, entities.size());
    rays_ = make_pattern(sensor_.model);
    view_ = make_view(sensor_.model);
    make_plan(rays_, sensor_.rolling, plan_);
    check_noise(sensor_.noise, entities);
  });
  chain_ = staged_chain(sensor_.noise, entities);
}

void PreparedSensor::set_noise(NoiseChain noise, std::span<const Entity> entities) {
  named(sensor_, [&] { check_noise(noise, entities); });
  chain_ = staged_chain(noise, entities);
  sensor_.noise = std::move(noise);
}

void PreparedSensor::check_noise(const NoiseChain& noise, std::span<const Entity> entities) const {
  check_chain(noise, make_traits(view_, sensor_.rolling), sensor_.model, entities.size());
}

StagedChain PreparedSensor::staged_chain(const NoiseChain& noise, std::span<const Entity> entities) const {
  return stage_chain(sensor_.name, noise, sensor_.range_policy.value_or(view_.usual_policy), entities, view_.closes);
}

void PreparedSensor::set_frame(std::uint32_t index) {
  if (frame_ == index || !view_.rays_vary) return;
  update_pattern(sensor_.model, index, rays_);
  make_plan(rays_, sensor_.rolling, plan_);
  frame_ = index;
}

}  // namespace fathom
