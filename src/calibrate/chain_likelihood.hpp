// SPDX-License-Identifier: MIT
#pragma once
// The log-likelihood of returns as a function of the free parameters of a chain.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
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
  double unit = 0.0;                       ///< a small step of it, where the limits do not tell one; 0: they do
  std::vector<std::uint16_t> rings = {};   ///< whose entries have it, all the same; empty: the model itself
  LearnedRole role = LearnedRole::kPlain;  ///< this and the next as in LearnedField
  int yields = 1;

  [[nodiscard]] bool is_same_field(const FreeNumber& o) const { return entry == o.entry && field == o.field; }
};

double value_of(const NoiseChain& chain, const FreeNumber& p);
/// Rings must have entries. The other weights of a mixture follow (BeamMixture::settle).
void set_value(NoiseChain& chain, const FreeNumber& p, double value);
/// Sets the weights of a mixture together.
void set_values(NoiseChain& chain, std::span<const FreeNumber> free, std::span<const double> values);

/// Parameters of one field for single rings act on returns of their own each, and move together: one column.
class Columns {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  Columns(std::span<const FreeNumber> free, const ChainReturns& returns);
  [[nodiscard]] std::size_t size() const { return columns_.size(); }
  /// Parameters of a column, ascending.
  [[nodiscard]] std::span<const std::size_t> parameters(std::size_t column) const {
    return columns_[column].parameters;
  }
  [[nodiscard]] std::size_t column_of(std::size_t parameter) const { return column_of_[parameter]; }
  /// Which of them acts on a return; kNone: none.
  [[nodiscard]] std::size_t parameter(std::size_t column, std::size_t place) const {
    const Column& c = columns_[column];
    return c.of_ring.empty() ? c.parameters.front() : c.of_ring[ring_[place]];
  }
  /// Whether any parameter is of single rings.
  [[nodiscard]] bool have_rings() const { return have_rings_; }

 private:
  struct Column {
    std::vector<std::size_t> parameters, of_ring;  ///< of_ring: [rings]; empty: of all
  };
  std::vector<Column> columns_;
  std::vector<std::size_t> column_of_;
  std::span<const std::uint16_t> ring_;
  bool have_rings_ = false;
};

/// Parameters are single floats: the nearest one.
inline double as_float(double value) { return double{static_cast<float>(value)}; }

/// One thread at a time may use it: it keeps the parts of densities that the last call found.
class ChainLikelihood {
 public:
  /// Of the returns at these places, each at least `least_log`; everything given must outlive it.
  ChainLikelihood(const NoiseChain& chain, std::span<const FreeNumber> free, const ChainReturns& returns,
                  std::span<const std::size_t> used, Executor& executor, double least_log = ChainDensity::kLeastLog)
      : ChainLikelihood(chain, free, returns, used, executor, least_log, nullptr) {}

  /// Of the same returns, with other parameters free.
  [[nodiscard]] ChainLikelihood with_free(const NoiseChain& chain, std::span<const FreeNumber> free) const {
    return {chain, free, returns_, used_, executor_, least_log_, cosines_};
  }
  [[nodiscard]] std::size_t parameters() const { return free_.size(); }
  [[nodiscard]] std::size_t size() const { return used_.size(); }
  [[nodiscard]] std::size_t place(std::size_t i) const { return used_[i]; }
  [[nodiscard]] const FreeNumber& free(std::size_t k) const { return free_[k]; }
  /// At which the model of a parameter acts.
  [[nodiscard]] Stage stage(std::size_t k) const { return chain_[free_[k].entry].noise.stage(); }
  [[nodiscard]] const Columns& columns() const { return columns_; }
  /// The parameter of a column that acts on return i; Columns::kNone: none.
  [[nodiscard]] std::size_t parameter(std::size_t column, std::size_t i) const {
    return columns_.parameter(column, used_[i]);
  }

  /// Parameters are single floats: the chain has the nearest ones.
  [[nodiscard]] NoiseChain chain_at(std::span<const double> values) const;
  /// Sum over all returns, in parts whose order does not depend on threads.
  [[nodiscard]] double total(std::span<const double> values) const;
  /// Of each return.
  void each(std::span<const double> values, std::vector<double>& out) const;
  /// Of each return: with what probability one comes back.
  void each_returned(std::span<const double> values, std::vector<double>& out) const;
  [[nodiscard]] bool is_lost(std::size_t i) const { return std::isnan(returns_.range_m[used_[i]]); }
  /// Sums over the returns of each ring, by its number; where no parameter is of single rings, total() alone.
  [[nodiscard]] std::vector<double> by_ring(std::span<const double> values) const;
  /// The place in by_ring() of the returns of a ring.
  [[nodiscard]] std::size_t slot(std::uint16_t ring) const { return columns_.have_rings() ? ring : 0; }

 private:
  /// A part of the density of each return (ChainDensity::has_parts), and the values of the parameters that it was found
  /// for. A call that moves other models alone reads it from here, as most calls of a search do.
  struct Part {
    std::vector<bool> has;               ///< [parameters]
    std::vector<double> values = {};     ///< of these
    std::vector<double> of_return = {};  ///< [returns used]; empty: not found yet
  };

  ChainLikelihood(const NoiseChain& chain, std::span<const FreeNumber> free, const ChainReturns& returns,
                  std::span<const std::size_t> used, Executor& executor, double least_log,
                  std::shared_ptr<const std::vector<float>> cosines);
  [[nodiscard]] ChainDensity density_at(std::span<const double> values) const;
  /// Finds a part where its values have moved: part_of(place of a return).
  template <class F>
  void find(Part& part, std::span<const double> values, F part_of) const;
  /// Of a density that has parts.
  void find_kept(const ChainDensity& density, std::span<const double> values) const;
  /// The product of what find_kept() found.
  [[nodiscard]] double kept(std::size_t i) const;
  /// Calls take(i, log density) for each return used. Blocks run in parallel; a block keeps the order of its returns.
  template <class F>
  void for_each_return(std::span<const double> values, F take) const;

  const NoiseChain& chain_;
  std::span<const FreeNumber> free_;
  const ChainReturns& returns_;
  std::span<const std::size_t> used_;
  Executor& executor_;
  Columns columns_;
  double least_log_;
  std::shared_ptr<const std::vector<float>> cosines_;  ///< null: the chain loses nothing
  mutable std::vector<Part> kept_by_;                  ///< [models of loss]
  std::vector<std::size_t> losing_;                    ///< their places in the chain
  mutable Part ranges_, reported_;
};

}  // namespace fathom
