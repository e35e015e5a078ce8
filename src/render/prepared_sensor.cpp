// SPDX-License-Identifier: MIT
#include "render/prepared_sensor.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/f32.hpp>
#include <fathom/sensor/presets.hpp>
#include <fathom/simulate/sensor.hpp>

#include "core/errors.hpp"
#include "render/chain.hpp"
#include "render/entity_tables.hpp"

namespace fathom {

namespace {

/// Calls f; puts the sensor's name before an InputError of it.
template <class F>
void named(const Sensor& sensor, F f) {
  with_prefix([&] { return fmt::format("sensor '{}'", sensor.name); }, f);
}

/// Throws InputError for a chain that does not suit the sensor, or its velocity.
void check_chains(const Sensor& sensor, const NoiseChain& noise, const SensorView& view, std::size_t entities) {
  const SensorTraits traits = make_traits(view, sensor.rolling, sensor.returns.size());
  check_chain(noise, traits, sensor.model, entities);
  with_prefix([] { return std::string("velocity_noise"); },
              [&] {
                for (const ChainEntry& entry : sensor.velocity_noise) {
                  check_velocity_model(entry.noise);
                  for (const EntityEntry& other : entry.by_entity) check_velocity_model(other.noise);
                  for (const RingEntry& other : entry.by_ring) check_velocity_model(other.noise);
                }
                check_chain(sensor.velocity_noise, traits, sensor.model, entities);
              });
}

/// Throws InputError for a divergence or returns that do not suit the sensor.
void check_returns(const Sensor& sensor, const SensorView& view) {
  validate(sensor.divergence, sensor.returns);
  check_divergence(sensor.divergence, view);
  const RayPattern::Shape shape = pattern_shape(sensor.model);
  if (std::uint64_t{shape.rows} * shape.cols * sensor.returns.size() > kMaxRays) {
    throw InputError(fmt::format("{} returns of {} x {} rays are more than {} in a frame", sensor.returns.size(),
                                 shape.rows, shape.cols, kMaxRays));
  }
}

}  // namespace

Sensor preset_sensor(std::string name, std::string_view preset) {
  const SensorPreset& found = find_preset(preset);
  Sensor sensor;
  sensor.name = std::move(name);
  sensor.model = found.model;
  sensor.noise = found.noise;
  sensor.detection = found.detection;
  sensor.filters = found.filters;
  sensor.aligned_to = found.aligned_to;
  return sensor;
}

RayPattern::Shape image_shape(const Sensor& sensor) {
  if (sensor.aligned_to) return {sensor.aligned_to->height, sensor.aligned_to->width};
  return pattern_shape(sensor.model);
}

std::optional<Intrinsics> image_lens(const Sensor& sensor) {
  if (!sensor.aligned_to) return lens_of(sensor.model);
  const AlignedCamera& camera = *sensor.aligned_to;
  return Intrinsics{camera.fx, camera.fy, camera.cx, camera.cy};
}

const Divergence& divergence_of(const Sensor& sensor, const SensorView& view) {
  // Without an angle a sensor still gives the separation of echoes; a pixel joins all that it sees.
  const bool is_pixel = std::holds_alternative<TofCamera>(sensor.model);
  return is_pixel && !sensor.divergence.diverges() ? view.divergence : sensor.divergence;
}

float beam_angle(const Divergence& divergence) {
  const float across = divergence.horizontal_rad, up = divergence.vertical_rad;
  return across > 0.0F && up > 0.0F ? math::sqrt(across * up) : std::max(across, up);
}

PreparedSensor::PreparedSensor(Sensor sensor, std::span<const Entity> entities, CastOrder order)
    : sensor_(std::move(sensor)), rays_(order) {
  if (sensor_.name.empty()) throw InputError("a sensor needs a name");
  named(sensor_, [&] {
    if (sensor_.parent != kNoEntity && index(sensor_.parent) >= entities.size()) {
      throw InputError(fmt::format("entity {} is not in [0, {})", index(sensor_.parent), entities.size()));
    }
    check_ignored(sensor_, entities.size());
    validate(sensor_.model);
    view_ = make_view(sensor_.model);
    validate(sensor_.falloff);
    validate(sensor_.detection);
    check_returns(sensor_, view_);
    check_filters(sensor_.filters, sensor_.aligned_to, sensor_.model);
    if ((sensor_.filters.any() || sensor_.aligned_to) && sensor_.returns.size() > 1) {
      throw InputError(
          fmt::format("filters and aligned_to take one return of each ray, not {}", sensor_.returns.size()));
    }
    rays_.set_model(sensor_.model, sensor_.rolling);
    validate(sensor_.light_paths);
    samples_ = make_sample_plan(sensor_, divergence_of(sensor_, view_));
    check_noise(sensor_.noise, entities);
  });
  chain_ = staged_chain(sensor_.noise, entities);
}

void PreparedSensor::set_noise(NoiseChain noise, std::span<const Entity> entities) {
  named(sensor_, [&] { check_noise(noise, entities); });
  chain_ = staged_chain(noise, entities);
  sensor_.noise = std::move(noise);
}

void PreparedSensor::replace(Sensor sensor, std::span<const Entity> entities) {
  named(sensor, [&] {
    const RayPattern::Shape shape = pattern_shape(sensor.model);
    if (shape.rows != plan().rows || shape.cols != plan().cols) {
      throw InputError(
          fmt::format("{} x {} rays cannot become {} x {}", plan().rows, plan().cols, shape.rows, shape.cols));
    }
    const SensorView view = make_view(sensor.model);
    check_filters(sensor.filters, sensor.aligned_to, sensor.model);
    check_divergence(sensor.divergence, view);
    check_chains(sensor, sensor.noise, view, entities.size());
  });
  sensor_ = std::move(sensor);
  view_ = make_view(sensor_.model);
  samples_ = make_sample_plan(sensor_, divergence_of(sensor_, view_));
  rays_.set_model(sensor_.model, sensor_.rolling);
  chain_ = staged_chain(sensor_.noise, entities);
}

void PreparedSensor::check_noise(const NoiseChain& noise, std::span<const Entity> entities) const {
  check_chains(sensor_, noise, view_, entities.size());
}

StagedChain PreparedSensor::staged_chain(NoiseChain noise, std::span<const Entity> entities) const {
  const float beam_rad = beam_angle(divergence_of(sensor_, view_));
  const auto widen = [&](auto& entry) { entry.noise = entry.noise.on_beam(beam_rad); };
  if (beam_rad > 0.0F) {
    for (ChainEntry& entry : noise) {
      widen(entry);
      std::for_each(entry.by_entity.begin(), entry.by_entity.end(), widen);
      std::for_each(entry.by_ring.begin(), entry.by_ring.end(), widen);
    }
  }
  StagedChain chain =
      stage_chain(sensor_.name, noise, sensor_.range_policy.value_or(view_.usual_policy), entities, view_.closes);
  stage_velocity(sensor_.name, sensor_.velocity_noise, entities, view_.closes, chain);
  chain.least_power = sensor_.detection.least_power();
  chain.is_filtered = sensor_.filters.any() || sensor_.aligned_to;
  return chain;
}

void PreparedSensor::set_frame(std::uint32_t index) {
  if (view_.rays_vary) rays_.set_frame(sensor_.model, sensor_.rolling, index);
}

Rigid narrow(const Pose& pose, const Vec3& origin) {
  const Vec3 x = rotate(pose.rotation, {1, 0, 0}), y = rotate(pose.rotation, {0, 1, 0}),
             z = rotate(pose.rotation, {0, 0, 1}), t = pose.translation_m - origin;
  const auto f = [](double v) { return static_cast<float>(v); };
  return {{f(x.x), f(y.x), f(z.x), f(x.y), f(y.y), f(z.y), f(x.z), f(y.z), f(z.z)}, {f(t.x), f(t.y), f(t.z)}};
}

RigidSpeed narrow(const Twist& twist) {
  const Vec3 &v = twist.linear_m_s, &w = twist.turn_rad_s;
  const auto f = [](double x) { return static_cast<float>(x); };
  return {{f(v.x), f(v.y), f(v.z)}, {f(w.x), f(w.y), f(w.z)}};
}

void find_places(const StagedChain& chain, const Scene& scene, double stamp_s, const Vec3& cast_origin_m,
                 std::vector<Rigid>& places) {
  places.clear();
  for (const EntityId frame : chain.frames) {
    const Pose world = frame == kNoEntity ? Pose{} : scene.world_from_entity(frame, stamp_s);
    places.push_back(narrow(inverse(world) * Pose{cast_origin_m, {}}, {}));
  }
}

namespace {

CameraOffset turned(const Rigid& cast_from_sensor, const Vec3& at) {
  const float* r = cast_from_sensor.r;
  const auto x = static_cast<float>(at.x), y = static_cast<float>(at.y), z = static_cast<float>(at.z);
  return {r[0] * x + r[1] * y + r[2] * z, r[3] * x + r[4] * y + r[5] * z, r[6] * x + r[7] * y + r[8] * z};
}

}  // namespace

RigView view_rig(const SensorView& view, const Rigid& cast_from_sensor) {
  RigView rig;
  rig.optics = view.optics;
  rig.apart = view.optics.baseline_m > 0.0F;
  if (!rig.apart) return rig;
  rig.left = turned(cast_from_sensor, view.cameras.left_m);
  rig.right = turned(cast_from_sensor, view.cameras.right_m);
  return rig;
}

}  // namespace fathom
