// SPDX-License-Identifier: MIT
#include "calibrate/chain_likelihood.hpp"

#include <algorithm>
#include <utility>

#include "noise/noise_access.hpp"

namespace fathom {

namespace {

constexpr std::size_t kReturnsPerBlock = 2048;

/// Cosines of incidence of the returns used, by their places among all.
std::shared_ptr<const std::vector<float>> cosines_of(const ChainReturns& returns, std::span<const std::size_t> used) {
  auto cosines = std::make_shared<std::vector<float>>(returns.size());
  for (const std::size_t i : used) (*cosines)[i] = cosine_of(returns.incidence_rad[i]);
  return cosines;
}

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

ChainLikelihood::ChainLikelihood(const NoiseChain& chain, std::span<const FreeNumber> free, const ChainReturns& returns,
                                 std::span<const std::size_t> used, Executor& executor, double least_log,
                                 std::shared_ptr<const std::vector<float>> cosines)
    : chain_(chain),
      free_(free),
      returns_(returns),
      used_(used),
      executor_(executor),
      columns_(free, returns),
      least_log_(least_log),
      cosines_(std::move(cosines)) {
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
  if (cosines_ == nullptr && !losing_.empty()) cosines_ = cosines_of(returns, used);
}

NoiseChain ChainLikelihood::chain_at(std::span<const double> values) const {
  NoiseChain chain = chain_;
  set_values(chain, free_, values);
  return chain;
}

ChainDensity ChainLikelihood::density_at(std::span<const double> values) const {
  ChainDensity density(chain_at(values), returns_, least_log_);
  density.share_surroundings(used_, executor_);
  if (cosines_ != nullptr) density.share_cosines(*cosines_);
  return density;
}

template <class F>
void ChainLikelihood::find(Part& part, std::span<const double> values, F part_of) const {
  std::vector<double> own;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (part.has[k]) own.push_back(values[k]);
  }
  if (!part.of_return.empty() && own == part.values) return;
  part.values = std::move(own);
  part.of_return.resize(used_.size());
  executor_.parallel_for(used_.size(), kReturnsPerBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) part.of_return[i] = part_of(used_[i]);
  });
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

template <class F>
void ChainLikelihood::for_each_return(std::span<const double> values, F take) const {
  const ChainDensity density = density_at(values);
  const bool has_parts = density.has_parts();
  if (has_parts) {
    find_kept(density, values);
    find(ranges_, values, [&](std::size_t i) { return density.range_part(i); });
  }
  const auto nats_of = [&](std::size_t i) {
    if (!has_parts) return density(used_[i]);
    return density.joined(used_[i], kept(i), ranges_.of_return[i]);
  };
  const std::size_t blocks = (used_.size() + kReturnsPerBlock - 1) / kReturnsPerBlock;
  executor_.parallel_for(blocks, 1, [&](std::size_t begin, std::size_t end) {
    const std::size_t last = std::min(used_.size(), end * kReturnsPerBlock);
    for (std::size_t i = begin * kReturnsPerBlock; i < last; ++i) take(i, nats_of(i));
  });
}

double ChainLikelihood::total(std::span<const double> values) const {
  std::vector<double> sums(used_.size() / kReturnsPerBlock + 1, 0.0);
  for_each_return(values, [&](std::size_t i, double nats) { sums[i / kReturnsPerBlock] += nats; });
  double sum = 0.0;
  for (const double s : sums) sum += s;
  return sum;
}

void ChainLikelihood::each(std::span<const double> values, std::vector<double>& out) const {
  out.resize(used_.size());
  for_each_return(values, [&](std::size_t i, double nats) { out[i] = nats; });
}

void ChainLikelihood::each_returned(std::span<const double> values, std::vector<double>& out) const {
  const ChainDensity density = density_at(values);
  out.resize(used_.size());
  if (!density.has_parts()) {
    executor_.parallel_for(used_.size(), kReturnsPerBlock, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) out[i] = density.kept(used_[i]) * density.reported(used_[i]);
    });
    return;
  }
  find_kept(density, values);
  find(reported_, values, [&](std::size_t i) { return density.reported(i); });
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = kept(i) * reported_.of_return[i];
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
