// SPDX-License-Identifier: MIT
#pragma once
// The log density of a measured return, or of its loss, under a chain of noise.

#include <cstddef>
#include <optional>
#include <vector>

#include <fathom/calibrate/chain.hpp>
#include <fathom/noise/measured_range_law.hpp>

namespace fathom {

class ChainDensity {
 public:
  /// What a return counts that the chain holds for impossible: learning must find its way back from there.
  static constexpr double kLeastLog = -60.0;

  /// `returns` must outlive it. Throws InputError naming a model without density or probability, one with parameters
  /// for entities, one that needs to know of edges or rings where the returns do not, or models whose law together is
  /// not known. What turns hit points changes no range, and what windows take and cameras do not see is left out of the
  /// returns: these models are passed over.
  ChainDensity(const NoiseChain& chain, const ChainReturns& returns);

  /// Of return i, at least kLeastLog.
  [[nodiscard]] double operator()(std::size_t i) const;
  /// Probability that no model of loss takes return i.
  [[nodiscard]] double kept(std::size_t i) const;
  /// Probability that the range of return i is reported, if no model of loss takes it.
  [[nodiscard]] double reported(std::size_t i) const;
  /// Probability that its range is in (low, high].
  [[nodiscard]] double probability_between(std::size_t i, double low_m, double high_m) const;

 private:
  struct Step {
    const void* model;
    std::vector<const void*> of_ring;                                          ///< [rings]; empty: the same for all
    void (*act)(const void*, MeasuredRangeLaw&);                               ///< null: changes no range
    double (*lose)(const void*, const Return&, const Surface&, float energy);  ///< null: loses nothing
  };
  template <class M>
  static Step step_of(const void* model);

  /// Throws for laws that are not known, and prepares for heavy tails.
  void find_laws();
  /// What a step does to the returns of a ring; `ring` is not read where it does the same for all.
  [[nodiscard]] static const void* model_of(const Step& step, std::size_t ring) {
    return ring < step.of_ring.size() ? step.of_ring[ring] : step.model;
  }
  [[nodiscard]] std::size_t ring(std::size_t i) const { return returns_.ring.empty() ? 0 : returns_.ring[i]; }
  [[nodiscard]] MeasuredRangeLaw law(std::size_t i) const;
  /// Log density of the range that was measured.
  [[nodiscard]] double log_range(std::size_t i) const;
  [[nodiscard]] const StudentNodes* nodes() const { return nodes_ ? &*nodes_ : nullptr; }

  NoiseChain chain_;  // keeps the models that steps_ point to
  const ChainReturns& returns_;
  std::vector<Step> losses_, ranges_;
  std::optional<StudentNodes> nodes_;
};

}  // namespace fathom
