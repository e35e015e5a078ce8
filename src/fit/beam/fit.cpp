// SPDX-License-Identifier: MIT
#include <fathom/fit/fit.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/field.hpp>

#include "core/text.hpp"
#include "fit/beam/em.hpp"
#include "fit/estimator.hpp"
#include "fit/uncertainty.hpp"

namespace fathom {

namespace {

constexpr double kFallSlack = 1e-10;  // relative: rounding of the sums may take this from the likelihood
constexpr double kMostSigmaPerRange = 100.0, kMostTailSigmaPerRange = 2.0;

std::string_view word_of(FitOptions::Variant variant) {
  return kChoiceWords<FitOptions::Variant>[static_cast<std::size_t>(variant)];
}

/// Throws InputError.
MaximiseOptions checked(const FitOptions& options, const BeamSensor& sensor) {
  validate(sensor);
  validate(options.start);
  check_in_range("beam", "hit_offset_m", options.start.hit_offset_m, -sensor.max_range_m, sensor.max_range_m, "m");
  MaximiseOptions climb = maximise_options(options);
  validate(options.compute);
  if (options.start.tail.is_extended() && options.variant != FitOptions::Variant::kExact) {
    throw InputError(Setting{"fit.variant"}, " = ", word_of(options.variant),
                     " is of gaussian hits, as the book has them, and ", Setting{"hit"}, " is ",
                     kChoiceWords<HitLaw>[static_cast<std::size_t>(options.start.tail.hit)]);
  }
  return climb;
}

/// Within the limits of BeamParameters, so that the result can be used.
SigmaLimits sigma_limits(const BeamSensor& sensor, double cell_m, const HitTail& tail) {
  const double floor_m = std::max({sensor.step_m, cell_m, 1e-9 * sensor.max_range_m}) / std::sqrt(12.0);
  const double low_m = std::max(kLeastSigmaHitM, floor_m);
  const double most = tail.is_extended() ? kMostTailSigmaPerRange : kMostSigmaPerRange;
  return {low_m, std::max(low_m, std::min(kMostSigmaHitM, most * sensor.max_range_m))};
}

/// How far to look for hits that a cut concerns, after sigma has changed by so much: the M-step may enlarge sigma by
/// reach / kEdgeSigmas, and as learning converges it asks for less and less.
double next_reach(double before_m, double now_m) {
  return std::clamp(kEdgeSigmas * (1.0 + 3.0 * std::abs(now_m / before_m - 1.0)), 1.02 * kEdgeSigmas, kFarSigmas);
}

/// Looks for a better offset one step up or down; so the likelihood itself rises, not its expectation (an ECME step:
/// Liu and Rubin, Biometrika 81 (1994)). EM proper cannot move the offset: the shorts of the old one end at the old
/// surface. The step grows with success and shrinks without.
class OffsetSearch {
 public:
  explicit OffsetSearch(double sigma_m) : step_m_(0.5 * sigma_m) {}

  void improve(Em& em, FitOptions::Variant variant, BeamParameters& p) {
    const double now = em.expect(p, variant, kFarSigmas).sums.log_likelihood;
    for (const double sign : {direction_, -direction_}) {
      BeamParameters trial = p;
      trial.hit_offset_m += sign * step_m_;
      if (em.expect(trial, variant, kFarSigmas).sums.log_likelihood > now) {
        p = trial;
        direction_ = sign;
        step_m_ *= 1.5;
        return;
      }
    }
    step_m_ *= 0.4;
  }
  [[nodiscard]] bool has_settled(double sigma_m) const { return step_m_ < 1e-4 * sigma_m; }

 private:
  double step_m_, direction_ = 1.0;
};

/// What rounding may take from a sum of so much.
double lost_in_sums(double log_likelihood) { return 1e-13 * (1.0 + std::abs(log_likelihood)); }

/// The numbers of an extended law half way back to where a step of Newton's came from, or all of it.
void go_back(const BeamParameters& from, bool all, BeamParameters& p) {
  p.sigma_hit_m = all ? from.sigma_hit_m : std::sqrt(p.sigma_hit_m * from.sigma_hit_m);
  p.tail.nu_hit = all ? from.tail.nu_hit : std::sqrt(p.tail.nu_hit * from.tail.nu_hit);
  p.tail.sigma_hit_per_m = all ? from.tail.sigma_hit_per_m : 0.5 * (p.tail.sigma_hit_per_m + from.tail.sigma_hit_per_m);
}

/// The likelihood must not fall under the exact M-step; that it did would be a defect of fathom, not of the data.
void check_rise(double before, double now, std::size_t iteration) {
  if (now >= before - kFallSlack * (1.0 + std::abs(before))) return;
  throw Error(fmt::format("fit: the log-likelihood fell from {} to {} in iteration {}", before, now, iteration));
}

BeamParameters start_within(const SigmaLimits& limits, const FitOptions& options) {
  BeamParameters start = options.start;
  start.sigma_hit_m = std::clamp(start.sigma_hit_m, limits.low_m, limits.high_m);
  return start;
}

/// The beam mixture as a Likelihood with an EM step. The arguments of its constructor must outlive it.
class BeamLikelihood {
 public:
  BeamLikelihood(const Evidence& evidence, const BeamSensor& sensor, const FitOptions& options,
                 const SigmaLimits& limits, Executor& executor)
      : options_(options),
        limits_(limits),
        em_(evidence, sensor, executor, options.compute.isa),
        model_(start_within(limits, options)),
        before_(model_),
        offset_(model_.sigma_hit_m) {
    for (const auto& field : BeamParameters::fields()) numbers_.add(field, model_);
    if (model_.tail.is_extended()) numbers_.add(HitTail::field_of(model_.tail.hit), model_.tail);
  }
  BeamLikelihood(const BeamLikelihood&) = delete;

  [[nodiscard]] std::size_t size() const { return em_.evidence().pairs(); }
  [[nodiscard]] std::size_t parameters() const { return numbers_.limits().size(); }
  [[nodiscard]] Interval limits(std::size_t k) const { return numbers_.limits()[k]; }
  double total(std::span<const double> values) {
    numbers_.set(values);
    return em_.expect(model_, options_.variant, kFarSigmas).sums.log_likelihood;
  }

  EmStep m_step(std::vector<double>& values, double before) {
    numbers_.set(values);
    last_ = next_;
    if (options_.fit_hit_offset) offset_.improve(em_, options_.variant, model_);
    const double log_likelihood = step_uphill(before - lost_in_sums(before));
    if (options_.variant == FitOptions::Variant::kExact) check_rise(before, log_likelihood, iteration_++);
    values = numbers_.values();
    before_ = std::exchange(model_, next_.parameters);
    reach_ = next_reach(before_.sigma_hit_m, model_.sigma_hit_m);
    return {log_likelihood, numbers_.values()};
  }
  [[nodiscard]] bool has_settled() const {
    return !options_.fit_hit_offset || offset_.has_settled(before_.sigma_hit_m);
  }

  [[nodiscard]] const BeamParameters& model_at(std::span<const double> values) {
    numbers_.set(values);
    return model_;
  }
  [[nodiscard]] const ModelNumbers& numbers() const { return numbers_; }
  /// The step that led to the values of the last m_step().
  [[nodiscard]] const MStep& last_step() const { return last_; }

 private:
  /// The M-step, with the E-step repeated as far as sigma wants to reach. Returns the log-likelihood.
  double step() {
    for (double reach = reach_;; reach *= 4.0) {
      const Expectation& e = em_.expect(model_, options_.variant, reach, Expecting::kSlopes);
      const double all = static_cast<double>(em_.evidence().ranges()) + e.max_shared - e.max_as_hit;
      if (!(std::abs(e.sums.hit + e.sums.shorts + e.sums.rand - all) <= 1e-6 * all)) {
        throw InputError("fit: some readings are impossible under the starting parameters (give w_rand > 0)");
      }
      next_ = m_step_of(em_, e, model_, options_.variant, limits_, reach);
      if (!next_.out_of_reach) return e.sums.log_likelihood;
    }
  }

  /// As step(). If the parameters came too far from the previous ones, they go back until the likelihood has risen.
  /// With all of the way back, the M-step of the other parameters raises it.
  double step_uphill(double least) {
    constexpr int kMostHalves = 12;
    double log_likelihood = step();
    for (int i = 0; model_.tail.is_extended() && log_likelihood < least && i <= kMostHalves; ++i) {
      go_back(before_, i == kMostHalves, model_);
      log_likelihood = step();
    }
    return log_likelihood;
  }

  const FitOptions& options_;
  SigmaLimits limits_;
  Em em_;
  BeamParameters model_, before_;  // present, and of the previous iteration
  ModelNumbers numbers_;           // of model_
  OffsetSearch offset_;
  double reach_ = kFarSigmas;
  std::size_t iteration_ = 0;
  MStep last_, next_;
};

/// Limits of an extended law: a simpler one would do, or the data ask for more.
void add_tail_flags(const MStep& last, BeamFit& fit) {
  const HitTail& tail = fit.model.tail;
  const bool is_t = tail.hit == HitLaw::kStudentT, grows = tail.hit == HitLaw::kGrows;
  add_limit_flag(is_t && last.tail_at_high, "nu_hit",
                 fmt::format("the end of its search, {:.4g}: the tails are gaussian", tail.nu_hit), fit);
  add_limit_flag(is_t && last.tail_at_low, "nu_hit", fmt::format("its lower limit, {:.4g}", tail.nu_hit), fit);
  add_limit_flag(grows && last.tail_at_low, "sigma_hit_per_m", "its boundary 0: hits are gaussian", fit);
  add_limit_flag(grows && last.tail_at_high, "sigma_hit_per_m",
                 fmt::format("its upper limit, {:.4g}", tail.sigma_hit_per_m), fit);
}

void add_flags(const MStep& last, const SigmaLimits& limits, FitOptions::Variant variant, BeamFit& fit) {
  if (last.no_hits) fit.note("not_learned", "no hits: sigma_hit_m was not learned");
  if (last.no_shorts) fit.note("not_learned", "no short readings: lambda_short_per_m was not learned");
  add_limit_flag(last.sigma_at_floor, "sigma_hit_m", fmt::format("its floor, {:.4g} m", limits.low_m), fit);
  add_limit_flag(last.sigma_at_top, "sigma_hit_m", fmt::format("its upper limit, {:.4g} m", limits.high_m), fit);
  add_tail_flags(last, fit);
  add_limit_flag(last.lambda_at_zero, "lambda_short_per_m", "its boundary 0", fit);
  for (std::size_t k = 0; k < 4; ++k) {
    const Fit::Parameter& weight = fit.parameters[k];
    add_limit_flag(!(weight.value > kWeightBoundary), weight.name, "its boundary 0", fit);
  }
  if (variant != FitOptions::Variant::kExact) {
    fit.note("biased_variant",
             fmt::format("learned by {}, which ends at no maximum of the likelihood: standard errors do not hold",
                         word_of(variant)));
  }
}

class BeamLearner {
 public:
  BeamLearner(const BeamData& pairs, const BeamSensor& sensor, const FitOptions& options)
      : sensor_(sensor), options_(options), climb_(checked(options, sensor)), cell_m_(pairs.cell_m) {
    executor_ = make_executor(options.compute.threads);
    check_in_range("fit", "cell_m", cell_m_, 0, sensor.max_range_m, "m");
    evidence_.add(pairs, sensor);
  }

  BeamFit run() {
    require_evidence();
    evidence_.seen.put_behind_first(kEmBlock, options_.start.hit_offset_m, *executor_);
    const SigmaLimits limits = sigma_limits(sensor_, cell_m_, options_.start.tail);
    BeamLikelihood likelihood(evidence_, sensor_, options_, limits, *executor_);
    if (options_.on_iteration) {
      climb_.on_iteration = [&](std::size_t i, double log_likelihood, std::span<const double> values) {
        options_.on_iteration({i, log_likelihood, likelihood.model_at(values)});
      };
    }
    const Maximum maximum = maximise(likelihood, likelihood.numbers().values(), climb_);
    BeamFit fit;
    fit.model = likelihood.model_at(maximum.values);
    fit.parameters = likelihood.numbers().parameters();
    name_parameters(fit);
    fit.readings = evidence_.pairs(), fit.kinds = evidence_.kinds;
    add_flags(likelihood.last_step(), limits, options_.variant, fit);
    take_maximum(maximum, fit);
    if (fit.kinds[2] > 0) fit.note("no_evidence", counted(fit.kinds[2], "reading") + " carried no evidence");
    add_beam_errors(evidence_, sensor_, likelihood.numbers().limits(), likelihood.last_step(), options_, *executor_,
                    fit);
    return fit;
  }

 private:
  void require_evidence() const {
    if (evidence_.pairs() > 0) return;
    const std::size_t readings = evidence_.kinds[2];
    throw InputError(readings == 1 ? std::string("the only reading carries no evidence")
                                   : fmt::format("none of {} readings carries evidence", grouped(readings)));
  }

  /// Facts that the tables of parameters lack.
  void name_parameters(BeamFit& fit) const {
    const auto entry = [&](std::string_view name) -> Fit::Parameter& {
      return *std::ranges::find(fit.parameters, name, &Fit::Parameter::name);
    };
    if (!options_.fit_hit_offset) entry("hit_offset_m").status = Fit::Status::kFixed;
    if (fit.model.tail.hit == HitLaw::kStudentT) entry("sigma_hit_m").doc = "scale of hits";
    if (fit.model.tail.hit == HitLaw::kGrows) entry("sigma_hit_m").doc = "standard deviation of hits at range 0";
  }

  const BeamSensor& sensor_;
  const FitOptions& options_;
  MaximiseOptions climb_;
  double cell_m_;
  std::unique_ptr<Executor> executor_;
  Evidence evidence_;
};

}  // namespace

BeamFit fit_beam_model(const BeamData& data, const BeamSensor& sensor, const FitOptions& options) {
  return BeamLearner(data, sensor, options).run();
}

}  // namespace fathom
