// SPDX-License-Identifier: MIT
#include "calibrate/chain_likelihood.hpp"

#include <algorithm>

namespace fathom {

namespace {

constexpr std::size_t kReturnsPerPart = 2048;

}  // namespace

double value_of(const NoiseChain& chain, const FreeNumber& p) {
  const Noise* noise = &chain[p.entry].noise;
  for (const RingEntry& other : chain[p.entry].by_ring) {
    if (!p.rings.empty() && other.ring == p.rings.front()) noise = &other.noise;
  }
  return noise->number(p.field);
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

Columns::Columns(std::span<const FreeNumber> free, const ChainReturns& returns) : ring_(returns.ring) {
  for (std::size_t k = 0; k < free.size(); ++k) {
    const FreeNumber& p = free[k];
    std::size_t at = columns_.size();
    for (std::size_t c = 0; c < columns_.size() && !p.rings.empty(); ++c) {
      if (p.is_same_field(free[columns_[c].parameters.front()])) at = c;
    }
    if (at == columns_.size()) columns_.emplace_back();
    Column& column = columns_[at];
    column.parameters.push_back(k), column_of_.push_back(at);
    if (p.rings.empty()) continue;
    have_rings_ = true;
    if (column.of_ring.empty()) {
      column.of_ring.resize(std::size_t{*std::max_element(ring_.begin(), ring_.end())} + 1, kNone);
    }
    for (const std::uint16_t ring : p.rings) column.of_ring[ring] = k;
  }
}

NoiseChain ChainLikelihood::chain_at(std::span<const double> values) const {
  NoiseChain chain = chain_;
  set_values(chain, free_, values);
  return chain;
}

double ChainLikelihood::total(std::span<const double> values) const {
  ChainDensity density(chain_at(values), returns_, least_log_);
  density.share_surroundings(used_, executor_);
  const std::size_t parts = (used_.size() + kReturnsPerPart - 1) / kReturnsPerPart;
  std::vector<double> sums(parts, 0.0);
  executor_.parallel_for(parts, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t part = begin; part < end; ++part) {
      const std::size_t last = std::min(used_.size(), (part + 1) * kReturnsPerPart);
      for (std::size_t i = part * kReturnsPerPart; i < last; ++i) sums[part] += density(used_[i]);
    }
  });
  double sum = 0.0;
  for (const double s : sums) sum += s;
  return sum;
}

void ChainLikelihood::each(std::span<const double> values, std::vector<double>& out) const {
  ChainDensity density(chain_at(values), returns_, least_log_);
  density.share_surroundings(used_, executor_);
  out.resize(used_.size());
  executor_.parallel_for(used_.size(), kReturnsPerPart, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) out[i] = density(used_[i]);
  });
}

void ChainLikelihood::each_returned(std::span<const double> values, std::vector<double>& out) const {
  ChainDensity density(chain_at(values), returns_, least_log_);
  density.share_surroundings(used_, executor_);
  out.resize(used_.size());
  executor_.parallel_for(used_.size(), kReturnsPerPart, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) out[i] = density.kept(used_[i]) * density.reported(used_[i]);
  });
}

std::vector<double> ChainLikelihood::by_ring(std::span<const double> values) const {
  if (!columns_.have_rings()) return {total(values)};
  std::vector<double> nats, sums;
  each(values, nats);
  sums.resize(std::size_t{*std::max_element(returns_.ring.begin(), returns_.ring.end())} + 1, 0.0);
  for (std::size_t i = 0; i < nats.size(); ++i) sums[returns_.ring[used_[i]]] += nats[i];
  return sums;
}

}  // namespace fathom
