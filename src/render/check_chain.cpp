// SPDX-License-Identifier: MIT
#include "render/check_chain.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "render/field_math.hpp"
#include "sensor/sensor_view.hpp"

namespace fathom {

namespace {

// The two lists of a ChainEntry in messages, and what their entries are for.
constexpr std::string_view kByEntity = "by_entity", kEntity = "entity", kByRing = "by_ring", kRing = "ring";

FieldValue value_of(const Noise& noise, std::string_view field) {
  const std::vector<FieldValue> values = noise.values();
  return *std::find_if(values.begin(), values.end(), [&](const FieldValue& v) { return v.name == field; });
}

/// Calls differ(parameter) for what must be the same in the two, of which the second is of the first one's model.
template <class F>
void for_each_difference(const Noise& noise, const Noise& other, F differ) {
  for (const SameInChain& same : noise.same_in_chain()) {
    if (value_of(noise, same.field).value != value_of(other, same.field).value) differ(same);
  }
}

/// Checks that apply to the entries of both lists. `list`: its name in messages; `what`: an entity or a ring; `place`:
/// of the entry in the chain.
void check_other(std::string_view list, std::string_view what, std::size_t place, const Noise& base, const Noise& other,
                 const SensorTraits& sensor) {
  if (base.slug() != other.slug()) {
    throw InputError(fmt::format("{}: entry {} of the chain is {}, not {}", list, place, base.slug(), other.slug()));
  }
  if (!may_differ(base.info())) {
    throw InputError(fmt::format("{}: {} cannot differ by {}", list, base.slug(), what));
  }
  other.check_on(sensor);
  for_each_difference(base, other, [&](const SameInChain& same) {
    throw InputError(
        fmt::format("{}: {}.{} cannot differ by {}; {}", list, base.slug(), same.field, what, same.reason));
  });
}

[[noreturn]] void throw_twice(std::string_view list, std::string_view what, std::size_t place, std::uint32_t id) {
  throw InputError(fmt::format("{}: entry {} of the chain has two for {} {}", list, place, what, id));
}

void check_by_entity(const NoiseChain& chain, std::size_t place, const SensorTraits& sensor, std::size_t entities) {
  std::set<EntityId> seen;
  for (const EntityEntry& other : chain[place].by_entity) {
    check_other(kByEntity, kEntity, place, chain[place].noise, other.noise, sensor);
    if (index(other.entity) >= entities) {
      throw InputError(fmt::format("{}: entity {} is not in [0, {})", kByEntity, index(other.entity), entities));
    }
    if (!seen.insert(other.entity).second) throw_twice(kByEntity, kEntity, place, index(other.entity));
  }
}

void check_by_ring(const NoiseChain& chain, std::size_t place, const SensorTraits& sensor, const SensorModel& model) {
  const ChainEntry& entry = chain[place];
  if (entry.by_ring.empty()) return;
  const std::set<std::uint32_t> rings = rings_of(model);
  std::set<std::uint32_t> seen;
  for (const RingEntry& other : entry.by_ring) {
    check_other(kByRing, kRing, place, entry.noise, other.noise, sensor);
    if (!rings.contains(other.ring)) {
      throw InputError(fmt::format("{}: no ray has the ring {}; there are {}, from {} to {}", kByRing, other.ring,
                                   rings.size(), *rings.begin(), *rings.rbegin()));
    }
    if (!seen.insert(other.ring).second) throw_twice(kByRing, kRing, place, other.ring);
  }
  if (!entry.by_entity.empty()) {
    throw InputError(
        fmt::format("entry {} of the chain differs by entity and by ring; a model takes one of them", place));
  }
}

/// With several returns there is no one reading, neighbour or pixel of a ray.
void check_one_return(const Noise& noise, const SensorTraits& sensor) {
  const SurfaceNeeds needs = noise.info().needs;
  const bool is_of_one = noise.stage() == Stage::kReading || noise.stage() == Stage::kImage || needs.neighbours ||
                         needs.camera || needs.baseline;
  if (sensor.returns == 1 || !is_of_one) return;
  throw InputError(fmt::format("{} takes one return of each ray; this sensor has {}", noise.slug(), sensor.returns));
}

}  // namespace

bool may_differ(const NoiseInfo& model) {
  return model.stage != Stage::kRay && model.stage != Stage::kReading && model.stage != Stage::kImage;
}

bool may_correlate(const NoiseInfo& model) { return model.draws.normals + model.draws.uniforms > 0; }

void check_needs(const NoiseChain& chain, const Noise& noise, const SensorTraits& sensor) {
  const SurfaceNeeds needs = noise.info().needs;
  if ((needs.sight || needs.baseline) && !(sensor.optics.baseline_m > 0.0F)) {
    throw InputError(fmt::format("{} needs two cameras apart: {}", noise.slug(), with_two_cameras()));
  }
  if (needs.camera && !(sensor.optics.fx_px > 0.0F)) {
    throw InputError(fmt::format("{} needs a camera: it reads columns and focal length", noise.slug()));
  }
  if (needs.neighbours && !sensor.one_origin) {
    throw InputError(fmt::format("{} needs rays that start at one point", noise.slug()));
  }
  if (needs.sight && sensor.rolling) {
    throw InputError(fmt::format("{} needs all rays at one time; this sensor is rolling", noise.slug()));
  }
  check_one_return(noise, sensor);
  noise.check_on(sensor);
  for (const ChainEntry& other : chain) {
    if (other.noise.slug() != noise.slug()) continue;
    for_each_difference(noise, other.noise, [&](const SameInChain& same) {
      throw InputError(fmt::format("{}.{} differs from that of another one in the chain; {}", noise.slug(), same.field,
                                   same.reason));
    });
  }
}

void check_entries(const NoiseChain& chain, const SensorTraits& sensor, const SensorModel& model,
                   std::size_t entities) {
  for (std::size_t place = 0; place < chain.size(); ++place) {
    check_by_entity(chain, place, sensor, entities);
    check_by_ring(chain, place, sensor, model);
  }
}

void check_correlation(const ChainEntry& entry, const SensorTraits& sensor) {
  const Correlation& c = entry.correlation;
  validate(c);
  if (c.is_white()) return;
  const NoiseInfo& info = entry.noise.info();
  if (!may_correlate(info)) {
    throw InputError(fmt::format("correlation: {} draws no random numbers", info.slug));
  }
  if (sensor.returns > 1) {
    throw InputError(fmt::format("correlation: it takes one return of each ray; this sensor has {}", sensor.returns));
  }
  if (!sensor.in_rows) {
    throw InputError("correlation: it needs a sensor whose rays lie in rows and columns, the same ones in every frame");
  }
  constexpr std::uint64_t kMostDraws = std::uint64_t{1} << 30U;
  const std::uint64_t rows = sensor.rows + 2 * std::uint64_t{kFieldMargin},
                      cols = sensor.cols + 2 * std::uint64_t{kFieldMargin};
  if (rows * cols > kMostDraws) {
    throw InputError(fmt::format("correlation: {} x {} rays and {} more on each side are above {}", sensor.rows,
                                 sensor.cols, kFieldMargin, kMostDraws));
  }
  const LineKernel across = make_line_kernel(c.shape, double{c.across_px});
  if (sensor.closes && across.before + across.after >= sensor.cols) {
    throw InputError(fmt::format("correlation.across_px = {:g} is summed over {} columns; a turn of the sensor has {}",
                                 c.across_px, across.before + across.after + 1, sensor.cols));
  }
}

void check_chain(const NoiseChain& chain, const SensorTraits& sensor, const SensorModel& model, std::size_t entities) {
  const auto is_image = [](const ChainEntry& entry) { return entry.noise.stage() == Stage::kImage; };
  const auto first = std::find_if(chain.begin(), chain.end(), is_image);
  if (std::count_if(chain.begin(), chain.end(), is_image) > 1) {
    throw InputError(
        fmt::format("a chain has one model of stage image: {} is there with another", first->noise.slug()));
  }
  for (const ChainEntry& entry : chain) check_correlation(entry, sensor);
  for (const ChainEntry& entry : chain) check_needs(chain, entry.noise, sensor);
  check_entries(chain, sensor, model, entities);
}

}  // namespace fathom
