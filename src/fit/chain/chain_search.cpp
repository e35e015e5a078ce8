// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <utility>

#include <fathom/fit/fit.hpp>

#include "fit/chain/chain_fit.hpp"

namespace fathom {

namespace {

/// The first model of ranges that has another value than 0 in a parameter of one of these roles, or will have; or
/// null.
const Noise* first_with(const NoiseChain& chain, std::span<const FreeNumber> free, std::array<LearnedRole, 2> roles) {
  for (std::size_t entry = 0; entry < chain.size(); ++entry) {
    const Noise& noise = chain[entry].noise;
    if (noise.stage() != Stage::kRange) continue;
    for (const LearnedField& field : noise.learned()) {
      if (field.role != roles[0] && field.role != roles[1]) continue;
      const bool is_free =
          std::ranges::any_of(free, [&](const FreeNumber& p) { return p.entry == entry && p.field == field.field; });
      if (is_free || noise.number(field.field) != 0.0 || !chain[entry].by_ring.empty()) return &noise;
    }
  }
  return nullptr;
}

/// The model whose errors have ends that no other error blurs; or null.
const Noise* find_sharp_ends(const NoiseChain& chain, std::span<const FreeNumber> free) {
  const bool is_blurred = first_with(chain, free, {LearnedRole::kDeviation, LearnedRole::kGrowth}) != nullptr;
  return is_blurred ? nullptr : first_with(chain, free, {LearnedRole::kLowEnd, LearnedRole::kHighEnd});
}

/// The model with its free parameters off their limits, where they will be.
Noise off_limits(const NoiseChain& chain, std::span<const FreeNumber> free, const FreeNumber& parameter) {
  const Noise& noise = chain[parameter.entry].noise;
  std::vector<NamedNumber> inner;
  for (const FreeNumber& p : free) {
    const bool is_other = p.entry == parameter.entry && !p.is_same_field(parameter);
    if (is_other && noise.number(p.field) <= p.low) inner.push_back({p.field, 0.5 * (p.low + p.high)});
  }
  return noise.with(inner, true);
}

}  // namespace

const Noise* moved_sharp_ends(const NoiseChain& chain, std::span<const FreeNumber> free, const FreeNumber& parameter) {
  const bool is_of_ranges = chain[parameter.entry].noise.stage() == Stage::kRange;
  return is_of_ranges && parameter.role == LearnedRole::kStretch ? find_sharp_ends(chain, free) : nullptr;
}

bool is_jump(const NoiseChain& chain, std::span<const FreeNumber> free, const FreeNumber& parameter) {
  switch (parameter.role) {
    case LearnedRole::kThreshold:
      return off_limits(chain, free, parameter).jumps(parameter.field);
    case LearnedRole::kLowEnd:
    case LearnedRole::kHighEnd:
    case LearnedRole::kShift:
      return chain[parameter.entry].noise.stage() == Stage::kRange && find_sharp_ends(chain, free) != nullptr;
    default:
      return false;
  }
}

namespace {

constexpr std::size_t kCoarseReturns = 4096, kSomeReturns = 16'384;
constexpr double kSettledNats = 1e-3;
constexpr int kMostRounds = 4;

/// For a search that takes few parameters: a field has one value for all its rings.
std::vector<FreeNumber> tied(std::span<const FreeNumber> numbers) {
  std::vector<FreeNumber> out;
  for (const FreeNumber& p : numbers) {
    const auto same = std::ranges::find_if(out, [&](const FreeNumber& q) { return q.is_same_field(p); });
    if (p.rings.empty() || same == out.end()) {
      out.push_back(p);
    } else {
      same->rings.insert(same->rings.end(), p.rings.begin(), p.rings.end());
    }
  }
  return out;
}

}  // namespace

std::vector<double> inner_start(std::span<const FreeNumber> free, std::vector<double> start) {
  for (std::size_t k = 0; k < start.size(); ++k) {
    const double margin = free[k].step > 0.0 ? free[k].step : 0.01 * std::min(free[k].high - free[k].low, 1.0);
    start[k] = std::clamp(start[k], free[k].low + margin, free[k].high - margin);
  }
  return start;
}

namespace {

BeamParameters fit_beam(const LearnedReturns& returns, MissPolicy miss, const double* hit_offset_m) {
  BeamData data;
  for (const float range_m : returns.range_m) {
    data.reading_m.push_back(std::isnan(range_m) ? static_cast<float>(returns.max_range_m) : range_m);
  }
  data.expected_m.assign(returns.clean_range_m.begin(), returns.clean_range_m.end());
  data.scan.assign(returns.frame.begin(), returns.frame.end());
  FitOptions options;
  options.fit_hit_offset = hit_offset_m == nullptr;
  if (hit_offset_m != nullptr) options.start.hit_offset_m = *hit_offset_m;
  options.tolerance = 1e-6;  // the search goes on from there
  options.compute.threads = 1;
  return fit_beam_model(data, {.max_range_m = returns.max_range_m, .miss = miss}, options).model;
}

}  // namespace

NoiseChain begun(const NoiseChain& chain, std::span<const FreeNumber> free, const ChainData& data) {
  const ChainReturns& returns = data.returns;
  std::vector<float> range_m, clean_range_m;
  std::vector<std::uint32_t> frame;
  for (const std::size_t i : data.used) {
    range_m.push_back(returns.range_m[i]), clean_range_m.push_back(returns.clean_range_m[i]);
    frame.push_back(returns.frame[i]);
  }
  const LearnedReturns measured = {range_m, clean_range_m, frame, returns.max_range_m, &fit_beam};
  NoiseChain reached = chain;
  for (std::size_t entry = 0; entry < chain.size(); ++entry) {
    std::vector<FreeNumber> own;
    std::vector<std::string_view> names;
    for (const FreeNumber& p : free) {
      if (p.entry == entry) own.push_back(p), names.push_back(p.field);
    }
    if (own.empty()) continue;
    const auto beginning = chain[entry].noise.begin(measured, names);
    if (!beginning) continue;
    NoiseChain guess = chain;
    guess[entry].noise = *beginning;
    std::vector<double> values = values_of(guess, own);
    for (std::size_t k = 0; k < own.size(); ++k) values[k] = std::clamp(values[k], own[k].low, own[k].high);
    guess = reached;
    set_values(guess, own, values);
    if (data.total(guess) > data.total(reached)) reached = guess;
  }
  return reached;
}

Ascent::Ascent(const NoiseChain& chain, std::span<const FreeNumber> free, const ChainData& data)
    : chain_(chain), data_(data) {
  for (const FreeNumber& p : free) (is_jump(chain, free, p) ? jumps_ : smooth_).push_back(p);
  peaks_.resize(jumps_.size());
}

void Ascent::climb() {
  climb_all();
  if (order_ends()) settle(false);
}

bool Ascent::order_ends() {
  bool had_any = false;
  for (const std::vector<FreeNumber>* numbers : {&smooth_, &jumps_}) {
    for (const FreeNumber& low : *numbers) {
      if (low.role != LearnedRole::kLowEnd) continue;
      const auto high = std::find_if(numbers->begin(), numbers->end(), [&](const FreeNumber& p) {
        return p.role == LearnedRole::kHighEnd && p.entry == low.entry && p.rings == low.rings;
      });
      if (high == numbers->end()) continue;
      const double one = value_of(chain_, low), other = value_of(chain_, *high);
      if (!(one > other)) continue;
      set_value(chain_, low, other), set_value(chain_, *high, one);
      had_any = true;
    }
  }
  return had_any;
}

void Ascent::climb_all() {
  const double start = total();
  const NoiseChain given = chain_;
  for (const FreeNumber& p : jumps_) {
    const std::vector<std::size_t> some = some_of(known_to(p), kCoarseReturns);
    set_value(chain_, p, find_jump(objective_of(along(p, some)), value_of(chain_, p)).value);
  }
  look_around();
  double before = settle(true);
  // From where it stood, too: the coarse search may have gone astray, and learning must not make things worse.
  if (before < start) chain_ = given, before = settle(false);
  if (jumps_.empty() || smooth_.empty()) return;
  for (int round = 1; round < kMostRounds; ++round) {
    const double now = settle(false);
    const bool is_settled = now - before < kSettledNats;
    before = now;
    if (is_settled) break;
  }
}

void Ascent::look_around() {
  const std::vector<FreeNumber> numbers = tied(smooth_);
  const NoiseChain start = chain_;
  const auto search = [&](std::span<const std::size_t> few) {
    const ChainLikelihood coarse(start, numbers, data_.at(few));
    return coarse.chain_at(search_coarsely(objective_of(coarse), inner_start(numbers, coarse.given())));
  };
  std::vector<std::size_t> few = some_of(data_.used, kCoarseReturns);
  chain_ = search(few);
  const bool has_threshold =
      std::ranges::any_of(smooth_, [](const FreeNumber& p) { return p.role == LearnedRole::kThreshold; });
  for (int round = 0; has_threshold && round < kMostRounds; ++round) {
    if (!add_impossible(few)) break;
    const NoiseChain other = search(few);
    if (!(data_.total(other) > total())) break;
    chain_ = other;
  }
}

bool Ascent::add_impossible(std::vector<std::size_t>& few) const {
  const std::vector<double> nats = data_.each(chain_);
  const std::size_t before = few.size();
  for (std::size_t i = 0; i < nats.size(); ++i) {
    const std::size_t place = data_.used[i];
    const bool is_new = !std::binary_search(few.begin(), few.begin() + static_cast<std::ptrdiff_t>(before), place);
    if (nats[i] <= ChainDensity::kLeastLog && is_new) few.push_back(place);
  }
  std::ranges::sort(few);
  return few.size() > before && few.size() <= 2 * kCoarseReturns;
}

std::vector<std::size_t> Ascent::known_to(const FreeNumber& p) const {
  std::vector<std::size_t> out;
  std::copy_if(data_.used.begin(), data_.used.end(), std::back_inserter(out),
               [&](std::size_t i) { return p.rings.empty() || data_.returns.ring[i] == p.rings.front(); });
  return out;
}

double Ascent::settle(bool everywhere) {
  for (std::size_t k = 0; k < jumps_.size(); ++k) {
    const FreeNumber& p = jumps_[k];
    const std::vector<std::size_t> all = known_to(p), some = some_of(all, kCoarseReturns);
    const double start = value_of(chain_, p);
    const JumpPeak near = everywhere ? find_jump(objective_of(along(p, some)), start) : peaks_[k];
    peaks_[k] = refine_jump(objective_of(along(p, all)), everywhere ? near.value : start, 12.0 * near.deviation);
    set_value(chain_, p, peaks_[k].value);
  }
  if (smooth_.empty()) return total();
  std::vector<double> values = values_of(chain_, smooth_);
  const std::vector<std::size_t> some = some_of(data_.used, kSomeReturns);
  const ChainLikelihood all = together(data_);
  if (everywhere && some.size() < data_.used.size()) {
    std::vector<double> near = climb_newton(objective_of(together(data_.at(some))), values, kSettledNats).values;
    if (all.total(near) > all.total(values)) values = std::move(near);
  }
  const Maximum reached = climb_newton(objective_of(all), values);
  chain_ = all.chain_at(reached.values);
  return reached.log_likelihood;
}

}  // namespace fathom
