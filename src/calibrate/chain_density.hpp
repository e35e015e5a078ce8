// SPDX-License-Identifier: MIT
#pragma once
// The log density of a measured return, or of its loss, under a chain of noise.

#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <fathom/base/compute.hpp>
#include <fathom/calibrate/chain.hpp>
#include <fathom/noise/measured_range_law.hpp>

#include "calibrate/turned_rays.hpp"

namespace fathom {

float cosine_of(float incidence_rad);

/// Whether a range is, but for its rounding, one that a disparity in levels gives.
bool is_on_level(const MeasuredRangeLaw& law, double range_m, double half_step_m);

class ChainDensity {
 public:
  /// What a return counts that the chain holds for impossible: learning must find its way back from there.
  static constexpr double kLeastLog = -60.0;

  /// `returns` must outlive it. Throws InputError naming a model without density or probability, one with parameters
  /// for entities, one that needs to know of edges or rings where the returns do not, or models whose law together is
  /// not known. What windows take and cameras do not see is left out of the returns: these models are passed over, and
  /// so is what turns hit points where the returns do not tell by what angles. Rays may be turned where the returns
  /// tell what turned ones meet.
  ChainDensity(const NoiseChain& chain, const ChainReturns& returns, double least_log = kLeastLog);

  /// Works out once what returns that are turned among the same surfaces have in common, as in frames of a sensor that
  /// does not move. `used`: the returns that will be asked for.
  void share_surroundings(std::span<const std::size_t> used, Executor& executor);

  /// Takes cosines of incidence, [returns], that are found once for many densities. They must outlive it.
  void share_cosines(std::span<const float> cosines) { cosines_ = cosines; }

  /// Of return i, at least `least_log`.
  [[nodiscard]] double operator()(std::size_t i) const;
  /// Where no ray is turned, the density of a return has parts, and each model moves one of them. kept_by() is the
  /// probability that the model of loss at this place in the chain does not take the return. range_part() is the log
  /// density of its range and angles, or of a lost return the probability that its range is reported. joined() makes
  /// the density from the product of all kept_by() and from range_part().
  [[nodiscard]] bool has_parts() const { return !turns_; }
  [[nodiscard]] double kept_by(std::size_t entry, std::size_t i) const;
  [[nodiscard]] double range_part(std::size_t i) const;
  [[nodiscard]] double joined(std::size_t i, double kept, double range_part) const;
  /// Probability that no model of loss takes return i.
  [[nodiscard]] double kept(std::size_t i) const;
  /// Probability that the range of return i is reported, if no model of loss takes it.
  [[nodiscard]] double reported(std::size_t i) const;
  /// Appends all numbers on which the density of return i hangs, whatever was measured.
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

  /// Throws for laws that are not known, and prepares for heavy tails.
  void find_laws();
  [[nodiscard]] double kept_by(const Step& step, std::size_t i, const Return& hit, const Surface& surface) const;
  [[nodiscard]] Return clean_return(std::size_t i) const;
  [[nodiscard]] Surface surface_of(std::size_t i) const;
  /// What a step does to the returns of a ring; `ring` is not read where it does the same for all.
  template <class AnyStep>
  [[nodiscard]] static auto model_of(const AnyStep& step, std::size_t ring) {
    return ring < step.of_ring.size() ? step.of_ring[ring] : step.model;
  }
  [[nodiscard]] bool is_lost(std::size_t i) const { return std::isnan(returns_.range_m[i]); }
  [[nodiscard]] std::size_t ring(std::size_t i) const { return returns_.ring.empty() ? 0 : returns_.ring[i]; }
  [[nodiscard]] MeasuredRangeLaw law(std::size_t i) const;
  [[nodiscard]] MeasuredRangeLaw law_of(double range_m, double depth_m, std::size_t ring) const;
  /// Probability of a reading at the limit that clamps it; nothing for another reading.
  [[nodiscard]] std::optional<double> clamped(const MeasuredRangeLaw& law, double range_m) const;
  /// Probability that a range of this law is reported.
  [[nodiscard]] double reported_by(const MeasuredRangeLaw& law) const;
  /// Logarithm of a density or a probability, at least `least_log`.
  [[nodiscard]] double floored_log(double p) const;
  /// Half a step of the readings of return i, along its nominal ray.
  [[nodiscard]] double half_step_of(std::size_t i) const;
  /// Log density of the range that was measured.
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
  /// Linearised about this angle, by which `turner` turns; nothing if the ray then does not meet the surface.
  [[nodiscard]] std::optional<Facet> facet_on(const TurnedRays::Surface& surface, std::size_t i, double at,
                                              const RayTurner& turner) const;
  [[nodiscard]] double lost_on(const Step& step, const TurnedRays::Surface& surface, const TurnedHit& hit,
                               std::size_t ring) const;
  [[nodiscard]] WideLaw wide_law(const TurnedHit& hit, double at, std::size_t ring) const;
  [[nodiscard]] double density_on(std::size_t i, const Facet& facet) const;
  [[nodiscard]] double density_between(std::size_t i) const;
  [[nodiscard]] double reported_on(const Facet& facet) const;
  /// Mean of value(facet), at most 1; `otherwise`: if no surface returns anything.
  template <class F>
  [[nodiscard]] double mean_of_facets(std::size_t i, double otherwise, F value) const;
  [[nodiscard]] double turned_log(std::size_t i) const;
  [[nodiscard]] double turned_kept(std::size_t i) const;
  [[nodiscard]] double turned_reported(std::size_t i) const;
  [[nodiscard]] double turned_between(std::size_t i, double low_m, double high_m) const;

  NoiseChain chain_;  // keeps the models that losses_ and ranges_ point to
  const ChainReturns& returns_;
  double least_log_;
  double limit_m_;                  ///< how far the sensor measures; 0: not known
  std::span<const float> cosines_;  ///< of share_cosines(); empty: none were shared
  std::vector<Step> losses_, ranges_;
  std::vector<HitStep> hits_;
  std::optional<StudentNodes> nodes_;
  std::optional<RayTurns> turns_;                                  ///< of a chain that turns rays
  std::shared_ptr<const std::vector<std::vector<Facet>>> shared_;  ///< by surroundings; null: each return has its own
  bool is_disparity_ = false;                                      ///< whether readings are levels or disparities
};

}  // namespace fathom
