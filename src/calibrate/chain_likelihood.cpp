// SPDX-License-Identifier: MIT
#include "calibrate/chain_likelihood.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "noise/noise_access.hpp"

namespace fathom {

namespace {

constexpr std::size_t kReturnsPerBlock = 2048;

}  // namespace

double value_of(const NoiseChain& chain, const FreeNumber& p) {
  const Noise* noise = &chain[p.entry].noise;
  for (const RingEntry& other : chain[p.entry].by_ring) {
    if (!p.rings.empty() && other.ring == p.rings.front()) noise = &other.noise;
  }
  return noise->number(p.field);
}

std::vector<double> values_of(const NoiseChain& chain, std::span<const FreeNumber> free) {
  std::vector<double> values;
  for (const FreeNumber& p : free) values.push_back(value_of(chain, p));
  return values;
}

void set_value(NoiseChain& chain, const FreeNumber& p, double value) {
  ChainEntry& entry = chain[p.entry];
  if (p.rings.empty()) entry.noise = entry.noise.with({{{p.field, value}}}, p.role == LearnedRole::kWeight);
  for (RingEntry& other : entry.by_ring) {
    const bool is_meant = std::find(p.rings.begin(), p.rings.end(), other.ring) != p.rings.end();
    if (is_meant) other.noise = other.noise.with(p.field, value);
  }
}

void set_values(NoiseChain& chain, std::span<const FreeNumber> free, std::span<const double> values) {
  for (std::size_t k = 0; k < free.size(); ++k) {
    if (free[k].role != LearnedRole::kWeight) set_value(chain, free[k], values[k]);
  }
  for (std::size_t entry = 0; entry < chain.size(); ++entry) {
    std::vector<NamedNumber> weights;
    for (std::size_t k = 0; k < free.size(); ++k) {
      const bool is_weight = free[k].entry == entry && free[k].role == LearnedRole::kWeight;
      if (is_weight) weights.push_back({free[k].field, values[k]});
    }
    if (!weights.empty()) chain[entry].noise = chain[entry].noise.with(weights, true);
  }
}

std::vector<std::size_t> some_of(std::span<const std::size_t> places, std::size_t most) {
  if (places.size() <= most) return {places.begin(), places.end()};
  std::vector<std::size_t> some;
  for (std::size_t k = 0; k < most; ++k) some.push_back(places[k * places.size() / most]);
  return some;
}

std::vector<double> ChainData::each(const NoiseChain& chain) const {
  return ChainLikelihood(chain, {}, *this).each({});
}

double ChainData::total(const NoiseChain& chain) const { return ChainLikelihood(chain, {}, *this).total({}); }

ChainLikelihood::ChainLikelihood(const NoiseChain& chain, std::span<const FreeNumber> free, const ChainData& data)
    : chain_(chain), free_(free), data_(data) {
  find_columns();
  const auto hooks = [&](std::size_t entry) -> const detail::NoiseHooks& {
    return detail::NoiseAccess::hooks(chain[entry].noise);
  };
  for (std::size_t entry = 0; entry < chain.size(); ++entry) {
    if (hooks(entry).loss_probability == nullptr) continue;
    losing_.push_back(entry), kept_by_.emplace_back();
    for (const FreeNumber& p : free) kept_by_.back().has.push_back(p.entry == entry);
  }
  for (const FreeNumber& p : free) {
    ranges_.has.push_back(hooks(p.entry).loss_probability == nullptr || hooks(p.entry).act != nullptr);
  }
  reported_.has = ranges_.has;
  if (losing_.empty() || data.cosines) return;
  std::vector<float> cosines(data.returns.size());
  for (const std::size_t i : data.used) cosines[i] = cosine_of(data.returns.incidence_rad[i]);
  data_.cosines = std::make_shared<const std::vector<float>>(std::move(cosines));
}

void ChainLikelihood::find_columns() {
  const std::vector<std::uint16_t>& rings = data_.returns.ring;
  for (std::size_t k = 0; k < free_.size(); ++k) {
    const FreeNumber& p = free_[k];
    const auto same = std::find_if(columns_.begin(), columns_.end(), [&](const Column& column) {
      return !p.rings.empty() && p.is_same_field(free_[column.parameters.front()]);
    });
    Column& column = same == columns_.end() ? columns_.emplace_back() : *same;
    column.parameters.push_back(k);
    if (!p.rings.empty() && column.of_ring.empty()) {
      column.of_ring.resize(std::size_t{*std::max_element(rings.begin(), rings.end())} + 1, kNone);
    }
    for (const std::uint16_t ring : p.rings) column.of_ring[ring] = k;
  }
}

NoiseChain ChainLikelihood::chain_at(std::span<const double> values) const {
  NoiseChain chain = chain_;
  set_values(chain, free_, values);
  return chain;
}

ChainDensity ChainLikelihood::density_at(std::span<const double> values) const {
  ChainDensity density(chain_at(values), data_.returns, data_.least_log);
  density.share_surroundings(data_.used, data_.executor);
  if (data_.cosines) density.share_cosines(*data_.cosines);
  return density;
}

template <class F>
std::vector<double> ChainLikelihood::filled(F f) const {
  std::vector<double> out(size());
  data_.executor.parallel_for(out.size(), kReturnsPerBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) out[i] = f(i);
  });
  return out;
}

template <class F>
void ChainLikelihood::find(Part& part, std::span<const double> values, F part_of) const {
  std::vector<double> own;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (part.has[k]) own.push_back(values[k]);
  }
  if (!part.of_return.empty() && own == part.values) return;
  part.values = std::move(own);
  part.of_return = filled([&](std::size_t i) { return part_of(data_.used[i]); });
}

void ChainLikelihood::find_kept(const ChainDensity& density, std::span<const double> values) const {
  for (std::size_t k = 0; k < losing_.size(); ++k) {
    find(kept_by_[k], values, [&, entry = losing_[k]](std::size_t i) { return density.kept_by(entry, i); });
  }
}

double ChainLikelihood::kept(std::size_t i) const {
  double product = 1.0;
  for (const Part& part : kept_by_) product *= part.of_return[i];
  return product;
}

double ChainLikelihood::total(std::span<const double> values) const {
  const std::vector<double> nats = each(values);
  std::vector<double> sums(nats.size() / kReturnsPerBlock + 1, 0.0);
  for (std::size_t i = 0; i < nats.size(); ++i) sums[i / kReturnsPerBlock] += nats[i];
  double sum = 0.0;
  for (const double s : sums) sum += s;
  return sum;
}

std::vector<double> ChainLikelihood::each(std::span<const double> values) const {
  const ChainDensity density = density_at(values);
  if (!density.has_parts()) return filled([&](std::size_t i) { return density(data_.used[i]); });
  find_kept(density, values);
  find(ranges_, values, [&](std::size_t i) { return density.range_part(i); });
  return filled([&](std::size_t i) { return density.joined(data_.used[i], kept(i), ranges_.of_return[i]); });
}

std::vector<double> ChainLikelihood::each_returned(std::span<const double> values) const {
  const ChainDensity density = density_at(values);
  if (!density.has_parts()) {
    return filled([&](std::size_t i) { return density.kept(data_.used[i]) * density.reported(data_.used[i]); });
  }
  find_kept(density, values);
  find(reported_, values, [&](std::size_t i) { return density.reported(i); });
  return filled([&](std::size_t i) { return kept(i) * reported_.of_return[i]; });
}

ChainLikelihood::Slopes ChainLikelihood::slopes(std::span<const double> values, std::span<const double> steps,
                                                bool of_returned) const {
  const auto at = [&](const std::vector<double>& moved) { return of_returned ? each_returned(moved) : each(moved); };
  Slopes slopes;
  std::vector<double> high(values.begin(), values.end()), low = high;
  for (std::size_t c = 0; c < columns(); ++c) {
    for (const std::size_t k : column(c)) {
      high[k] = as_float(std::min(values[k] + steps[k], free_[k].high));
      low[k] = as_float(std::max(values[k] - steps[k], free_[k].low));
    }
    std::vector<double> slope = at(high);
    const std::vector<double> below = at(low);
    for (std::size_t i = 0; i < slope.size(); ++i) {
      const std::size_t k = parameter(c, i);
      const bool moves = k != kNone && high[k] > low[k];
      slope[i] = moves ? (slope[i] - below[i]) / (high[k] - low[k]) : 0.0;
    }
    slopes.push_back(std::move(slope));
    for (const std::size_t k : column(c)) high[k] = low[k] = values[k];
  }
  return slopes;
}

}  // namespace fathom
