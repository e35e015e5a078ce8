// SPDX-License-Identifier: MIT
#pragma once
// The log-likelihood of returns as a function of the free parameters of a chain.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/base/compute.hpp>
#include <fathom/calibrate/chain.hpp>

#include "calibrate/chain_density.hpp"

namespace fathom {

/// A free parameter, with the limits of its field.
struct FreeNumber {
  std::size_t entry;
  std::string field;
  double low, high;
  std::string_view unit;                   ///< "m"
  double step = 0.0;                       ///< a small step of it; 0: the limits give one
  std::vector<std::uint16_t> rings = {};   ///< whose entries have it, all with one value; empty: the model itself
  LearnedRole role = LearnedRole::kPlain;  ///< this and the next as in LearnedField
  int yields = 1;

  [[nodiscard]] bool is_same_field(const FreeNumber& o) const { return entry == o.entry && field == o.field; }
  friend bool operator==(const FreeNumber& a, const FreeNumber& b) { return a.is_same_field(b) && a.rings == b.rings; }
};

double value_of(const NoiseChain& chain, const FreeNumber& p);
std::vector<double> values_of(const NoiseChain& chain, std::span<const FreeNumber> free);
/// Rings must have entries. The other weights of a mixture follow (BeamMixture::settle).
void set_value(NoiseChain& chain, const FreeNumber& p, double value);
/// Sets the weights of a mixture together.
void set_values(NoiseChain& chain, std::span<const FreeNumber> free, std::span<const double> values);

/// Parameters are single floats: the nearest one.
inline double as_float(double value) { return double{static_cast<float>(value)}; }

/// About `most` of the places, evenly.
std::vector<std::size_t> some_of(std::span<const std::size_t> places, std::size_t most);

/// The returns that count; everything given must outlive it.
struct ChainData {
  const ChainReturns& returns;
  std::span<const std::size_t> used;  ///< places of the returns that count
  Executor& executor;
  double least_log = ChainDensity::kLeastLog;              ///< of each
  std::shared_ptr<const std::vector<float>> cosines = {};  ///< of incidence, [returns]; null: not found yet

  [[nodiscard]] ChainData at(std::span<const std::size_t> places, double least = ChainDensity::kLeastLog) const {
    return {returns, places, executor, least};
  }
  [[nodiscard]] bool is_lost(std::size_t k) const { return std::isnan(returns.range_m[used[k]]); }
  /// Log density of each return used.
  [[nodiscard]] std::vector<double> each(const NoiseChain& chain) const;
  [[nodiscard]] double total(const NoiseChain& chain) const;
};

/// Parameters of one field for single rings act on different returns. They form one column: one evaluation moves them
/// together. One thread at a time may use it, since it keeps the parts of densities that the last call found.
class ChainLikelihood {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  /// [columns, returns] numbers of returns, each by the parameter of the column that acts on the return.
  using Slopes = std::vector<std::vector<double>>;

  /// `chain`, `free` and all that `data` refers to must outlive it.
  ChainLikelihood(const NoiseChain& chain, std::span<const FreeNumber> free, const ChainData& data);

  /// With the cosines of incidence, if the chain loses returns: other likelihoods of the same returns take them.
  [[nodiscard]] const ChainData& data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return data_.used.size(); }
  [[nodiscard]] const FreeNumber& free(std::size_t k) const { return free_[k]; }
  /// The values that the chain has.
  [[nodiscard]] std::vector<double> given() const { return values_of(chain_, free_); }
  /// At which the model of a parameter acts.
  [[nodiscard]] Stage stage(std::size_t k) const { return chain_[free_[k].entry].noise.stage(); }

  [[nodiscard]] std::size_t columns() const { return columns_.size(); }
  /// Parameters of a column, ascending.
  [[nodiscard]] std::span<const std::size_t> column(std::size_t c) const { return columns_[c].parameters; }
  /// The parameter of a column that acts on return i; kNone: no parameter does.
  [[nodiscard]] std::size_t parameter(std::size_t c, std::size_t i) const {
    const Column& column = columns_[c];
    return column.of_ring.empty() ? column.parameters.front() : column.of_ring[data_.returns.ring[data_.used[i]]];
  }
  /// Calls f(parameter, slope) for each parameter that acts on return i.
  template <class F>
  void for_each_parameter(const Slopes& slopes, std::size_t i, F f) const {
    for (std::size_t c = 0; c < slopes.size(); ++c) {
      if (const std::size_t k = parameter(c, i); k != kNone) f(k, slopes[c][i]);
    }
  }
  /// Adds the products of slopes of all returns, by pairs of parameters.
  template <class Matrix>
  void add_products(const Slopes& slopes, Matrix& sum) const {
    for (std::size_t i = 0; i < size(); ++i) {
      for_each_parameter(slopes, i, [&](std::size_t j, double first) {
        for_each_parameter(slopes, i, [&](std::size_t k, double second) { sum(j, k) += first * second; });
      });
    }
  }

  [[nodiscard]] NoiseChain chain_at(std::span<const double> values) const;
  /// Sum over all returns, in parts whose order does not depend on threads.
  [[nodiscard]] double total(std::span<const double> values) const;
  /// Of each return.
  [[nodiscard]] std::vector<double> each(std::span<const double> values) const;
  /// Probability of each return that one comes back.
  [[nodiscard]] std::vector<double> each_returned(std::span<const double> values) const;
  /// Derivatives of each(), or of each_returned(), from differences of about `steps`, within the limits.
  [[nodiscard]] Slopes slopes(std::span<const double> values, std::span<const double> steps,
                              bool of_returned = false) const;

 private:
  struct Column {
    std::vector<std::size_t> parameters, of_ring;  ///< of_ring: [rings]; empty: of all
  };
  /// A part of the density of each return (ChainDensity::has_parts), and the values of the parameters that it was found
  /// for. A call that moves other models alone reads it from here, as most calls of a search do.
  struct Part {
    std::vector<bool> has;               ///< [parameters]
    std::vector<double> values = {};     ///< of these
    std::vector<double> of_return = {};  ///< [returns used]; empty: not found yet
  };

  void find_columns();
  [[nodiscard]] ChainDensity density_at(std::span<const double> values) const;
  /// f(i) of each return used.
  template <class F>
  [[nodiscard]] std::vector<double> filled(F f) const;
  /// Finds a part where its values have moved: part_of(place of a return).
  template <class F>
  void find(Part& part, std::span<const double> values, F part_of) const;
  void find_kept(const ChainDensity& density, std::span<const double> values) const;
  /// The product of what find_kept() found.
  [[nodiscard]] double kept(std::size_t i) const;

  const NoiseChain& chain_;
  std::span<const FreeNumber> free_;
  ChainData data_;
  std::vector<Column> columns_;
  mutable std::vector<Part> kept_by_;  ///< [models of loss]
  std::vector<std::size_t> losing_;    ///< their places in the chain
  mutable Part ranges_, reported_;
};

}  // namespace fathom
