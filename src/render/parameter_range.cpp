// SPDX-License-Identifier: MIT
#include "render/parameter_range.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/math/f64.hpp>
#include <fathom/math/random.hpp>

#include "base/text.hpp"

namespace fathom {

namespace {

/// "entity 3", "ring 5": whose parameters a range is for.
std::string owner_text(const ParameterRange& range) {
  return range.entity != kNoEntity ? fmt::format("entity {}", index(range.entity))
                                   : fmt::format("ring {}", *range.ring);
}

template <class Chain>
auto& noise_of(Chain& chain, const ParameterRange& range) {
  if (range.entry >= chain.size()) {
    throw InputError(fmt::format("range of '{}': entry {} is not in [0, {})", range.field, range.entry, chain.size()));
  }
  auto& entry = chain[range.entry];
  if (range.entity == kNoEntity && !range.ring) return entry.noise;
  for (auto& other : entry.by_entity) {
    if (other.entity == range.entity) return other.noise;
  }
  for (auto& other : entry.by_ring) {
    if (range.entity == kNoEntity && other.ring == *range.ring) return other.noise;
  }
  throw InputError(
      fmt::format("range of '{}': entry {} has nothing for {}", range.field, range.entry, owner_text(range)));
}

/// Whether the chain has other parameters for the model of a range.
bool is_shared(const NoiseChain& chain, const Noise& noise, const ParameterRange& range) {
  const ChainEntry& entry = chain[range.entry];
  const auto same_model = [&](const ChainEntry& other) { return other.noise.slug() == noise.slug(); };
  return !entry.by_entity.empty() || !entry.by_ring.empty() ||
         std::count_if(chain.begin(), chain.end(), same_model) > 1;
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

void check_range(const NoiseChain& chain, const ParameterRange& range) {
  const Noise& noise = noise_of(chain, range);
  const std::vector<FieldInfo>& fields = noise.info().fields;
  const auto field =
      std::find_if(fields.begin(), fields.end(), [&](const FieldInfo& f) { return f.name == range.field; });
  if (field == fields.end() || field->kind != FieldKind::kNumber)
    static_cast<void>(noise.with(range.field, 0.0));  // throws
  check_in_range(noise.slug(), range.field, range.low, field->low, field->high, field->unit);
  check_in_range(noise.slug(), range.field, range.high, field->low, field->high, field->unit);
  const auto fail = [&](std::string_view what) {
    throw InputError(fmt::format("range of {}.{}: {}", noise.slug(), range.field, what));
  };
  for (const SameInChain& same : noise.same_in_chain()) {
    if (same.field == range.field && is_shared(chain, noise, range))
      fail(fmt::format("it must be the same in the whole chain; {}", same.reason));
  }
  if (range.low > range.high) fail("low is above high");
  if (range.entity != kNoEntity && range.ring) fail("it is for an entity and a ring; one of them is enough");
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

double draw_into(NoiseChain& chain, std::string_view sensor, const ParameterRange& range, std::uint64_t seed) {
  Noise& noise = noise_of(chain, range);
  const std::string name = fmt::format("{}.{}", noise.slug(), range.field);
  const NoiseKey key = {seed, 0, make_stream(sensor, range.entry, name)};
  const bool of_chain = range.as_chain;
  const EntityId entity = of_chain ? kNoEntity : range.entity;
  const std::uint32_t ring = of_chain || !range.ring ? 0U : *range.ring + 1U;
  const double u = uniform(keyed_block(key, index(entity), ring));
  double value = range.low + (range.high - range.low) * u;
  if (range.law == RangeLaw::kLogUniform) {
    value = math::exp(math::log(range.low) + u * (math::log(range.high) - math::log(range.low)));
  } else if (range.law == RangeLaw::kNormal) {
    const double tail = math::normal_quantile(u < 0.5 ? u : 1.0 - u);
    value = range.mean + range.stddev * (u < 0.5 ? tail : -tail);
  }
  value = std::clamp(value, range.low, range.high);
  noise = noise.with(range.field, value);
  return value;
}

std::vector<DrawnParameter> draw_ranges(Sensor& sensor, std::span<const ParameterRange> ranges,
                                        std::uint64_t episode_seed) {
  std::vector<DrawnParameter> drawn;
  for (const ParameterRange& range : ranges) {
    check_range(sensor.noise, range);
    const double value = draw_into(sensor.noise, sensor.name, range, episode_seed);
    drawn.push_back({range.entry, range.field, range.entity, range.ring, value});
  }
  return drawn;
}

}  // namespace fathom
