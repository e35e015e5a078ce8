// SPDX-License-Identifier: MIT
#include "fit/chain/chain_likelihood.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include <fathom/core/f64.hpp>
#include <fathom/noise/beam_density.hpp>
#include <fathom/noise/detail/drive.hpp>

#include "core/compute.hpp"
#include "fit/chain/chain_kernels.hpp"
#include "fit/chain/turned_rays.hpp"
#include "fit/estimator.hpp"

namespace fathom {

namespace {

/// f(model) by ring, to the last ring that has an entry; empty if no ring has one.
template <class F>
auto values_of_rings(const ChainEntry& entry, F f) {
  std::vector<decltype(f(entry.noise))> values;
  for (const RingEntry& other : entry.by_ring) {
    if (other.ring >= values.size()) values.resize(std::size_t{other.ring} + 1, f(entry.noise));
    values[other.ring] = f(other.noise);
  }
  return values;
}

/// True if the returns leave out the effect of such a model without density, or if it changes no range.
bool is_passed_over(Stage stage) {
  return stage == Stage::kHitPoint || stage == Stage::kImage || stage == Stage::kShadow;
}

[[noreturn]] void refuse(std::string_view slug, std::string_view why) { refuse_chain(fmt::format("{} {}", slug, why)); }

}  // namespace

/// Arrays of a block of returns, as kernels of models read them.
struct LossBlock {
  ReturnBlock returns;
  SurfaceBlock surfaces;

  LossBlock() {
    returns.surface = &surfaces;
    std::ranges::fill(returns.z, 0.0F);
    constexpr Surface kUsual = {};
    std::ranges::fill(surfaces.left_to_emitter, kUsual.left_to_emitter);
    std::ranges::fill(surfaces.right_to_emitter, kUsual.right_to_emitter);
    std::ranges::fill(surfaces.edge_rad, kUsual.edge_rad), std::ranges::fill(surfaces.hidden, kUsual.hidden);
    std::ranges::fill(surfaces.jump, kUsual.jump), std::ranges::fill(surfaces.jump_rad, kUsual.jump_rad);
    std::ranges::fill(surfaces.energy_gain, kUsual.energy_gain), std::ranges::fill(surfaces.power, kUsual.power);
  }
};

namespace {

const ChainKernels& chain_kernels() {
  static const ChainKernels& kernels = FATHOM_FOR_ISA(detect_isa(), kChainKernels);
  return kernels;
}

/// math::normal_between(a, b) from twice the tails beyond |a| and |b|.
double between_tails(double a, double b, double tail_a, double tail_b) {
  if (a > 0.0) return 0.5 * (tail_a - tail_b);
  if (b < 0.0) return 0.5 * (tail_b - tail_a);
  const auto erf = [](double x, double tail) { return x < 0.5 ? math::erf(x) : 1.0 - tail; };
  return 0.5 * (erf(b * math::kSqrtHalf, tail_b) + erf(-a * math::kSqrtHalf, tail_a));
}

float cosine_of(float incidence_rad) { return static_cast<float>(math::cos(double{incidence_rad})); }

}  // namespace

bool is_on_level(const MeasuredRangeLaw& law, double range_m, double half_step_m) {
  if (!law.from_disparity || !(law.steps_per_px > 0.0)) return true;
  const double before_m = (range_m - law.bias_m) / law.gain;
  if (!(before_m > 0.0)) return false;
  const double level = law.steps_per_px * law.unit_px_m / before_m;
  return std::abs(level - std::round(level)) <= 0.01 + level * (1e-6 + half_step_m / range_m);
}

ChainDensity::Step::Step(const ChainEntry& entry, std::size_t at)
    : slug(entry.noise.slug()),
      model(detail::NoiseAccess::model(entry.noise)),
      of_ring(values_of_rings(entry, &detail::NoiseAccess::model)),
      act(detail::NoiseAccess::hooks(entry.noise).act),
      loss(detail::NoiseAccess::hooks(entry.noise).loss_probability),
      find_losses(detail::NoiseAccess::loss_kernel(entry.noise, detect_isa())),
      is_half_vector(entry.noise.energy_angle() == EnergyAngle::kHalfVector),
      place(at) {}

double ChainDensity::Step::lose(const void* of, const Return& hit, Surface surface, float energy) const {
  // The half vector's cosine is (camera + emitter) / 2 if both are at one place.
  surface.cos_left = surface.cos_right = is_half_vector ? 2.0F * energy - surface.cos_emitter : energy;
  return loss(of, hit, surface);
}

ChainDensity::ChainDensity(const NoiseChain& chain, const ChainReturns& returns, double least_log)
    : chain_(chain),
      returns_(returns),
      least_log_(least_log),
      limit_m_(returns.max_range_m <= BeamSensor::kMostRangeM ? returns.max_range_m : 0.0) {
  for (const ChainEntry& entry : chain_) {
    const Noise& noise = entry.noise;
    if (!entry.by_entity.empty()) refuse(noise.slug(), "has separate parameters for some entities");
    if (!entry.by_ring.empty() && returns.ring.empty()) {
      refuse(noise.slug(), "has separate parameters for some rings, and the returns do not know theirs");
    }
    if (returns.turned.is_known() && turns_rays(noise)) continue;
    if (returns.hits.is_known() && noise.stage() == Stage::kHitPoint && noise.turn()) {
      add_hit_turn(entry);
      continue;
    }
    if (noise.is_identity() && entry.by_ring.empty()) continue;
    if (detail::NoiseAccess::is_weather(noise)) {
      if (!entry.by_ring.empty()) refuse(noise.slug(), "has separate parameters for some rings");
      add_weather(noise);
      continue;
    }
    Step step(entry, static_cast<std::size_t>(&entry - chain_.data()));
    if (step.act == nullptr && step.loss == nullptr) {
      const bool is_registered = detail::NoiseAccess::place_in_list(noise).has_value();
      if (is_registered && is_passed_over(noise.stage())) continue;
      refuse(noise.slug(),
             noise.stage() == Stage::kRay ? "turns the rays, and what they then meet is not known" : "has no density");
    }
    if (noise.info().needs.neighbours && returns.jump.empty()) {
      refuse(noise.slug(), "needs to know what neighbouring pixels show, and the returns do not tell");
    }
    if (step.act != nullptr) ranges_.push_back(step);
    if (step.loss != nullptr) losses_.push_back(std::move(step));
  }
  if (returns.turned.is_known() && turns_rays(chain_)) turns_.emplace(chain_, returns.turned);
  find_laws();
}

void ChainDensity::add_hit_turn(const ChainEntry& entry) {
  const ChainReturns::HitTurns& turns = returns_.hits;
  const std::string_view slug = entry.noise.slug();
  if (const std::string why = why_hits_are_not_told(chain_); !why.empty()) refuse(slug, why);
  if (hit_axes(chain_) != turns.axes) refuse(slug, "turns about other axes than the known angles");
  const auto turn_of = [](const Noise& noise) { return *noise.turn(); };
  hits_.push_back(
      {turn_of(entry.noise), values_of_rings(entry, turn_of), hits_.empty() ? &turns.first_rad : &turns.second_rad});
}

void ChainDensity::add_weather(const Noise& noise) {
  if (weather_) refuse(noise.slug(), "comes after other weather, and their drops have no density together");
  if (noise.is_placed()) refuse(noise.slug(), "is a cloud, and the returns do not know the way of rays through it");
  if (returns_.light.empty()) refuse(noise.slug(), "needs the light of surfaces, and the returns do not know it");
  // The law reads the table of this model.
  const auto beam_rad = static_cast<float>(returns_.beam_rad);
  const Noise& drops = weather_model_.emplace(beam_rad > 0.0F ? noise.on_beam(beam_rad) : noise);
  weather_ =
      detail::NoiseAccess::hooks(drops).soft_law(detail::NoiseAccess::model(drops), detail::NoiseAccess::table(drops));
}

void ChainDensity::find_laws() {
  std::size_t rings = 1;  // rings behind the last entry have the models themselves
  for (const Step& step : ranges_) rings = std::max(rings, step.of_ring.size() + 1);
  std::optional<double> nu;
  for (std::size_t ring = 0; ring < rings; ++ring) {
    MeasuredRangeLaw probe = MeasuredRangeLaw::of_clean(1.0, 1.0, 1.0);
    probe.limit_m = limit_m_;
    std::string_view slug;  // of the model with a t
    for (const Step& step : ranges_) {
      const double before_m = probe.student_m;
      step.act(model_of(step, ring), probe);
      if (probe.student_m != before_m) slug = step.slug;
    }
    is_disparity_ = probe.from_disparity;
    const bool has_levels = is_disparity_ && probe.steps_per_px > 0.0 && rings == 1;
    if (has_levels && hits_.empty() && !weather_ && returns_.outside != ChainReturns::Outside::kClamped) {
      level_deviation_px_ = probe.deviation_px;
    }
    if (!probe.unknown.empty()) refuse("it", fmt::format("has {}", probe.unknown));
    if (weather_ && probe.is_mixture) refuse("it", "has weather beside a mixture of readings");
    if (!(probe.student_m > 0.0)) continue;
    if (nu && *nu != probe.nu) refuse(slug, "has another nu for some rings");
    nu = probe.nu;
  }
  if (nu) nodes_.emplace(*nu);
}

double ChainDensity::kept(std::size_t i) const {
  if (turns_) return turned_kept(i);
  if (losses_.empty()) return 1.0;
  const Return hit = clean_return(i);
  const Surface surface = surface_of(i);
  double product = 1.0;
  for (const Step& step : losses_) product *= kept_by(step, i, hit, surface);
  return product;
}

const ChainDensity::Step* ChainDensity::loss_at(std::size_t entry) const {
  const auto step = std::ranges::find(losses_, entry, &Step::place);
  return step == losses_.end() ? nullptr : &*step;
}

double ChainDensity::kept_by(const Step& step, std::size_t i, const Return& hit, const Surface& surface) const {
  return 1.0 - step.lose(model_of(step, ring(i)), hit, surface, returns_.energy[i]);
}

void ChainDensity::load(std::span<const std::size_t> places, bool is_half_vector, LossBlock& block) const {
  const ChainReturns& r = returns_;
  ReturnBlock& to = block.returns;
  SurfaceBlock& surfaces = block.surfaces;
  to.count = static_cast<std::uint32_t>(places.size());
  surfaces.optics = r.optics;
  for (std::size_t k = 0; k < places.size(); ++k) {
    const std::size_t i = places[k];
    to.x[k] = r.clean_x_m[i], to.y[k] = r.clean_y_m[i];
    to.range_m[k] = to.radius_m[k] = r.clean_range_m[i];
    const float cosine = cosines_.empty() ? cosine_of(r.incidence_rad[i]) : cosines_[i];
    surfaces.cos_emitter[k] = cosine;
    surfaces.cos_left[k] = surfaces.cos_right[k] = is_half_vector ? 2.0F * r.energy[i] - cosine : r.energy[i];
    if (r.jump.empty()) continue;
    surfaces.edge_rad[k] = r.edge_rad[i], surfaces.jump[k] = r.jump[i], surfaces.jump_rad[k] = r.jump_rad[i];
  }
}

void ChainDensity::find_kept_by(const Step* step, std::span<const std::size_t> places, LossBlock& block,
                                double* kept) const {
  if (step == nullptr) {
    std::fill_n(kept, places.size(), 1.0);
  } else if (!step->of_ring.empty()) {
    for (const std::size_t i : places) *kept++ = kept_by(*step, i, clean_return(i), surface_of(i));
  } else {
    load(places, step->is_half_vector, block);
    step->find_losses(step->model, block.returns, kept);
    for (std::size_t k = 0; k < places.size(); ++k) kept[k] = 1.0 - kept[k];
  }
}

Return ChainDensity::clean_return(std::size_t i) const {
  const ChainReturns& r = returns_;
  return {r.clean_x_m[i], r.clean_y_m[i], 0.0F, r.clean_range_m[i], r.clean_range_m[i]};
}

Surface ChainDensity::surface_of(std::size_t i) const {
  const ChainReturns& r = returns_;
  Surface surface;
  surface.cos_emitter = cosines_.empty() ? cosine_of(r.incidence_rad[i]) : cosines_[i];
  surface.optics = r.optics;
  if (!r.jump.empty()) surface.edge_rad = r.edge_rad[i], surface.jump = r.jump[i], surface.jump_rad = r.jump_rad[i];
  return surface;
}

MeasuredRangeLaw ChainDensity::law(std::size_t i) const {
  return law_of(double{returns_.clean_range_m[i]}, double{returns_.clean_x_m[i]}, ring(i));
}

MeasuredRangeLaw ChainDensity::law_of(double range_m, double depth_m, std::size_t ring) const {
  const double focal_baseline_px_m = double{returns_.optics.fx_px * returns_.optics.baseline_m};
  MeasuredRangeLaw law = focal_baseline_px_m > 0.0 ? MeasuredRangeLaw::of_clean(range_m, depth_m, focal_baseline_px_m)
                                                   : MeasuredRangeLaw::of_clean(range_m);
  law.limit_m = limit_m_;
  for (const Step& step : ranges_) step.act(model_of(step, ring), law);
  return law;
}

std::optional<double> ChainDensity::clamped(const MeasuredRangeLaw& law, double range_m) const {
  const ChainReturns& r = returns_;
  const bool is_at_limit = range_m <= r.min_range_m || range_m >= r.max_range_m;
  if (r.outside != ChainReturns::Outside::kClamped || !is_at_limit) return std::nullopt;
  return range_m <= r.min_range_m ? probability(law, 0.0, r.min_range_m, nodes())
                                  : probability(law, r.max_range_m, 1e12, nodes());
}

std::array<double, 2> ChainDensity::reported_ranges() const {
  if (returns_.outside != ChainReturns::Outside::kLost) return {0.0, 1e12};
  // (low, high]: a range of exactly the least is reported, and so a hair below it.
  return {returns_.min_range_m * (1.0 - 1e-9), returns_.max_range_m};
}

double ChainDensity::reported_by(const MeasuredRangeLaw& law) const {
  const auto [low, high] = reported_ranges();
  return std::min(1.0, probability(law, low, high, nodes()));
}

double ChainDensity::half_step_of(std::size_t i) const {
  const ChainReturns& r = returns_;
  const double slope = r.depths_are_rounded ? double{r.clean_range_m[i]} / double{r.clean_x_m[i]} : 1.0;
  return r.half_step_m * slope;
}

double ChainDensity::log_surface(const MeasuredRangeLaw& law, std::size_t i) const {
  const double range_m = double{returns_.range_m[i]}, half_m = half_step_of(i);
  if (const auto p = clamped(law, range_m)) return *p > 0.0 ? math::log(*p) : least_log_;
  if (!is_on_level(law, range_m, half_m)) return least_log_;
  return log_density(law, range_m, half_m, nodes());
}

double ChainDensity::log_range(std::size_t i) const {
  const MeasuredRangeLaw law = this->law(i);
  const double log = log_surface(law, i);
  return weather_ ? log_in_weather(i, law, log) : log;
}

ChainDensity::AirLight ChainDensity::light_at(std::size_t i, double range_m) const {
  constexpr double kSpread = 0.01;  // of the light that a scene knows, relative: else the likelihood would jump
  const double clear = std::max(double{returns_.light[i]}, 1e-30) / (range_m * range_m);
  const double far = std::min(range_m, returns_.max_range_m), least = returns_.least_power;
  const double power = std::max(clear * math::exp(-2.0 * weather_->extinction_per_m * far), 1e-300);
  if (!(least > 0.0)) return {power, 0.1 / (returns_.max_range_m * returns_.max_range_m), 1.0};
  const auto detected = [&](double p) { return math::normal_cdf(math::log(p / least) / kSpread); };
  return {power, least, std::min(1.0, detected(power) / std::max(detected(clear), 1e-300))};
}

double ChainDensity::of_drops(OfDrops of, std::size_t i, double surface_m, double r_m) const {
  const AirLight light = light_at(i, surface_m);
  const double outshining = light.seen > 0.0 ? light.seen * ((*weather_).*of)(light.stronger(), surface_m, r_m) : 0.0;
  return light.seen < 1.0 ? outshining + (1.0 - light.seen) * ((*weather_).*of)(light.drops, surface_m, r_m)
                          : outshining;
}

double ChainDensity::shown(std::size_t i, double range_m) const {
  const AirLight light = light_at(i, range_m);
  return light.seen * (1.0 - weather_->beyond(light.stronger(), range_m, returns_.min_range_m));
}

double ChainDensity::log_in_weather(std::size_t i, const MeasuredRangeLaw& law, double log_surface) const {
  const double range_m = double{returns_.range_m[i]}, clean_m = double{returns_.clean_range_m[i]};
  const double surface = log_surface > least_log_ ? math::exp(log_surface) : 0.0;
  // Drops that are scattered behind the surface have its range.
  double p = surface > 0.0 ? surface * (shown(i, range_m) + of_drops(&SoftLaw::beyond, i, range_m, range_m)) : 0.0;
  // A probability, beside which a density is nothing.
  const bool is_exact = surface > 0.0 && (law.is_discrete() || clamped(law, range_m));
  if (!is_exact && range_m >= returns_.min_range_m) {
    p += of_drops(&SoftLaw::density, i, clean_m, range_m) * probability(law, range_m, 1e12, nodes());
  }
  return floored_log(p);
}

double ChainDensity::log_hit(std::size_t i) const {
  double sum = 0.0;
  for (const HitStep& step : hits_) {
    const float angle_rad = (*step.angle_rad)[i];
    if (!std::isnan(angle_rad)) sum += fathom::log_density(model_of(step, ring(i)), double{angle_rad});
  }
  return sum;
}

double ChainDensity::reported(std::size_t i) const {
  if (turns_) return turned_reported(i);
  const double of_surface = ranges_.empty() ? 1.0 : reported_by(law(i));
  if (!weather_) return of_surface;
  const double clean_m = double{returns_.clean_range_m[i]};
  return shown(i, clean_m) * of_surface + of_drops(&SoftLaw::beyond, i, clean_m, returns_.min_range_m);
}

void ChainDensity::effects(std::size_t i, std::vector<double>& out) const {
  constexpr double kLeastKept = 1e-9;
  const MeasuredRangeLaw law = this->law(i);
  if (law.from_disparity) {
    out.insert(out.end(), {law.disparity_px, law.deviation_px * law.deviation_px, law.gain, law.bias_m});
  } else {
    out.insert(out.end(),
               {law.mean_m + 0.5 * (law.low_m + law.high_m), law.normal_m * law.normal_m + law.hit_m * law.hit_m,
                law.high_m - law.low_m, law.student_m, law.student_m > 0.0 ? law.nu : 0.0, law.short_rate_per_m});
  }
  const double share = kept(i);
  for (const double weight : {law.hits, law.shorts, law.randoms}) {
    out.push_back(math::log(std::max(kLeastKept, share * weight)));
    if (!law.is_mixture) break;
  }
  for (const HitStep& step : hits_) {
    const AxisTurn turn = model_of(step, ring(i));
    out.insert(out.end(), {turn.mean_rad, turn.stddev_rad});
  }
  if (turns_) out.insert(out.end(), {turns_->law.mean, turns_->law.variance});
  if (!weather_) return;
  const double clean_m = double{returns_.clean_range_m[i]};
  out.insert(out.end(),
             {math::log(light_at(i, clean_m).power), of_drops(&SoftLaw::beyond, i, clean_m, returns_.min_range_m)});
}

double ChainDensity::probability_between(std::size_t i, double low_m, double high_m) const {
  if (turns_) return turned_between(i, low_m, high_m);
  const double of_surface = probability(law(i), low_m, high_m, nodes());
  if (!weather_) return of_surface;
  const double clean_m = double{returns_.clean_range_m[i]};
  const auto beyond = [&](double r_m) { return of_drops(&SoftLaw::beyond, i, clean_m, r_m); };
  const double low = std::max(low_m, returns_.min_range_m), high = std::min(high_m, clean_m);
  return of_surface * (shown(i, clean_m) + beyond(clean_m)) + (low < high ? beyond(low) - beyond(high) : 0.0);
}

double ChainDensity::range_part(std::size_t i) const { return is_lost(i) ? reported(i) : log_range(i) + log_hit(i); }

detail::DisparityErrors ChainDensity::level_errors(std::size_t i) const {
  constexpr detail::DisparityErrors kNone = {0.0, 0.0};
  const MeasuredRangeLaw law = this->law(i);
  auto [low_m, high_m] = reported_ranges();
  if (is_lost(i)) return high_m > low_m ? detail::errors_of_levels(law, low_m, high_m, false).value_or(kNone) : kNone;
  const double range_m = double{returns_.range_m[i]}, half_m = half_step_of(i), reach_m = std::max(half_m, 0.0);
  if (!is_on_level(law, range_m, half_m)) return kNone;
  return detail::errors_of_levels(law, range_m - reach_m, range_m + reach_m, true).value_or(kNone);
}

void ChainDensity::find_range_parts(std::span<const std::size_t> places, const double* errors, double* parts) const {
  const std::size_t count = places.size();
  std::array<double, kBlockRays> low, high, tail_low, tail_high;
  for (std::size_t k = 0; k < count; ++k) {
    low[k] = errors[2 * k] / level_deviation_px_, high[k] = errors[2 * k + 1] / level_deviation_px_;
  }
  const ChainKernels& kernels = chain_kernels();
  kernels.double_tails(low.data(), count, tail_low.data());
  kernels.double_tails(high.data(), count, tail_high.data());
  for (std::size_t k = 0; k < count; ++k) {
    const double p = between_tails(low[k], high[k], tail_low[k], tail_high[k]);
    const double log_p = p > 0.0 ? math::log(p) : least_log_;
    parts[k] = is_lost(places[k]) ? std::min(1.0, p) : log_p;
  }
}

void ChainDensity::join(std::span<const std::size_t> places, const double* kept, const double* range_part,
                        double* nats) const {
  std::array<double, kBlockRays> lost;
  for (std::size_t k = 0; k < places.size(); ++k) lost[k] = is_lost(places[k]) ? 1.0 : 0.0;
  chain_kernels().join(kept, range_part, lost.data(), places.size(), least_log_, nats);
}

double ChainDensity::floored_log(double p) const { return p > 0.0 ? std::max(least_log_, math::log(p)) : least_log_; }

namespace {

constexpr std::size_t kReturnsPerBlock = 2048;

}  // namespace

double value_of(const NoiseChain& chain, const FreeNumber& p) {
  const Noise* noise = &chain[p.entry].noise;
  for (const RingEntry& other : chain[p.entry].by_ring) {
    if (!p.rings.empty() && other.ring == p.rings.front()) noise = &other.noise;
  }
  return noise->number(p.field);
}

std::vector<double> values_of(const NoiseChain& chain, std::span<const FreeNumber> free) {
  std::vector<double> values;
  for (const FreeNumber& p : free) values.push_back(value_of(chain, p));
  return values;
}

void set_value(NoiseChain& chain, const FreeNumber& p, double value) {
  ChainEntry& entry = chain[p.entry];
  if (p.rings.empty()) entry.noise = entry.noise.with({{{p.field, value}}}, p.role == LearnedRole::kWeight);
  for (RingEntry& other : entry.by_ring) {
    const bool is_meant = std::ranges::find(p.rings, other.ring) != p.rings.end();
    if (is_meant) other.noise = other.noise.with(p.field, value);
  }
}

void set_values(NoiseChain& chain, std::span<const FreeNumber> free, std::span<const double> values) {
  for (std::size_t k = 0; k < free.size(); ++k) {
    if (free[k].role != LearnedRole::kWeight) set_value(chain, free[k], values[k]);
  }
  for (std::size_t entry = 0; entry < chain.size(); ++entry) {
    std::vector<NamedNumber> weights;
    for (std::size_t k = 0; k < free.size(); ++k) {
      const bool is_weight = free[k].entry == entry && free[k].role == LearnedRole::kWeight;
      if (is_weight) weights.push_back({free[k].field, values[k]});
    }
    if (!weights.empty()) chain[entry].noise = chain[entry].noise.with(weights, true);
  }
}

std::vector<std::size_t> some_of(std::span<const std::size_t> places, std::size_t most) {
  if (places.size() <= most) return {places.begin(), places.end()};
  std::vector<std::size_t> some;
  for (std::size_t k = 0; k < most; ++k) some.push_back(places[k * places.size() / most]);
  return some;
}

namespace {

/// Whether a number moves only the deviation of disparities, on which level_errors() do not depend.
bool moves_deviation_alone(const NoiseChain& chain, const FreeNumber& p) {
  if (!p.rings.empty()) return false;
  const auto law_at = [&](double value) {
    NoiseChain moved = {chain[p.entry]};
    FreeNumber alone = p;
    alone.entry = 0;
    set_value(moved, alone, value);
    const Noise& noise = moved.front().noise;
    MeasuredRangeLaw law = MeasuredRangeLaw::of_clean(1.0, 1.0, 1.0);
    detail::NoiseAccess::hooks(noise).act(detail::NoiseAccess::model(noise), law);
    return law;
  };
  if (detail::NoiseAccess::hooks(chain[p.entry].noise).act == nullptr) return false;
  const MeasuredRangeLaw low = law_at(p.low);
  MeasuredRangeLaw high = law_at(p.high);
  if (low.deviation_px == high.deviation_px) return false;
  high.deviation_px = low.deviation_px;
  return low == high;
}

}  // namespace

std::vector<double> ChainData::each(const NoiseChain& chain) const {
  return ChainLikelihood(chain, {}, *this).each({});
}

double ChainData::total(const NoiseChain& chain) const { return ChainLikelihood(chain, {}, *this).total({}); }

std::shared_ptr<const std::vector<float>> cosines_of(const ChainReturns& returns) {
  std::vector<float> cosines;
  for (const float incidence_rad : returns.incidence_rad) cosines.push_back(cosine_of(incidence_rad));
  return std::make_shared<const std::vector<float>>(std::move(cosines));
}

ChainLikelihood::ChainLikelihood(const NoiseChain& chain, std::span<const FreeNumber> free, const ChainData& data)
    : chain_(chain), free_(free), data_(data) {
  find_columns();
  const auto hooks = [&](std::size_t entry) -> const detail::NoiseHooks& {
    return detail::NoiseAccess::hooks(chain[entry].noise);
  };
  for (std::size_t entry = 0; entry < chain.size(); ++entry) {
    if (hooks(entry).loss_probability == nullptr) continue;
    losing_.push_back(entry), kept_by_.emplace_back();
    for (const FreeNumber& p : free) kept_by_.back().has.push_back(p.entry == entry);
  }
  for (const FreeNumber& p : free) {
    ranges_.has.push_back(hooks(p.entry).loss_probability == nullptr || hooks(p.entry).act != nullptr);
  }
  reported_.has = levels_.has = ranges_.has;
  for (std::size_t k = 0; k < free.size(); ++k) {
    if (levels_.has[k] && moves_deviation_alone(chain, free[k])) levels_.has[k] = false;
  }
  if (!losing_.empty() && !data.cosines) data_.cosines = cosines_of(data.returns);
}

Interval ChainLikelihood::limits(std::size_t k) const { return {free_[k].low, free_[k].high}; }

void ChainLikelihood::find_columns() {
  const std::vector<std::uint16_t>& rings = data_.returns.ring;
  for (std::size_t k = 0; k < free_.size(); ++k) {
    const FreeNumber& p = free_[k];
    const auto same = std::ranges::find_if(columns_, [&](const Column& column) {
      return !p.rings.empty() && p.is_same_field(free_[column.parameters.front()]);
    });
    Column& column = same == columns_.end() ? columns_.emplace_back() : *same;
    column.parameters.push_back(k);
    if (!p.rings.empty() && column.of_ring.empty()) {
      column.of_ring.resize(std::size_t{std::ranges::max(rings)} + 1, kNone);
    }
    for (const std::uint16_t ring : p.rings) column.of_ring[ring] = k;
  }
}

NoiseChain ChainLikelihood::chain_at(std::span<const double> values) const {
  NoiseChain chain = chain_;
  set_values(chain, free_, values);
  return chain;
}

ChainDensity ChainLikelihood::density_at(std::span<const double> values) const {
  ChainDensity density(chain_at(values), data_.returns, data_.least_log);
  density.share_surroundings(data_.used, data_.executor);
  if (data_.cosines) density.share_cosines(*data_.cosines);
  return density;
}

template <class F>
void ChainLikelihood::fill(std::vector<double>& out, F f) const {
  out.resize(size());
  data_.executor.parallel_for(out.size(), kReturnsPerBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) out[i] = f(i);
  });
}

bool ChainLikelihood::renew(Part& part, std::span<const double> values, std::size_t numbers) const {
  std::vector<double> own;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (part.has[k]) own.push_back(values[k]);
  }
  if (!part.of_return.empty() && own == part.values) return false;
  part.values = std::move(own);
  part.of_return.resize(numbers * size());
  return true;
}

template <class FindRanges, class Join>
void ChainLikelihood::fill_joined(std::vector<double>& out, const ChainDensity& density, std::span<const double> values,
                                  Part& ranges, FindRanges find_ranges, Join join) const {
  std::vector<std::pair<Part*, decltype(density.loss_at(0))>> moved;  // models of loss
  for (std::size_t k = 0; k < losing_.size(); ++k) {
    if (renew(kept_by_[k], values)) moved.emplace_back(&kept_by_[k], density.loss_at(losing_[k]));
  }
  const bool has_moved_ranges = renew(ranges, values);
  out.resize(size());
  // All parts of a return in one pass.
  data_.executor.parallel_for(size(), kReturnsPerBlock, [&](std::size_t begin, std::size_t end) {
    const auto block = std::make_unique<LossBlock>();
    std::array<double, kBlockRays> kept;
    for (std::size_t at = begin; at < end; at += kBlockRays) {
      const auto places = data_.used.subspan(at, std::min<std::size_t>(kBlockRays, end - at));
      for (const auto& [part, loss] : moved) density.find_kept_by(loss, places, *block, part->of_return.data() + at);
      if (has_moved_ranges) find_ranges(at, places, ranges.of_return.data() + at);
      kept.fill(1.0);
      for (const Part& part : kept_by_) {
        for (std::size_t k = 0; k < places.size(); ++k) kept[k] *= part.of_return[at + k];
      }
      join(places, kept.data(), ranges.of_return.data() + at, out.data() + at);
    }
  });
}

double ChainLikelihood::total(std::span<const double> values) const {
  find_each(values, nats_);
  double sum = 0.0;
  for (std::size_t begin = 0; begin < nats_.size(); begin += kReturnsPerBlock) {
    double of_block = 0.0;
    for (std::size_t i = begin; i < std::min(begin + kReturnsPerBlock, nats_.size()); ++i) of_block += nats_[i];
    sum += of_block;
  }
  return sum;
}

void ChainLikelihood::find_each(std::span<const double> values, std::vector<double>& nats) const {
  const ChainDensity density = density_at(values);
  if (!density.has_parts()) return fill(nats, [&](std::size_t i) { return density.turned_log(data_.used[i]); });
  // Where ranges have not moved, levels have not either.
  const bool has_levels = density.has_levels(), has_moved_levels = has_levels && renew(levels_, values, 2);
  const auto find_ranges = [&](std::size_t at, auto places, double* parts) {
    if (!has_levels) {
      for (const std::size_t i : places) *parts++ = density.range_part(i);
      return;
    }
    double* const errors = levels_.of_return.data() + 2 * at;
    for (std::size_t k = 0; k < places.size() && has_moved_levels; ++k) {
      const auto [low_px, high_px] = density.level_errors(places[k]);
      errors[2 * k] = low_px, errors[2 * k + 1] = high_px;
    }
    density.find_range_parts(places, errors, parts);
  };
  fill_joined(
      nats, density, values, ranges_, find_ranges,
      [&](auto places, const double* kept, const double* parts, double* to) { density.join(places, kept, parts, to); });
}

std::vector<double> ChainLikelihood::each(std::span<const double> values) const {
  std::vector<double> nats;
  find_each(values, nats);
  return nats;
}

std::vector<double> ChainLikelihood::each_returned(std::span<const double> values) const {
  const ChainDensity density = density_at(values);
  std::vector<double> out;
  if (!density.has_parts()) {
    fill(out, [&](std::size_t i) { return density.kept(data_.used[i]) * density.reported(data_.used[i]); });
    return out;
  }
  fill_joined(
      out, density, values, reported_,
      [&](std::size_t, auto places, double* parts) {
        for (const std::size_t i : places) *parts++ = density.reported(i);
      },
      [](auto places, const double* kept, const double* reported, double* to) {
        for (std::size_t k = 0; k < places.size(); ++k) to[k] = kept[k] * reported[k];
      });
  return out;
}

ChainLikelihood::Slopes ChainLikelihood::slopes(std::span<const double> values, std::span<const double> steps,
                                                bool of_returned) const {
  const auto at = [&](const std::vector<double>& moved) { return of_returned ? each_returned(moved) : each(moved); };
  Slopes slopes;
  std::vector<double> high(values.begin(), values.end()), low = high;
  for (std::size_t c = 0; c < columns(); ++c) {
    for (const std::size_t k : column(c)) {
      high[k] = as_float(std::min(values[k] + steps[k], free_[k].high));
      low[k] = as_float(std::max(values[k] - steps[k], free_[k].low));
    }
    std::vector<double> slope = at(high);
    const std::vector<double> below = at(low);
    for (std::size_t i = 0; i < slope.size(); ++i) {
      const std::size_t k = parameter(c, i);
      const bool moves = k != kNone && high[k] > low[k];
      slope[i] = moves ? (slope[i] - below[i]) / (high[k] - low[k]) : 0.0;
    }
    slopes.push_back(std::move(slope));
    for (const std::size_t k : column(c)) high[k] = low[k] = values[k];
  }
  return slopes;
}

Slope ChainLikelihood::slope(std::span<const double> values, std::span<const double> steps) const {
  const auto n = static_cast<Eigen::Index>(values.size());
  Slope out = {Eigen::VectorXd::Zero(n), Eigen::MatrixXd::Zero(n, n)};
  const Slopes scores = slopes(values, steps);
  for (std::size_t i = 0; i < size(); ++i) {
    for_each_parameter(scores, i, [&](std::size_t j, double first) {
      out.gradient[j] += first;
      for_each_parameter(scores, i, [&](std::size_t k, double second) { out.information(j, k) += first * second; });
    });
  }
  return out;
}

}  // namespace fathom
