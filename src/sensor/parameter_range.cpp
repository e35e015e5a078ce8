#include "sensor/parameter_range.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <fathom/error.hpp>
#include <fathom/random.hpp>
#include <fathom/special.hpp>

#include "base/text.hpp"

namespace fathom {

namespace {

/// "entity 3", "channel 5": the row that a range is for.
std::string row_text(const ParameterRange& range) {
  return range.entity != kNoEntity ? fmt::format("entity {}", range.entity) : fmt::format("channel {}", range.channel);
}

template <class SensorRef>
auto& noise_of(SensorRef& sensor, const ParameterRange& range) {
  if (range.slot >= sensor.noise.size()) {
    throw InputError(
        fmt::format("range of '{}': slot {} is not in [0, {})", range.field, range.slot, sensor.noise.size()));
  }
  if (range.entity == kNoEntity && range.channel == kNoChannel) return sensor.noise[range.slot];
  for (auto& row : sensor.entity_noise) {
    if (row.slot == range.slot && row.entity == range.entity) return row.noise;
  }
  for (auto& row : sensor.channel_noise) {
    if (row.slot == range.slot && range.entity == kNoEntity && row.channel == range.channel) return row.noise;
  }
  throw InputError(fmt::format("range of '{}': slot {} has no row for {}", range.field, range.slot, row_text(range)));
}

/// Murmur3's 64-bit finaliser.
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 33U)) * 0xff51afd7ed558ccdU;
  x = (x ^ (x >> 33U)) * 0xc4ceb9fe1a85ec53U;
  return x ^ (x >> 33U);
}

/// In (0, 1), from 53 bits.
double uniform(const PhiloxBlock& block) {
  const std::uint64_t bits = (std::uint64_t{block.word[0]} << 21U) ^ (block.word[1] >> 11U);
  return (static_cast<double>(bits) + 0.5) * 0x1p-53;
}

}  // namespace

void check_range(const Sensor& sensor, const ParameterRange& range) {
  const Noise& noise = noise_of(sensor, range);
  const std::vector<FieldInfo>& fields = noise.info().fields;
  const auto field =
      std::find_if(fields.begin(), fields.end(), [&](const FieldInfo& f) { return f.name == range.field; });
  if (field == fields.end() || field->kind != FieldKind::kNumber) static_cast<void>(noise.with(range.field, 0.0));  // throws
  check_in_range(noise.slug(), range.field, range.low, field->low, field->high, field->unit);
  check_in_range(noise.slug(), range.field, range.high, field->low, field->high, field->unit);
  const auto fail = [&](std::string_view what) {
    throw InputError(fmt::format("range of {}.{}: {}", noise.slug(), range.field, what));
  };
  if (range.low > range.high) fail("low is above high");
  if (range.entity != kNoEntity && range.channel != kNoChannel)
    fail("it is for an entity and a channel; one of them is enough");
  if (range.law == RangeLaw::kLogUniform && !(range.low > 0.0)) fail("a log-uniform law needs low above 0");
  if (range.law == RangeLaw::kNormal &&
      !(range.stddev >= 0.0 && std::isfinite(range.stddev) && std::isfinite(range.mean))) {
    fail("a normal law needs a finite mean and a stddev of 0 or more");
  }
}

std::uint64_t episode_seed(std::uint64_t seed, std::uint32_t environment, std::uint32_t episode) {
  if (environment == 0 && episode == 0) return seed;
  return mix(seed ^ mix((std::uint64_t{environment} << 32U | episode) + 0x9E3779B97F4A7C15U));
}

double draw_parameter(const Sensor& sensor, const ParameterRange& range, std::uint64_t seed) {
  const std::string name = fmt::format("{}.{}", noise_of(sensor, range).slug(), range.field);
  const NoiseKey key = {seed, 0, make_stream(sensor.name, range.slot, name)};
  const bool of_chain = range.as_chain;
  const EntityId entity = of_chain ? kNoEntity : range.entity;
  const auto channel = static_cast<std::uint32_t>(of_chain ? 0 : range.channel + 1);
  const double u = uniform(keyed_block(key, entity, channel));
  double value = range.low + (range.high - range.low) * u;
  if (range.law == RangeLaw::kLogUniform) {
    value = math::exp(math::log(range.low) + u * (math::log(range.high) - math::log(range.low)));
  } else if (range.law == RangeLaw::kNormal) {
    const double tail = math::normal_quantile(u < 0.5 ? u : 1.0 - u);
    value = range.mean + range.stddev * (u < 0.5 ? tail : -tail);
  }
  return std::clamp(value, range.low, range.high);
}

void set_parameter(Sensor& sensor, const ParameterRange& range, double value) {
  Noise& noise = noise_of(sensor, range);
  noise = noise.with(range.field, value);
}

std::vector<DrawnParameter> draw_ranges(Sensor& sensor, std::span<const ParameterRange> ranges,
                                        std::uint64_t episode_seed) {
  std::vector<DrawnParameter> drawn;
  for (const ParameterRange& range : ranges) {
    check_range(sensor, range);
    const double value = draw_parameter(sensor, range, episode_seed);
    set_parameter(sensor, range, value);
    drawn.push_back({range.slot, range.field, range.entity, range.channel, value});
  }
  return drawn;
}

}  // namespace fathom
