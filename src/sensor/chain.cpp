#include "sensor/chain.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <fathom/error.hpp>
#include <fathom/noise/invalid_band.hpp>

namespace fathom {

namespace {

constexpr Stage kStages[] = {Stage::kRay,      Stage::kAngleLoss, Stage::kShadow,  Stage::kEnergyLoss, Stage::kEdgeLoss,
                             Stage::kHitPoint, Stage::kRange,     Stage::kReading, Stage::kDropout};

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
    case Stage::kReading:
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

float tolerance_of(const Noise& noise) {
  const std::vector<FieldValue> values = noise.values();
  const FieldValue* v = find_value(values, "tolerance");
  return v == nullptr ? 0.0F : static_cast<float>(std::get<double>(v->value));
}

EnergyAngle energy_of(const Noise& stereo_energy) {
  const std::vector<FieldValue> values = stereo_energy.values();
  return static_cast<EnergyAngle>(std::get<Choice>(find_value(values, "energy")->value).index);
}

/// What the renderer itself reads of a model's parameters.
void read_settings(const ActiveNoise& active, NoiseChain& chain) {
  if (active.noise.info().needs.sight) {
    SightTolerance tolerance{{tolerance_of(active.noise)}, active.table};
    for (const Noise& row : active.rows) tolerance.of_row.push_back(tolerance_of(row));
    chain.sight_tolerance.push_back(std::move(tolerance));
  }
  // The same in all entries and rows; see check_energy_row.
  if (active.noise.slug() == StereoEnergy::kSlug) chain.energy_angle = energy_of(active.noise);
}

/// With a model that tolerates nothing, nothing is tolerated.
void drop_zero_tolerance(NoiseChain& chain) {
  const auto is_zero = [](const SightTolerance& t) {
    return std::all_of(t.of_row.begin(), t.of_row.end(), [](float v) { return v == 0.0F; });
  };
  const std::vector<SightTolerance>& all = chain.sight_tolerance;
  if (std::any_of(all.begin(), all.end(), is_zero)) chain.sight_tolerance.clear();
}

void add_row(ActiveNoise& active, std::uint32_t id, const Noise& noise) {
  std::vector<std::uint32_t>& row_by_id = active.table.row_by_id;
  if (row_by_id.size() <= id) row_by_id.resize(id + std::size_t{1}, 0);
  active.rows.push_back(noise);
  row_by_id[id] = static_cast<std::uint32_t>(active.rows.size());
}

void add_rows(const Sensor& sensor, std::uint32_t slot, ActiveNoise& active) {
  for (const EntityNoise& row : sensor.entity_noise) {
    if (row.slot == slot) add_row(active, row.entity, row.noise);
  }
  for (const ChannelNoise& row : sensor.channel_noise) {
    if (row.slot != slot) continue;
    active.table.by_channel = true;
    add_row(active, row.channel, row.noise);
  }
}

bool has_two_cameras(const SensorModel& model) { return optics_of(model).baseline_m > 0.0F; }

/// Whether the image is that of the left camera, the right one beside it.
bool left_is_reference(const SensorModel& model) {
  constexpr double kSameM = 1e-6;
  const auto* stereo = std::get_if<StereoCamera>(&model);
  if (stereo == nullptr) return false;
  const StereoRig rig = stereo_rig(*stereo);
  const Vec3 beside{0, -norm(rig.right_m - rig.left_m), 0};
  return norm(rig.left_m) <= kSameM && norm(rig.right_m - beside) <= kSameM;
}

/// The band at the left edge is that of the left camera's image.
void check_band(const Sensor& sensor, const Noise& noise) {
  if (noise.slug() != InvalidBand::kSlug) return;
  const std::vector<FieldValue> values = noise.values();
  const bool on = std::get<bool>(find_value(values, "left_band")->value);
  if (!on || left_is_reference(sensor.model)) return;
  throw InputError(
      "invalid_band.left_band = true is for the left camera at the sensor's origin and the right one beside it "
      "(reference = left); with other cameras switch it off");
}

/// The energy array has one reading of the angle, so every entry and row of stereo_energy must have it.
void check_energy_row(std::string_view table, std::string_view what, const Noise& base, const Noise& noise) {
  if (base.slug() != StereoEnergy::kSlug || energy_of(base) == energy_of(noise)) return;
  throw InputError(
      fmt::format("{}: stereo_energy.energy cannot differ by {}; the energy array has one reading", table, what));
}

void check_energy_entries(const Sensor& sensor, const Noise& noise) {
  if (noise.slug() != StereoEnergy::kSlug) return;
  for (const Noise& other : sensor.noise) {
    if (other.slug() != StereoEnergy::kSlug || energy_of(other) == energy_of(noise)) continue;
    throw InputError(
        "stereo_energy.energy differs from that of another one in the chain; the energy array has one reading");
  }
}

/// What holds for the rows of either table; `table` is its name in messages, `what` an entity or a channel.
void check_row(const Sensor& sensor, std::string_view table, std::string_view what, std::uint32_t slot,
               const Noise& noise) {
  if (slot >= sensor.noise.size()) {
    throw InputError(fmt::format("{}: slot {} is not in [0, {})", table, slot, sensor.noise.size()));
  }
  const Noise& base = sensor.noise[slot];
  if (base.slug() != noise.slug()) {
    throw InputError(fmt::format("{}: slot {} holds {}, not {}", table, slot, base.slug(), noise.slug()));
  }
  if (base.stage() == Stage::kRay || base.stage() == Stage::kReading) {
    throw InputError(fmt::format("{}: {} cannot differ by {}", table, base.slug(), what));
  }
  check_band(sensor, noise);
  check_energy_row(table, what, base, noise);
}

[[noreturn]] void throw_twice(std::string_view table, std::string_view what, std::uint32_t slot, std::uint32_t id) {
  throw InputError(fmt::format("{}: slot {} has two rows for {} {}", table, slot, what, id));
}

void check_entity_rows(const Sensor& sensor, std::size_t entities) {
  std::set<std::pair<std::uint32_t, EntityId>> seen;
  for (const EntityNoise& row : sensor.entity_noise) {
    check_row(sensor, "entity_noise", "entity", row.slot, row.noise);
    if (row.entity >= entities) {
      throw InputError(fmt::format("entity_noise: entity {} is not in [0, {})", row.entity, entities));
    }
    if (!seen.emplace(row.slot, row.entity).second) throw_twice("entity_noise", "entity", row.slot, row.entity);
  }
}

/// The channels of a sensor's rays, as Frame::ring gives them.
std::set<std::uint32_t> channels_of(const SensorModel& model) {
  const RayPattern pattern = make_pattern(model);
  std::set<std::uint32_t> channels(pattern.ring.begin(), pattern.ring.end());
  for (std::uint32_t row = 0; row < pattern.rows && pattern.ring.empty(); ++row) channels.insert(row);
  return channels;
}

void check_channel_rows(const Sensor& sensor) {
  if (sensor.channel_noise.empty()) return;
  const std::set<std::uint32_t> channels = channels_of(sensor.model);
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (const ChannelNoise& row : sensor.channel_noise) {
    check_row(sensor, "channel_noise", "channel", row.slot, row.noise);
    if (!channels.contains(row.channel)) {
      throw InputError(fmt::format("channel_noise: no ray has the channel {}; there are {}, from {} to {}", row.channel,
                                   channels.size(), *channels.begin(), *channels.rbegin()));
    }
    if (!seen.emplace(row.slot, row.channel).second) throw_twice("channel_noise", "channel", row.slot, row.channel);
    for (const EntityNoise& other : sensor.entity_noise) {
      if (other.slot != row.slot) continue;
      throw InputError(
          fmt::format("slot {} has rows for entities and for channels; a model takes one of them", row.slot));
    }
  }
}

}  // namespace

RangePolicy usual_range_policy(const SensorModel& model) {
  const bool drops = std::holds_alternative<DepthCamera>(model) || std::holds_alternative<StereoCamera>(model);
  return drops ? RangePolicy::kDrop : RangePolicy::kKeep;
}

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
      const bool by_entity = !active.rows.empty() && !active.table.by_channel;
      chain.differs_by_entity |= by_entity;
      chain.edge_differs_by_entity |= by_entity && stage == Stage::kEdgeLoss;
      read_settings(active, chain);
      list_of(chain, stage).push_back(std::move(active));
    }
  }
  if (!chain.on_return.empty()) {
    chain.range_policy = sensor.range_policy.value_or(usual_range_policy(sensor.model));
  }
  drop_zero_tolerance(chain);
  return chain;
}

void check_needs(const Sensor& sensor, const Noise& noise, bool from_sensor_origin, bool rolling) {
  const SurfaceNeeds needs = noise.info().needs;
  if ((needs.sight || needs.baseline) && !has_two_cameras(sensor.model)) {
    throw InputError(fmt::format(
        "{} needs two cameras apart: a stereo_camera with baseline_m above 0, or with poses of both", noise.slug()));
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
  check_band(sensor, noise);
  check_energy_entries(sensor, noise);
}

void check_tables(const Sensor& sensor, std::size_t entities) {
  check_entity_rows(sensor, entities);
  check_channel_rows(sensor);
}

void check_chain(const Sensor& sensor, bool from_sensor_origin, bool rolling, std::size_t entities) {
  for (const Noise& noise : sensor.noise) check_needs(sensor, noise, from_sensor_origin, rolling);
  check_tables(sensor, entities);
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
