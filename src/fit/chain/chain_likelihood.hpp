// SPDX-License-Identifier: MIT
#pragma once
// The log density of a measured return, or of its loss, under a chain of noise.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/core/compute.hpp>
#include <fathom/fit/chain.hpp>
#include <fathom/noise/detail/measured_range_law.hpp>

#include "fit/chain/turned_rays.hpp"
#include "sensor/noise_access.hpp"

namespace fathom {

// fit/estimator.hpp
struct Interval;
struct Slope;

struct LossBlock;  // in chain_likelihood.cpp

/// Whether a disparity in levels gives this range, except for rounding.
bool is_on_level(const MeasuredRangeLaw& law, double range_m, double half_step_m);

class ChainDensity {
  struct Step;

 public:
  /// Log density of an impossible return. It is finite, so that learning finds its way back from there.
  static constexpr double kLeastLog = -60.0;

  /// `returns` must outlive it. Throws InputError naming a model without density or probability, one with parameters
  /// for entities, one that needs to know of edges or rings where the returns do not, or models whose law together is
  /// not known. Returns leave out the losses of windows and shadows, so their models are ignored. Models that turn hit
  /// points are ignored if the returns do not have the angles. Models that turn rays need returns with
  /// ChainReturns::TurnedRays.
  ChainDensity(const NoiseChain& chain, const ChainReturns& returns, double least_log = kLeastLog);

  /// Computes once the common part of returns that are turned among the same surfaces, as in frames of a sensor that
  /// does not move. `used`: the returns that will be asked for.
  void share_surroundings(std::span<const std::size_t> used, Executor& executor);

  /// Takes cosines of incidence, [returns], that are found once for many densities. They must outlive it.
  void share_cosines(std::span<const float> cosines) { cosines_ = cosines; }

  /// Of return i, at least `least_log`, where rays are turned.
  [[nodiscard]] double turned_log(std::size_t i) const;
  /// Where no ray is turned, the density of a return has parts, and each model moves one of them. Each model of loss
  /// has the probability that it does not take the return. range_part() is the log density of its range and angles, or
  /// of a lost return the probability that its range is reported.
  [[nodiscard]] bool has_parts() const { return !turns_; }
  /// The model of loss at this place in the chain; null for other models.
  [[nodiscard]] const Step* loss_at(std::size_t entry) const;
  [[nodiscard]] double range_part(std::size_t i) const;
  /// Whether readings are levels of a disparity that deviates. The range part of a loss is then the probability of
  /// disparity errors between level_errors(), and that of a reading its logarithm. These do not depend on the
  /// deviation.
  [[nodiscard]] bool has_levels() const { return level_deviation_px_ > 0.0; }
  [[nodiscard]] detail::DisparityErrors level_errors(std::size_t i) const;

  // Of at most kBlockRays returns at these places.

  /// Probabilities that a model of loss does not take them. `block` is room for their values.
  void find_kept_by(const Step* step, std::span<const std::size_t> places, LossBlock& block, double* kept) const;
  /// Of readings with levels. `errors`: low_px and high_px of each.
  void find_range_parts(std::span<const std::size_t> places, const double* errors, double* parts) const;
  /// Log densities from the probabilities that no model loses them, and from range parts.
  void join(std::span<const std::size_t> places, const double* kept, const double* range_part, double* nats) const;

  /// Probability that no model of loss takes return i.
  [[nodiscard]] double kept(std::size_t i) const;
  /// Probability that the range of return i is reported, if no model of loss takes it.
  [[nodiscard]] double reported(std::size_t i) const;
  /// Appends all numbers that determine the density of return i, except the measurement.
  void effects(std::size_t i, std::vector<double>& out) const;
  /// Probability that its range is in (low, high].
  [[nodiscard]] double probability_between(std::size_t i, double low_m, double high_m) const;

 private:
  struct Step {
    std::string_view slug;
    const void* model;
    std::vector<const void*> of_ring;                            ///< [rings]; empty: the same for all
    void (*act)(const void*, MeasuredRangeLaw&);                 ///< null: changes no range
    double (*loss)(const void*, const Return&, const Surface&);  ///< null: loses nothing
    LossKernel find_losses;                                      ///< the same, of a block of returns
    bool is_half_vector;                                         ///< how its energies read the angle
    std::size_t place;                                           ///< in the chain

    Step(const ChainEntry& entry, std::size_t at);
    /// Probability that the model loses this return, whose energy is that of the frame.
    [[nodiscard]] double lose(const void* of, const Return& hit, Surface surface, float energy) const;
  };
  /// A model that turns hit points, by these angles of the returns.
  struct HitStep {
    AxisTurn model;
    std::vector<AxisTurn> of_ring;  ///< [rings]; empty: the same for all
    const std::vector<float>* angle_rad;
  };
  void add_hit_turn(const ChainEntry& entry);

  /// Takes the weather of the chain. Throws for weather whose drops have no density here.
  void add_weather(const Noise& noise);
  /// The light of return i from a surface at a range, through the weather.
  struct AirLight {
    double power;  ///< of the surface
    double drops;  ///< weakest power of drops that the sensor detects
    double seen;   ///< probability that the sensor detects the surface
    [[nodiscard]] double stronger() const { return power > drops ? power : drops; }
  };
  [[nodiscard]] AirLight light_at(std::size_t i, double range_m) const;
  using OfDrops = double (SoftLaw::*)(double power, double surface_m, double r_m) const;
  /// A law of the drops before a surface of return i that outshine it, or that the sensor detects without it.
  [[nodiscard]] double of_drops(OfDrops of, std::size_t i, double surface_m, double r_m) const;
  /// Probability that the sensor reports a surface of return i at this range, and no drops.
  [[nodiscard]] double shown(std::size_t i, double range_m) const;
  /// Log density of the measured range, of drops or of the surface, whose own log density is `log_surface`.
  [[nodiscard]] double log_in_weather(std::size_t i, const MeasuredRangeLaw& law, double log_surface) const;
  /// Throws for laws that are not known, and prepares for heavy tails.
  void find_laws();
  [[nodiscard]] double kept_by(const Step& step, std::size_t i, const Return& hit, const Surface& surface) const;
  [[nodiscard]] Return clean_return(std::size_t i) const;
  [[nodiscard]] Surface surface_of(std::size_t i) const;
  void load(std::span<const std::size_t> places, bool is_half_vector, LossBlock& block) const;
  /// What a step does to the returns of a ring; `ring` is not read where it does the same for all.
  template <class AnyStep>
  [[nodiscard]] static auto model_of(const AnyStep& step, std::size_t ring) {
    return ring < step.of_ring.size() ? step.of_ring[ring] : step.model;
  }
  [[nodiscard]] bool is_lost(std::size_t i) const { return std::isnan(returns_.range_m[i]); }
  [[nodiscard]] std::size_t ring(std::size_t i) const { return returns_.ring.empty() ? 0 : returns_.ring[i]; }
  [[nodiscard]] MeasuredRangeLaw law(std::size_t i) const;
  [[nodiscard]] MeasuredRangeLaw law_of(double range_m, double depth_m, std::size_t ring) const;
  /// Probability of a reading at the limit that clamps it; empty for other readings.
  [[nodiscard]] std::optional<double> clamped(const MeasuredRangeLaw& law, double range_m) const;
  /// Limits of the ranges that are reported, m.
  [[nodiscard]] std::array<double, 2> reported_ranges() const;
  /// Probability that a range of this law is reported.
  [[nodiscard]] double reported_by(const MeasuredRangeLaw& law) const;
  /// Logarithm of a density or a probability, at least `least_log`.
  [[nodiscard]] double floored_log(double p) const;
  /// Half a step of the readings of return i, along its nominal ray.
  [[nodiscard]] double half_step_of(std::size_t i) const;
  /// Log density of the range that was measured, without drops.
  [[nodiscard]] double log_surface(const MeasuredRangeLaw& law, std::size_t i) const;
  [[nodiscard]] double log_range(std::size_t i) const;
  /// Log density of the angles by which its point lies beside its ray, per rad each; 0 where they are not known.
  [[nodiscard]] double log_hit(std::size_t i) const;
  [[nodiscard]] const StudentNodes* nodes() const { return nodes_ ? &*nodes_ : nullptr; }

  // Of turned rays, in chain_turned.cpp.
  struct Facet;
  struct WideLaw;
  /// Calls f(facet) for each surface that turned rays meet.
  template <class F>
  void for_each_facet(std::size_t i, F f) const;
  template <class F>
  void find_facets(std::size_t i, F f) const;
  /// Linearised about this angle, by which `turner` turns; empty if the ray then does not meet the surface.
  [[nodiscard]] std::optional<Facet> facet_on(const ChainReturns::TurnedRays::Surface& surface, std::size_t i,
                                              double at, const RayTurner& turner) const;
  [[nodiscard]] double lost_on(const Step& step, const ChainReturns::TurnedRays::Surface& surface, const TurnedHit& hit,
                               std::size_t ring) const;
  [[nodiscard]] WideLaw wide_law(const TurnedHit& hit, double at, std::size_t ring) const;
  [[nodiscard]] double density_on(std::size_t i, const Facet& facet) const;
  [[nodiscard]] double density_between(std::size_t i) const;
  [[nodiscard]] double reported_on(const Facet& facet) const;
  /// Mean of value(facet), at most 1; `otherwise`: if no surface returns anything.
  template <class F>
  [[nodiscard]] double mean_of_facets(std::size_t i, double otherwise, F value) const;
  [[nodiscard]] double turned_kept(std::size_t i) const;
  [[nodiscard]] double turned_reported(std::size_t i) const;
  [[nodiscard]] double turned_between(std::size_t i, double low_m, double high_m) const;

  NoiseChain chain_;  // keeps the models that losses_ and ranges_ point to
  const ChainReturns& returns_;
  double least_log_;
  double limit_m_;                  ///< how far the sensor measures; 0: not known
  std::span<const float> cosines_;  ///< of share_cosines(); may be empty
  std::vector<Step> losses_, ranges_;
  std::vector<HitStep> hits_;
  std::optional<Noise> weather_model_;
  SoftLawPtr weather_;  ///< null: none
  std::optional<StudentNodes> nodes_;
  std::optional<RayTurns> turns_;                                  ///< of a chain that turns rays
  std::shared_ptr<const std::vector<std::vector<Facet>>> shared_;  ///< by surroundings; null: each return has its own
  bool is_disparity_ = false;                                      ///< whether readings are levels or disparities
  double level_deviation_px_ = 0.0;                                ///< 0: has_levels() is false
};

// The log-likelihood of returns as a function of the free parameters of a chain.

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
    return {returns, places, executor, least, cosines};
  }
  [[nodiscard]] bool is_lost(std::size_t k) const { return std::isnan(returns.range_m[used[k]]); }
  /// Log density of each return used.
  [[nodiscard]] std::vector<double> each(const NoiseChain& chain) const;
  [[nodiscard]] double total(const NoiseChain& chain) const;
};

/// ChainData::cosines of all returns, for many likelihoods of them.
std::shared_ptr<const std::vector<float>> cosines_of(const ChainReturns& returns);

/// A SlopedLikelihood (fit/estimator.hpp). Parameters of one field for single rings act on different returns. They form
/// one column: one evaluation moves them together. One thread at a time may use it, since it keeps the parts of
/// densities that the last call found.
class ChainLikelihood {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  /// [columns, returns] numbers of returns, each by the parameter of the column that acts on the return.
  using Slopes = std::vector<std::vector<double>>;

  /// `chain`, `free` and all that `data` refers to must outlive it.
  ChainLikelihood(const NoiseChain& chain, std::span<const FreeNumber> free, const ChainData& data);
  ChainLikelihood(const ChainLikelihood&) = delete;
  ChainLikelihood& operator=(const ChainLikelihood&) = delete;

  /// With the cosines of incidence, if the chain loses returns.
  [[nodiscard]] const ChainData& data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return data_.used.size(); }
  [[nodiscard]] std::size_t parameters() const { return free_.size(); }
  [[nodiscard]] const FreeNumber& free(std::size_t k) const { return free_[k]; }
  [[nodiscard]] Interval limits(std::size_t k) const;
  [[nodiscard]] double step(std::size_t k) const { return free_[k].step; }
  [[nodiscard]] static double nearest(std::size_t /*k*/, double value) { return as_float(value); }
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
  /// Their sum, and the outer product of the scores.
  [[nodiscard]] Slope slope(std::span<const double> values, std::span<const double> steps) const;

 private:
  struct Column {
    std::vector<std::size_t> parameters, of_ring;  ///< of_ring: [rings]; empty: of all
  };
  /// A part of the density of each return (ChainDensity::has_parts), and the values of the parameters that it was found
  /// for. A call that moves only other models reads it from here, as most calls of a search do.
  struct Part {
    std::vector<bool> has;               ///< [parameters]
    std::vector<double> values = {};     ///< of these parameters
    std::vector<double> of_return = {};  ///< [returns used]; empty until needed
  };

  void find_columns();
  [[nodiscard]] ChainDensity density_at(std::span<const double> values) const;
  /// Fills `out` with f(i) of each return used.
  template <class F>
  void fill(std::vector<double>& out, F f) const;
  /// Takes the values of a part; false if it was found for them.
  bool renew(Part& part, std::span<const double> values, std::size_t numbers = 1) const;
  /// Fills `out` by blocks of returns: join(places, probabilities that no model loses them, range parts, to).
  /// find_ranges(number of the first return, places, to) finds range parts.
  template <class FindRanges, class Join>
  void fill_joined(std::vector<double>& out, const ChainDensity& density, std::span<const double> values, Part& ranges,
                   FindRanges find_ranges, Join join) const;
  void find_each(std::span<const double> values, std::vector<double>& nats) const;

  const NoiseChain& chain_;
  std::span<const FreeNumber> free_;
  ChainData data_;
  std::vector<Column> columns_;
  mutable std::vector<Part> kept_by_;  ///< [models of loss]
  std::vector<std::size_t> losing_;    ///< their places in the chain
  mutable Part ranges_, reported_;
  mutable Part levels_;               ///< ChainDensity::level_errors(), [returns used, 2]
  mutable std::vector<double> nats_;  ///< of the last total(), so that searches do not allocate
};

// Returns and their expectation by a chain: checks, selections, scores and pictures.

/// Throws InputError if arrays or limits of the returns contradict chain.hpp.
void check_returns(const ChainReturns& returns);

/// Places of the returns that teach and of the returns that judge.
struct Split {
  std::vector<std::size_t> learn, judge;
  std::vector<std::uint32_t> cluster;  ///< of `learn`
  std::size_t frames = 0;
  std::uint32_t stretches = 0;  ///< clusters are stretches of the way; 0: frames, or blocks of them
};

Split split_frames(const ChainReturns& returns, const ChainFitOptions& options);

/// The returns at these places, which ascend, without ChainReturns::TurnedRays.
ChainReturns returns_at(const ChainReturns& returns, std::span<const std::size_t> places);

/// Of the frames of the returns used.
std::vector<FrameScore> frame_scores(const NoiseChain& chain, const ChainData& data);

/// The note on a scene of another place or size, or on poses elsewhere in it; may be empty. Errors without a bias and a
/// gain then spread by more than 6 % of the median range, which no sensor's noise does (4 % on a real log in its own
/// map, 23 % in the same map 0.2 m off). And neighbouring rays share most of the spread, which they do not of noise.
/// A tenth of the readings on either side does not count, such as people who walked by. If the chain has a
/// beam_mixture, which draws such readings, it is a quarter.
std::string scene_note(const ChainReturns& returns, bool has_mixture);

/// Shares of bins; bin i spans [edges[i], edges[i + 1]).
struct BinShares {
  std::vector<double> edges, shares;
};

/// Bins of measured less clean range, m. The outer bins also hold the few errors beyond them. Empty if no range came
/// back.
std::vector<double> error_edges(const ChainReturns& returns, std::size_t bins);
/// Of the ranges that came back, the share of each bin.
BinShares measured_errors(const ChainReturns& returns, std::vector<double> edges);
/// The same as the chain expects it of (some of) these returns.
BinShares expected_errors(const NoiseChain& chain, const ChainReturns& returns, std::vector<double> edges);

/// Of the returns in each bin of incidence, degrees, the share that was lost; NaN in bins of fewer than 20.
BinShares measured_losses(const ChainReturns& returns);
BinShares expected_losses(const NoiseChain& chain, const ChainReturns& returns);

}  // namespace fathom
