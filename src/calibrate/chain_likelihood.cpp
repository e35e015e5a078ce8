// SPDX-License-Identifier: MIT
#include "calibrate/chain_likelihood.hpp"

#include <algorithm>

namespace fathom {

namespace {

constexpr std::size_t kReturnsPerPart = 2048;

}  // namespace

NoiseChain ChainLikelihood::chain_at(std::span<const double> values) const {
  NoiseChain chain = chain_;
  for (std::size_t k = 0; k < free_.size(); ++k) {
    Noise& noise = chain[free_[k].entry].noise;
    noise = noise.with(free_[k].field, values[k]);
  }
  return chain;
}

double ChainLikelihood::total(std::span<const double> values) const {
  ChainDensity density(chain_at(values), returns_);
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
  ChainDensity density(chain_at(values), returns_);
  density.share_surroundings(used_, executor_);
  out.resize(used_.size());
  executor_.parallel_for(used_.size(), kReturnsPerPart, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) out[i] = density(used_[i]);
  });
}

}  // namespace fathom
