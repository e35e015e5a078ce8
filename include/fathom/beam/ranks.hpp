// SPDX-License-Identifier: MIT
#pragma once
// Processes that learn one model together.

#include <cstddef>
#include <span>
#include <vector>

#include <fathom/base/export.hpp>

namespace fathom {

/// How processes that run the same code, each with its share of the data, exchange sums: by MPI, by threads, or
/// however their face does it. Sums are made over fixed parts of the data and added in the order of the parts by every
/// process, so that all have the same result to the bit, however many they are.
class FATHOM_API Ranks {
 public:
  Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  virtual ~Ranks();

  [[nodiscard]] virtual std::size_t rank() const = 0;  ///< of this process, below size()
  [[nodiscard]] virtual std::size_t size() const = 0;
  /// Every process calls it equally often: the numbers of all, those of rank 0 first. They may give different amounts.
  [[nodiscard]] virtual std::vector<double> gather(std::span<const double> mine) = 0;
};

}  // namespace fathom
