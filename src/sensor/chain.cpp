#include "sensor/chain.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <fathom/error.hpp>

namespace fathom {

namespace {

constexpr Stage kStages[] = {Stage::kRay,      Stage::kAngleLoss, Stage::kShadow, Stage::kEnergyLoss,
                             Stage::kEdgeLoss, Stage::kHitPoint,  Stage::kRange,  Stage::kDropout};

std::vector<ActiveNoise>& list_of(NoiseChain& chain, Stage stage) {
  switch (stage) {
    case Stage::kRay:
      return chain.ray;
    case Stage::kAngleLoss:
      return chain.angle_loss;
    case Stage::kShadow:
    case Stage::kEnergyLoss:
      return chain.loss;
    case Stage::kEdgeLoss:
      return chain.edge_loss;
    case Stage::kHitPoint:
    case Stage::kRange:
      return chain.on_return;
    case Stage::kDropout:
      break;
  }
  return chain.dropout;
}

const FieldValue* find_value(const std::vector<FieldValue>& values, std::string_view name) {
  const auto found = std::find_if(values.begin(), values.end(), [&](const FieldValue& v) { return v.name == name; });
  return found == values.end() ? nullptr : &*found;
}

/// What the renderer itself reads of a model's parameters.
void read_settings(const Noise& noise, NoiseChain& chain) {
  const std::vector<FieldValue> values = noise.values();
  if (noise.info().needs.sight) {
    if (const FieldValue* v = find_value(values, "tolerance")) {
      chain.sight_tolerance = std::max(chain.sight_tolerance, static_cast<float>(std::get<double>(v->value)));
    }
  }
  if (noise.slug() == StereoEnergy::kSlug) {
    chain.energy_angle = static_cast<EnergyAngle>(std::get<Choice>(find_value(values, "energy")->value).index);
  }
}

void add_rows(const Sensor& sensor, std::uint32_t slot, ActiveNoise& active) {
  for (const EntityNoise& row : sensor.entity_noise) {
    if (row.slot != slot) continue;
    if (active.row_by_entity.size() <= row.entity) active.row_by_entity.resize(row.entity + std::size_t{1}, 0);
    active.rows.push_back(row.noise);
    active.row_by_entity[row.entity] = static_cast<std::uint32_t>(active.rows.size());
  }
}

bool has_two_cameras(const SensorModel& model) { return optics_of(model).baseline_m > 0.0F; }

void check_needs(const Sensor& sensor, const Noise& noise, bool from_sensor_origin, bool rolling) {
  const SurfaceNeeds needs = noise.info().needs;
  if ((needs.sight || needs.baseline) && !has_two_cameras(sensor.model)) {
    throw InputError(
        fmt::format("{} needs two cameras apart: a stereo_camera with baseline_m above 0, or with positions of both",
                    noise.slug()));
  }
  if (needs.camera && !(optics_of(sensor.model).fx_px > 0.0F)) {
    throw InputError(fmt::format("{} needs a camera: it reads columns and focal length", noise.slug()));
  }
  if (needs.neighbours && !from_sensor_origin) {
    throw InputError(fmt::format("{} needs rays that start at one point", noise.slug()));
  }
  if (needs.sight && rolling) {
    throw InputError(fmt::format("{} needs all rays at one time; this sensor is rolling", noise.slug()));
  }
}

void check_row(const Sensor& sensor, const EntityNoise& row, std::size_t entities) {
  if (row.slot >= sensor.noise.size()) {
    throw InputError(fmt::format("entity_noise: slot {} is not in [0, {})", row.slot, sensor.noise.size()));
  }
  if (row.entity >= entities) {
    throw InputError(fmt::format("entity_noise: entity {} is not in [0, {})", row.entity, entities));
  }
  const Noise& base = sensor.noise[row.slot];
  if (base.slug() != row.noise.slug()) {
    throw InputError(fmt::format("entity_noise: slot {} holds {}, not {}", row.slot, base.slug(), row.noise.slug()));
  }
  if (base.stage() == Stage::kRay || base.stage() == Stage::kEdgeLoss) {
    throw InputError(fmt::format("entity_noise: {} cannot differ by entity", base.slug()));
  }
}

}  // namespace

NoiseChain make_chain(const Sensor& sensor) {
  NoiseChain chain;
  for (const Stage stage : kStages) {
    for (std::uint32_t slot = 0; slot < sensor.noise.size(); ++slot) {
      const Noise& noise = sensor.noise[slot];
      if (noise.stage() != stage) continue;
      ActiveNoise active{noise, make_stream(sensor.name, slot, noise.slug())};
      add_rows(sensor, slot, active);
      if (noise.is_identity() && active.rows.empty()) continue;
      const SurfaceNeeds needs = noise.info().needs;
      chain.needs_surface |= needs.angles || needs.sight || needs.camera || needs.baseline;
      chain.needs_sight |= needs.sight;
      chain.differs_by_entity |= !active.rows.empty();
      read_settings(noise, chain);
      list_of(chain, stage).push_back(std::move(active));
    }
  }
  return chain;
}

void check_chain(const Sensor& sensor, bool from_sensor_origin, bool rolling, std::size_t entities) {
  for (const Noise& noise : sensor.noise) check_needs(sensor, noise, from_sensor_origin, rolling);
  for (std::size_t i = 0; i < sensor.entity_noise.size(); ++i) {
    const EntityNoise& row = sensor.entity_noise[i];
    check_row(sensor, row, entities);
    for (std::size_t k = 0; k < i; ++k) {
      const EntityNoise& other = sensor.entity_noise[k];
      if (other.slot == row.slot && other.entity == row.entity) {
        throw InputError(fmt::format("entity_noise: slot {} has two rows for entity {}", row.slot, row.entity));
      }
    }
  }
}

Optics optics_of(const SensorModel& model) {
  if (const auto* pinhole = std::get_if<PinholeCamera>(&model)) {
    return {static_cast<float>(pinhole->fx), static_cast<float>(pinhole->cx), 0.0F};
  }
  if (const auto* depth = std::get_if<DepthCamera>(&model)) {
    const Intrinsics k = intrinsics(*depth);
    return {static_cast<float>(k.fx), static_cast<float>(k.cx), 0.0F};
  }
  if (const auto* stereo = std::get_if<StereoCamera>(&model)) {
    const Intrinsics k = intrinsics(*stereo);
    const StereoRig rig = stereo_rig(*stereo);
    return {static_cast<float>(k.fx), static_cast<float>(k.cx), static_cast<float>(norm(rig.right_m - rig.left_m))};
  }
  return {};
}

}  // namespace fathom
