// SPDX-License-Identifier: MIT
#pragma once
// Random rooms, sensors and chains for the laws of devices, and the comparison of all channels.

#include <fathom/noise/noise.hpp>

#include "render/stereo_scenes.hpp"

namespace fathom::test {

inline double any_between(double low, double high) { return low + (high - low) * *rc::gen::inRange(0, 1001) * 1e-3; }

/// A value of a parameter; of numbers half the time a small one, as sensors have them.
inline FieldValue any_value(const FieldInfo& field) {
  switch (field.kind) {
    case FieldKind::kFlag:
      return field_value(field, *rc::gen::inRange(0, 2));
    case FieldKind::kChoice:
      return field_value(field, *rc::gen::inRange(0, static_cast<int>(field.choices.size())));
    default:
      break;
  }
  const double high = *rc::gen::arbitrary<bool>() ? std::min(field.high, field.low + 0.1) : std::min(field.high, 5.0);
  return field_value(field, any_between(std::max(field.low, -1.0), std::max(high, field.low)));
}

/// `placed`: a cloud with a region.
inline Noise any_noise_of(const NoiseInfo& info, bool placed = false) {
  if (info.slug == BeamMixture::kSlug) {
    const auto sigma = static_cast<float>(any_between(0.001, 2.0));
    return BeamMixture{.w_hit = 0.5F,
                       .w_short = 0.25F,
                       .w_max = 0.125F,
                       .w_rand = 0.125F,
                       .sigma_hit_m = sigma,
                       .lambda_short_per_m = static_cast<float>(*rc::gen::inRange(0, 4)),
                       .miss = *rc::gen::arbitrary<bool>() ? MissPolicy::kAtom : MissPolicy::kBook};
  }
  std::vector<FieldValue> values;
  for (const FieldInfo& field : info.fields) {
    // The same in a chain.
    const bool is_reading = field.name == "energy" || field.name.ends_with("_exponent") || field.name.ends_with("_klx");
    if (info.slug == StereoEnergy::kSlug && is_reading) continue;
    if (info.slug == InvalidBand::kSlug && field.name == "left_band") {
      values.push_back(field_value(field, 0));  // suits the left camera alone
      continue;
    }
    const bool is_region = placed && field.name == "region";
    values.push_back(is_region ? field_value(field, *rc::gen::inRange(1, 3)) : any_value(field));
  }
  return make_noise(info.slug, values);
}

/// Sizes that the sensor's columns hold, should they close.
inline Correlation any_correlation(const Sensor& sensor) {
  const bool stereo = std::holds_alternative<StereoCamera>(sensor.model);
  const double most_px = stereo ? 3.0 : pattern_shape(sensor.model).cols / 16.0;
  Correlation correlation;
  correlation.shape = *rc::gen::element(CorrelationShape::kGaussian, CorrelationShape::kExponential);
  correlation.across_px = static_cast<float>(any_between(0, most_px));
  correlation.down_px = static_cast<float>(any_between(0, 3));
  if (*rc::gen::arbitrary<bool>()) correlation.across_px = 0;
  correlation.time_s = *rc::gen::element(0.0, 0.07, 0.3, 1e9, double{math::kInfinity});
  correlation.motion_m = *rc::gen::element(0.0, 0.0, 0.05), correlation.motion_rad = *rc::gen::element(0.0, 0.0, 0.3);
  return correlation;
}

/// One to five entries of models that suit the sensor, some with others for the table or for ring 1.
inline NoiseChain any_chain(const Sensor& sensor) {
  const bool stereo = std::holds_alternative<StereoCamera>(sensor.model), one_origin = stereo || !sensor.rolling;
  NoiseChain chain;
  for (int k = *rc::gen::inRange(1, 6); k > 0; --k) {
    const NoiseInfo& info = *rc::gen::elementOf(noise_models());
    const SurfaceNeeds& needs = info.needs;
    if (!stereo && (needs.camera || needs.baseline || needs.sight)) continue;
    if (needs.neighbours && !one_origin) continue;
    const auto is_there = [](const ChainEntry& other) { return other.noise.stage() == Stage::kImage; };
    if (info.stage == Stage::kImage && std::ranges::any_of(chain, is_there)) continue;  // one in a chain
    if (sensor.returns.size() > 1 && (needs.neighbours || info.stage == Stage::kReading)) continue;
    ChainEntry entry(any_noise_of(info));
    const bool may_differ = info.stage != Stage::kRay && info.stage != Stage::kReading && info.stage != Stage::kImage;
    const int differs = may_differ ? *rc::gen::inRange(0, 4) : needs.place ? *rc::gen::inRange(0, 2) : 0;
    if (differs == 1) {
      entry.by_entity = {{EntityId{1}, any_noise_of(info, needs.place)},
                         {EntityId{2}, any_noise_of(info, needs.place)}};
    }
    if (differs == 2) entry.by_ring = {{1, any_noise_of(info)}};
    const bool may_correlate = info.draws.normals + info.draws.uniforms > 0 && sensor.returns.size() == 1;
    if (may_correlate && *rc::gen::inRange(0, 3) == 0) {
      entry.correlation = any_correlation(sensor);
    }
    chain.push_back(std::move(entry));
  }
  return chain;
}

/// Of a third of the sensors rays diverge, of most of these with several returns.
inline void set_any_returns(Sensor& sensor) {
  if (*rc::gen::inRange(0, 3) != 0) return;
  sensor.divergence = {.horizontal_rad = static_cast<float>(any_between(0.001, 0.1)),
                       .vertical_rad = static_cast<float>(any_between(0, 0.1)),
                       .profile = *rc::gen::element(BeamProfile::kGaussian, BeamProfile::kUniform),
                       .separation_m = static_cast<float>(any_between(0, 1))};
  const ReturnChoices all = {ReturnChoice::kStrongest, ReturnChoice::kLast, ReturnChoice::kSecond,
                             ReturnChoice::kSecondStrongest, ReturnChoice::kFirst};
  sensor.returns.assign(all.begin(), all.begin() + *rc::gen::inRange(1, 6));
  sensor.coinciding = static_cast<CoincidingReturn>(*rc::gen::inRange(0, 4));
}

inline Sensor any_sensor() {
  const Pose pose = {{any_between(-2, 2), any_between(-2, 2), any_between(-0.5, 0.5)},
                     from_roll_pitch_yaw(any_between(-1, 1), any_between(-1, 1), any_between(-3, 3))};
  Sensor sensor;
  const int kind = *rc::gen::inRange(0, 5);
  if (kind == 0) {
    TofCamera camera;
    camera.width = static_cast<std::uint32_t>(*rc::gen::inRange(2, 40));
    camera.height = static_cast<std::uint32_t>(*rc::gen::inRange(2, 30));
    camera.fx = 20, camera.footprint_px = *rc::gen::element(0.0, 1.0, 2.5);
    camera.min_range_m = 0.5, camera.max_range_m = 20;
    sensor = make_sensor(camera, {}, pose);
  } else if (kind < 3) {
    StereoCamera camera = make_stereo(static_cast<std::uint32_t>(*rc::gen::inRange(2, 40)),
                                      static_cast<std::uint32_t>(*rc::gen::inRange(2, 30)), 20.0, 0.2);
    if (*rc::gen::arbitrary<bool>()) camera.max_range_m = 3.0;
    sensor = make_sensor(camera, {}, pose);
  } else {
    SpinningLidar lidar = make_lidar(static_cast<std::uint32_t>(*rc::gen::inRange(2, 20)),
                                     static_cast<std::uint32_t>(*rc::gen::inRange(3, 70)));
    if (*rc::gen::arbitrary<bool>()) lidar.max_range_m = 4.0;
    sensor = make_sensor(lidar, {}, pose);
    sensor.rolling = *rc::gen::arbitrary<bool>();
    if (sensor.rolling) {
      sensor.parent_from_sensor = Trajectory({{0.0, pose}, {0.1, {{0.5, 0, 0.2}, from_roll_pitch_yaw(0, 0, 1)}}});
    }
  }
  sensor.range_policy = *rc::gen::element(RangePolicy::kKeep, RangePolicy::kClamp, RangePolicy::kDrop);
  if (*rc::gen::arbitrary<bool>()) sensor.falloff = {FalloffLaw::kInverseSquare, 2.0F};
  if (*rc::gen::arbitrary<bool>()) sensor.detection.reach_10_m = 1.0F;
  if (!std::holds_alternative<StereoCamera>(sensor.model)) set_any_returns(sensor);
  sensor.noise = any_chain(sensor);
  if (*rc::gen::arbitrary<bool>()) sensor.velocity_noise = {DistanceNoise{.mean_m = 0.1F, .stddev_m = 0.2F}};
  return sensor;
}

inline std::string channels_that_differ(const Frame& a, const Frame& b) {
  std::string names;
  for (const ChannelInfo& info : channel_list()) {
    const bool is_there = a.channels().contains(info.channel);
    if (is_there != b.channels().contains(info.channel) || a.size() != b.size() ||
        (is_there && std::memcmp(a.data(info.channel), b.data(info.channel), a.size() * info.bytes()) != 0)) {
      names += std::string(info.name()) + " ";
    }
  }
  return names;
}

/// The room, with some entities that are seen from in front alone, or of a material.
inline Scene any_room() {
  const Scene room = make_room_scene();
  Scene scene;
  for (const Mesh& mesh : room.meshes()) scene.add_mesh(mesh);
  scene.add_material(
      {.name = "table", .law = Material::Law::kTable, .table = {{0.1F, 0.9F}, {0.7F, 0.2F}, {1.2F, 0.4F}}});
  scene.add_material(
      {.name = "retro", .reflectivity = 0.5F, .law = Material::Law::kRetro, .gain = 9, .width_rad = 0.3F});
  scene.add_material({.name = "matt", .reflectivity = 0.3F});
  for (Entity entity : room.entities()) {
    entity.one_sided = *rc::gen::inRange(0, 4) == 0;
    entity.material = *rc::gen::element<std::string>("", "table", "retro", "matt");
    scene.add_entity(std::move(entity));
  }
  if (*rc::gen::arbitrary<bool>()) {
    const Pose from = room.entities()[1].parent_from_entity.at(0.0);
    scene.set_motion(EntityId{1}, Trajectory({{0.02, from}, {0.3, {{2, -1, 0}, from_roll_pitch_yaw(0.2, 0, 3)}}}));
    scene.set_parent(EntityId{2}, EntityId{1});
  }
  return scene;
}

}  // namespace fathom::test
