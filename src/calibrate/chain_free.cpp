// SPDX-License-Identifier: MIT
#include "calibrate/chain_free.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "base/counts.hpp"
#include "calibrate/chain_density.hpp"
#include "calibrate/chain_jumps.hpp"
#include "calibrate/turned_rays.hpp"

namespace fathom {

std::string name_of(const NoiseChain& chain, const FreeNumber& p) {
  const std::string_view slug = chain[p.entry].noise.slug();
  const auto same =
      std::count_if(chain.begin(), chain.end(), [&](const ChainEntry& e) { return e.noise.slug() == slug; });
  const std::string field = p.rings.empty() ? p.field : fmt::format("rings.{}.{}", p.rings.front(), p.field);
  return same > 1 ? fmt::format("{}.{}.{}", p.entry, slug, field) : fmt::format("{}.{}", slug, field);
}

namespace {

/// Throws InputError when the last number contradicts one before it.
void check_last(const NoiseChain& chain, std::span<const FreeNumber> numbers) {
  const FreeNumber& last = numbers.back();
  for (const FreeNumber& p : numbers.first(numbers.size() - 1)) {
    if (p.is_same_field(last) && p.rings == last.rings) {
      throw InputError(fmt::format("{} is free twice", name_of(chain, last)));
    }
    if (p.entry == last.entry && p.rings.empty() != last.rings.empty()) {
      throw InputError(fmt::format("{} and {} are both free: learn a model for single rings or for all of them",
                                   name_of(chain, p), name_of(chain, last)));
    }
  }
}

/// Whether all ranges of a chain are as exact as the scene.
bool has_exact_ranges(const NoiseChain& chain) {
  return std::none_of(chain.begin(), chain.end(), [](const ChainEntry& entry) {
    const Stage stage = entry.noise.stage();
    const DrawCount draws = entry.noise.info().draws;
    const bool moves = stage == Stage::kRange && draws.normals + draws.uniforms > 0;
    return moves || stage == Stage::kReading || stage == Stage::kRay;
  });
}

}  // namespace

std::vector<FreeNumber> free_numbers(const NoiseChain& chain, std::span<const ChainParameter> free,
                                     std::span<const std::uint16_t> rings) {
  std::vector<FreeNumber> numbers;
  for (const ChainParameter& p : free) {
    if (p.entry >= chain.size()) throw InputError(fmt::format("the chain has no model at place {}", p.entry));
    const NoiseInfo& info = chain[p.entry].noise.info();
    static_cast<void>(chain_parameters(
        chain,
        p.ring ? fmt::format("{}.rings.{}.{}", info.slug, *p.ring, p.field) : fmt::format("{}.{}", info.slug, p.field),
        rings));
    for (const FieldInfo& field : info.fields) {
      if (field.name == p.field) numbers.push_back({p.entry, p.field, field.low, field.high});
    }
    const LearnedField& learned = *chain[p.entry].noise.learned(p.field);
    numbers.back().role = learned.role, numbers.back().yields = learned.yields;
    if (p.ring) numbers.back().rings = {*p.ring};
    check_last(chain, numbers);
  }
  if (numbers.empty()) throw InputError("no parameter of the chain is free");
  for (const FreeNumber& p : numbers) {
    if (p.role == LearnedRole::kThreshold && turns_rays(chain) && is_jump(chain, numbers, p)) {
      throw InputError(fmt::format(
          "{} cannot be learned beside a model that turns rays: its losses jump with the angle", name_of(chain, p)));
    }
    const Noise* sharp = moved_sharp_ends(chain, numbers, p);
    if (sharp == nullptr) continue;
    throw InputError(
        fmt::format("{} cannot be learned where {} is the only random error: put a distance beside it, "
                    "with stddev_m free",
                    name_of(chain, p), sharp->slug()));
  }
  return numbers;
}

namespace {

constexpr double kShareOfStep = 0.5;  // of what lies between nodes, or of the spread of points

void set_ray_steps(const AxisTurn& model, const std::vector<double>& nodes, FreeNumber& p) {
  p.unit = kShareOfStep * step_in_middle(nodes);
  // Nothing was cast beyond the nodes.
  const double reach = 0.5 * (nodes.back() - nodes.front());
  if (p.role == LearnedRole::kDeviation) {
    p.high = std::min(p.high, std::max(0.5 * reach, model.stddev_rad));
  } else {
    p.low = std::max(p.low, model.mean_rad - reach), p.high = std::min(p.high, model.mean_rad + reach);
  }
}

/// Root mean square of the angles of points; 0 without points.
double rms_of(const HitTurns& turns) {
  double squares = 0.0, count = 0.0;
  for (const std::vector<float>* angles : {&turns.first_rad, &turns.second_rad}) {
    for (const float angle : *angles) {
      if (!std::isnan(angle)) squares += double{angle} * double{angle}, count += 1.0;
    }
  }
  return squares > 0.0 ? std::sqrt(squares / count) : 0.0;
}

}  // namespace

void set_steps_of_angles(const NoiseChain& chain, const ChainReturns& returns, std::span<FreeNumber> numbers) {
  const double rms_rad = rms_of(returns.hits);
  for (FreeNumber& p : numbers) {
    const Noise& noise = chain[p.entry].noise;
    if (noise.stage() == Stage::kHitPoint && rms_rad > 0.0) p.unit = kShareOfStep * rms_rad;
    if (turns_rays(noise) && returns.turned.is_known()) set_ray_steps(*noise.turn(), returns.turned.angle_rad, p);
  }
}

void check_ranges_may_err(const NoiseChain& chain, const ChainReturns& returns, std::span<const std::size_t> learn) {
  if (!has_exact_ranges(chain)) return;
  NoiseChain of_ranges = chain;  // points that are turned keep theirs
  std::erase_if(of_ranges, [](const ChainEntry& entry) { return entry.noise.stage() == Stage::kHitPoint; });
  const ChainDensity density(of_ranges, returns);
  std::size_t back = 0, off = 0;
  for (const std::size_t i : learn) {
    if (std::isnan(returns.range_m[i])) continue;
    // What a loss may not keep is another matter.
    const bool is_off = density(i) <= ChainDensity::kLeastLog && density.kept(i) > 0.0;
    ++back, off += is_off ? 1 : 0;
  }
  if (2 * off <= back) return;
  throw InputError(
      fmt::format("the chain of noise has no error of ranges, and {} of {} measured ranges are not those of the scene: "
                  "add a distance or a student",
                  grouped(off), grouped(back)));
}

}  // namespace fathom
