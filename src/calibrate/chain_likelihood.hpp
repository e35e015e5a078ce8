// SPDX-License-Identifier: MIT
#pragma once
// The log-likelihood of returns as a function of the free parameters of a chain.

#include <cstddef>
#include <span>
#include <vector>

#include <fathom/base/executor.hpp>
#include <fathom/calibrate/chain.hpp>

#include "calibrate/chain_density.hpp"

namespace fathom {

/// A free parameter, with the limits of its field.
struct FreeNumber {
  std::size_t entry;
  std::string field;
  double low, high;
  double unit = 0.0;  ///< a small step of it, where the limits do not tell one; 0: they do
};

/// Parameters are single floats: the nearest one.
inline double as_float(double value) { return double{static_cast<float>(value)}; }

class ChainLikelihood {
 public:
  /// Of the returns at these places; everything given must outlive it.
  ChainLikelihood(const NoiseChain& chain, std::span<const FreeNumber> free, const ChainReturns& returns,
                  std::span<const std::size_t> used, Executor& executor)
      : chain_(chain), free_(free), returns_(returns), used_(used), executor_(executor) {}

  [[nodiscard]] std::size_t parameters() const { return free_.size(); }
  [[nodiscard]] std::size_t size() const { return used_.size(); }
  [[nodiscard]] std::size_t place(std::size_t i) const { return used_[i]; }
  [[nodiscard]] const FreeNumber& free(std::size_t k) const { return free_[k]; }

  /// Parameters are single floats: the chain has the nearest ones.
  [[nodiscard]] NoiseChain chain_at(std::span<const double> values) const;
  /// Sum over all returns, in parts whose order does not depend on threads.
  [[nodiscard]] double total(std::span<const double> values) const;
  /// Of each return.
  void each(std::span<const double> values, std::vector<double>& out) const;

 private:
  const NoiseChain& chain_;
  std::span<const FreeNumber> free_;
  const ChainReturns& returns_;
  std::span<const std::size_t> used_;
  Executor& executor_;
};

}  // namespace fathom
