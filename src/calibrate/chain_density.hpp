// SPDX-License-Identifier: MIT
#pragma once
// The log density of a measured return, or of its loss, under a chain of noise.

#include <cstddef>
#include <optional>
#include <vector>

#include <fathom/calibrate/chain.hpp>
#include <fathom/noise/range_law.hpp>

namespace fathom {

class ChainDensity {
 public:
  /// What a return counts that the chain holds for impossible: learning must find its way back from there.
  static constexpr double kLeastLog = -60.0;

  /// Throws InputError naming a model without density or probability, one with parameters for entities or rings, or
  /// models whose law together is not known. Models that turn hit points change no range, and what windows, edges and
  /// hidden sides do is left out of the returns (chain_frames.hpp): these are passed over.
  explicit ChainDensity(const NoiseChain& chain);

  /// Of return i, at least kLeastLog.
  [[nodiscard]] double operator()(const ChainReturns& returns, std::size_t i) const;

 private:
  struct Step {
    const void* model;
    void (*act)(const void*, RangeLaw&);                                       ///< null: changes no range
    double (*lose)(const void*, const Return&, const Surface&, float energy);  ///< null: loses nothing
  };
  template <class M>
  static Step step_of(const void* model);

  NoiseChain chain_;  // keeps the models that steps_ points to
  std::vector<Step> steps_;
  std::optional<StudentNodes> nodes_;
};

}  // namespace fathom
