// SPDX-License-Identifier: MIT
#include "calibrate/chain_ascent.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "calibrate/chain_climb.hpp"

namespace fathom {

namespace {

constexpr std::size_t kCoarseReturns = 4096, kSomeReturns = 16'384;
constexpr double kSettledNats = 1e-3;
constexpr int kMostRounds = 4;

/// For a search that takes few parameters: those of one field have the same value for all their rings.
std::vector<FreeNumber> tied(std::span<const FreeNumber> numbers) {
  std::vector<FreeNumber> out;
  for (const FreeNumber& p : numbers) {
    const auto same = std::find_if(out.begin(), out.end(), [&](const FreeNumber& q) { return q.is_same_field(p); });
    if (p.rings.empty() || same == out.end()) {
      out.push_back(p);
    } else {
      same->rings.insert(same->rings.end(), p.rings.begin(), p.rings.end());
    }
  }
  return out;
}

}  // namespace

std::vector<std::size_t> some_of(std::span<const std::size_t> places, std::size_t most) {
  if (places.size() <= most) return {places.begin(), places.end()};
  std::vector<std::size_t> some;
  for (std::size_t k = 0; k < most; ++k) some.push_back(places[k * places.size() / most]);
  return some;
}

std::vector<double> values_of(const NoiseChain& chain, std::span<const FreeNumber> free) {
  std::vector<double> values;
  for (const FreeNumber& p : free) values.push_back(value_of(chain, p));
  return values;
}

std::vector<double> inner_start(std::span<const FreeNumber> free, std::vector<double> start) {
  for (std::size_t k = 0; k < start.size(); ++k) {
    const double margin = free[k].unit > 0.0 ? free[k].unit : 0.01 * std::min(free[k].high - free[k].low, 1.0);
    start[k] = std::clamp(start[k], free[k].low + margin, free[k].high - margin);
  }
  return start;
}

NoiseChain begun(const NoiseChain& chain, std::span<const FreeNumber> free, const ChainReturns& returns,
                 std::span<const std::size_t> learn, Executor& executor) {
  const auto total = [&](const NoiseChain& c) { return ChainLikelihood(c, {}, returns, learn, executor).total({}); };
  std::vector<float> range_m, clean_range_m;
  std::vector<std::uint32_t> frame;
  for (const std::size_t i : learn) {
    range_m.push_back(returns.range_m[i]), clean_range_m.push_back(returns.clean_range_m[i]);
    frame.push_back(returns.frame[i]);
  }
  NoiseChain reached = chain;
  for (std::size_t entry = 0; entry < chain.size(); ++entry) {
    std::vector<FreeNumber> own;
    std::vector<std::string_view> names;
    for (const FreeNumber& p : free) {
      if (p.entry == entry) own.push_back(p), names.push_back(p.field);
    }
    if (own.empty()) continue;
    const auto beginning = chain[entry].noise.begin({range_m, clean_range_m, frame, returns.max_range_m}, names);
    if (!beginning) continue;
    NoiseChain guess = chain;
    guess[entry].noise = *beginning;
    std::vector<double> values = values_of(guess, own);
    for (std::size_t k = 0; k < own.size(); ++k) values[k] = std::clamp(values[k], own[k].low, own[k].high);
    guess = reached;
    set_values(guess, own, values);
    if (total(guess) > total(reached)) reached = guess;
  }
  return reached;
}

Ascent::Ascent(const NoiseChain& chain, std::span<const FreeNumber> free, const ChainReturns& returns,
               std::span<const std::size_t> learn, Executor& executor)
    : chain_(chain), returns_(returns), learn_(learn), few_(some_of(learn, kCoarseReturns)), executor_(executor) {
  for (const FreeNumber& p : free) (is_jump(chain, free, p) ? jumps_ : smooth_).push_back(p);
  peaks_.resize(jumps_.size());
}

double Ascent::total() const { return ChainLikelihood(chain_, {}, returns_, learn_, executor_).total({}); }

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
    const std::vector<std::size_t> some = some_of(known_to(p, learn_), kCoarseReturns);
    set_value(chain_, p, find_jump(along(p, some), value_of(chain_, p)).value);
  }
  const std::vector<FreeNumber> tied_ones = tied(smooth_);
  const ChainLikelihood few(chain_, tied_ones, returns_, few_, executor_);
  chain_ = few.chain_at(coarse_maximum(few, inner_start(tied_ones, values_of(chain_, tied_ones))));
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

std::vector<std::size_t> Ascent::known_to(const FreeNumber& p, std::span<const std::size_t> places) const {
  if (p.rings.empty()) return {places.begin(), places.end()};
  std::vector<std::size_t> out;
  std::copy_if(places.begin(), places.end(), std::back_inserter(out),
               [&](std::size_t i) { return returns_.ring[i] == p.rings.front(); });
  return out;
}

double Ascent::settle(bool anew) {
  for (std::size_t k = 0; k < jumps_.size(); ++k) {
    const FreeNumber& p = jumps_[k];
    const double start = value_of(chain_, p);
    const std::vector<std::size_t> all = known_to(p, learn_), some = some_of(all, kCoarseReturns);
    const JumpPeak near = anew ? find_jump(along(p, some), start) : peaks_[k];
    peaks_[k] = refine_jump(along(p, all), anew ? near.value : start, 12.0 * near.deviation);
    set_value(chain_, p, peaks_[k].value);
  }
  if (smooth_.empty()) return total();
  std::vector<double> values = values_of(chain_, smooth_);
  if (anew) {
    const std::vector<std::size_t> some = some_of(learn_, kSomeReturns);
    if (some.size() < learn_.size()) values = climb_chain(together(some), values, kSettledNats).values;
  }
  const Climb climb = climb_chain(together(learn_), values);
  chain_ = together(learn_).chain_at(climb.values);
  return climb.log_likelihood;
}

}  // namespace fathom
