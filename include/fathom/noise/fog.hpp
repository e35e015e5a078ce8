// SPDX-License-Identifier: MIT
#pragma once
// fog: droplets dim surfaces, and their common return may be stronger than the surface behind them.
//
//   alpha = ln(20) / V,  V: visibility, at which 5 % of a contrast is left;   beta = 0.046 / V per m and sr
//   soft(R) = pi beta integral of sin^2(pi (R - r) / (2 l)) xi(r) exp(-2 alpha r) / r^2 dr
//             over R - 2 l < r < min(R, d)
//
// The pulse is sin^2 of half-power length l = c tau / 2 in range; xi rises from 0 to 1 between crossover_begin_m and
// crossover_end_m, where the receiver begins to see the beam. The peak of soft(R) and its place R - l depend on the
// range d of the surface alone, and are tabulated. pi: a matt surface of reflectivity 1 returns 1 / pi per sr. The
// sensor reports the stronger of this peak and of the surface (noise/detail/weather.hpp).
//
// Droplets fluctuate, and so do the place and the power of their return. The place is scattered by scatter_m times a
// number of the beta distribution (2, 20), but not behind the surface. Hahner's program has this law with 10 m as its
// variant 4. The power is the peak times a gamma number of mean 1 and standard deviation s = power_scatter, as the cube
// (1 - s^2 / 9 + s N / 3)^3 of Wilson and Hilferty (PNAS 17, 1931), N ~ normal. Light from many scatterers has a gamma
// law (Goodman, "Some effects of target-induced scintillation on optical radar performance", Proceedings of the IEEE
// 53, 1965). No measurement of the two scatters is published; the default of 0.2 is a guess. A return from droplets has
// no entity.
//
// With a region, only the air in it is foggy: smoke, dust, exhaust or spray. It is a box or an ellipsoid of these sizes
// about a centre in the world; an entry for an entity is another cloud, in the frame of this entity at the time of the
// frame. A ray's way through it is exact. Clouds beyond the crossover return soft(R) with xi = 1 and 1 / r^2 at the
// place of the return, which suits clouds that are farther away than the pulse is long. Several clouds add.
//
// A cloud may thin out towards its edge: at a place (x, y, z) in units of half the sizes, the extinction is alpha times
//
//   1 - falloff e,   e = x^2 + y^2 + z^2 in an ellipsoid, 1 - (1 - x^2) (1 - y^2) (1 - z^2) in a box
//
// Along a ray this is a polynomial of degree 2 or 6, whose integral by Gauss's rule with four nodes is exact. The peak
// of the droplets' light comes from sums over twelve steps, to 8 % of the integral; its place to 1.2 pulse_m. With
// falloff = 1 and no surface inside they are right to 2 %, and to 3 cm and 0.6 % of the way. Inside a cloud, the
// density of the first metres counts.
//
// Sources: Rasshofer, Spies and Spies, "Influences of weather phenomena on automotive laser radar systems", Advances in
// Radio Science 9 (2011), equations of the soft target; Hahner et al., "Fog simulation on real LiDAR point clouds",
// ICCV 2021, arXiv 2108.05249, and its program LiDAR_fog_sim: V, beta, the pulse of 20 ns and the crossover. The
// program scales the soft return by the target's intensity and a fitted constant; here it does not depend on the
// target.
//
// Not modelled: multiple scattering.

#include <array>
#include <cstdint>
#include <numbers>
#include <span>
#include <string_view>
#include <vector>

#include <fathom/noise/detail/weather.hpp>

namespace fathom {

enum class FogRegion : std::uint8_t { kNone, kBox, kSphere };
template <>
inline constexpr std::array<std::string_view, 3> kChoiceWords<FogRegion> = {"none", "box", "sphere"};

struct Fog {
  float visibility_m = 0.0F;
  float extinction_per_m = 0.0F;
  float backscatter_per_m_sr = 0.0F;
  float pulse_m = 3.0F;
  float crossover_begin_m = 0.9F;
  float crossover_end_m = 1.0F;
  float scatter_m = 10.0F;
  float power_scatter = 0.2F;
  FogRegion region = FogRegion::kNone;
  float x_m = 0.0F, y_m = 0.0F, z_m = 0.0F;
  float size_x_m = 1.0F, size_y_m = 1.0F, size_z_m = 1.0F;
  float falloff = 0.0F;

  static constexpr std::string_view kSlug = "fog";
  static constexpr std::string_view kDoc = "Fog: dims surfaces, and reports droplets that return more light.";
  static constexpr Stage kStage = Stage::kReading;
  static constexpr DrawCount kDraws = {.normals = 1, .uniforms = 1};
  static constexpr SurfaceNeeds kNeeds = {.power = true, .place = true};

  static constexpr auto fields() {
    constexpr double kFarM = 1e6;
    return std::array<Field<Fog>, 16>{{
        {"visibility_m", "m", &Fog::visibility_m, 0, 1e12, "visibility; 0: no fog"},
        {"extinction_per_m", "1/m", &Fog::extinction_per_m, 0, 100, "above 0: extinction, else ln(20) / visibility_m"},
        {"backscatter_per_m_sr", "1/m/sr", &Fog::backscatter_per_m_sr, 0, 100,
         "above 0: backscatter, else 0.046 / visibility"},
        {"pulse_m", "m", &Fog::pulse_m, 0.01, 100, "half-power length of the pulse in range, c tau / 2"},
        {"crossover_begin_m", "m", &Fog::crossover_begin_m, 0.01, 50,
         "range at which the receiver begins to see the beam"},
        {"crossover_end_m", "m", &Fog::crossover_end_m, 0.01, 50, "range from which on it sees all of it"},
        {"scatter_m", "m", &Fog::scatter_m, 0, 100, "scale of the scatter of returns from droplets"},
        {"power_scatter", "1", &Fog::power_scatter, 0, 1, "relative standard deviation of the power of these returns"},
        {"region", "none|box|sphere", choice<&Fog::region>, 0, 0, "shape of a cloud; none: fog is everywhere"},
        {"x_m", "m", &Fog::x_m, -kFarM, kFarM, "centre of the cloud in the world, or in the frame of its entity"},
        {"y_m", "m", &Fog::y_m, -kFarM, kFarM, "the same along y"},
        {"z_m", "m", &Fog::z_m, -kFarM, kFarM, "the same along z"},
        {"size_x_m", "m", &Fog::size_x_m, 1e-3, kFarM, "length of the cloud along x"},
        {"size_y_m", "m", &Fog::size_y_m, 1e-3, kFarM, "along y"},
        {"size_z_m", "m", &Fog::size_z_m, 1e-3, kFarM, "along z"},
        {"falloff", "1", &Fog::falloff, 0, 1, "share of the extinction that is missing at the edge"},
    }};
  }

  [[nodiscard]] constexpr bool is_identity() const { return extinction() == 0.0F; }
  [[nodiscard]] constexpr std::string_view idle(std::string_view field) const {
    if (field == "visibility_m" && extinction_per_m > 0.0F) return "extinction_per_m > 0";
    const bool is_of_region =
        field.starts_with("size_") || field == "x_m" || field == "y_m" || field == "z_m" || field == "falloff";
    return is_of_region && region == FogRegion::kNone ? "region = none" : "";
  }

  [[nodiscard]] constexpr float extinction() const {
    if (extinction_per_m > 0.0F) return extinction_per_m;
    return visibility_m > 0.0F ? kLogTwenty / visibility_m : 0.0F;
  }
  [[nodiscard]] constexpr float backscatter() const {
    return backscatter_per_m_sr > 0.0F ? backscatter_per_m_sr : extinction() * (0.046F / kLogTwenty);
  }

  [[nodiscard]] constexpr bool is_placed() const { return region != FogRegion::kNone; }
  [[nodiscard]] FATHOM_API std::vector<float> tabulate() const;

  static constexpr std::array<LearnedField, 1> kLearned = {
      {{"visibility_m", LearnedRole::kPlain, 1, "all rays are in one weather"}}};
  /// In thin fog: 0 means none.
  [[nodiscard]] static Fog begin(Fog p, const LearnedReturns& /*returns*/, std::span<const std::string_view> /*free*/) {
    if (p.visibility_m == 0.0F) p.visibility_m = 1e4F;
    return p;
  }
  [[nodiscard]] FATHOM_API SoftLawPtr soft_law(std::span<const float> table) const;

  /// Kinds of fog by the work of their kernels: fog everywhere, clouds, clouds with soft edges.
  static constexpr int kVariants = 3;
  [[nodiscard]] FATHOM_KERNEL int variant() const { return !is_placed() ? 0 : falloff > 0.0F ? 2 : 1; }

  FATHOM_KERNEL static PoweredReading apply(const Fog& p, const Ray& ray, const PoweredReading& in,
                                            const Receiver& receiver, const Draws<kDraws>& draws) {
    if (p.variant() == 0) return apply_to<0>(p, ray, in, receiver, draws);
    return p.variant() == 1 ? apply_to<1>(p, ray, in, receiver, draws) : apply_to<2>(p, ray, in, receiver, draws);
  }
  template <int kVariant>
  FATHOM_KERNEL static PoweredReading apply_to(const Fog& p, const Ray& ray, const PoweredReading& in,
                                               const Receiver& receiver, const Draws<kDraws>& draws) {
    const FogSpan air = p.air_before<kVariant>(in, receiver);
    const TablePlace at = p.place_of_peak<kVariant>(air);
    const SoftReturn peak = peak_between(receiver.table + 2 * at.at, at.part);
    return apply_in<kVariant>(p, ray, in, receiver, air, peak, draws);
  }

  /// The part of a ray in fog.
  struct FogSpan {
    float begin_m, end_m;
    [[nodiscard]] FATHOM_KERNEL float way_m() const {
      const float way = end_m - begin_m;
      return math::select(way > 0.0F, way, 0.0F);
    }
  };
  /// Before what the ray met. A ray without a way in fog keeps its reading.
  template <int kVariant>
  [[nodiscard]] FATHOM_KERNEL FogSpan air_before(const PoweredReading& in, const Receiver& receiver) const {
    const float ahead = air_ahead(in, receiver);
    if constexpr (kVariant == 0) return {0.0F, ahead};
    const FogSpan fog = span_on(receiver.placed);
    return {fog.begin_m, math::select(ahead < fog.end_m, ahead, fog.end_m)};
  }
  /// The entry of the table that has the peak of the droplets.
  template <int kVariant>
  [[nodiscard]] FATHOM_KERNEL TablePlace place_of_peak(const FogSpan& air) const {
    float share = (air.end_m - crossover_begin_m) / table_span_m();
    if constexpr (kVariant == 1) share = math::select(is_far(air), air.way_m() / (2.0F * pulse_m), share);
    TablePlace place = place_in_table(share * static_cast<float>(kRanges - 1), kRanges);
    if constexpr (kVariant == 1) place.at += is_far(air) ? kRanges : 0;
    return place;
  }
  /// Between an entry of two numbers and the next one.
  FATHOM_KERNEL static SoftReturn peak_between(const float* entry, float part) {
    return {between(entry[0], entry[2], part), between(entry[1], entry[3], part)};
  }
  /// apply() of a variant, with `air` of air_before() and `peak` at place_of_peak().
  template <int kVariant>
  FATHOM_KERNEL static PoweredReading apply_in(const Fog& p, const Ray& ray, const PoweredReading& in,
                                               const Receiver& receiver, const FogSpan& air, SoftReturn peak,
                                               const Draws<kDraws>& draws) {
    const float d = air.end_m, way = air.way_m();
    const bool is_far = p.is_far(air);
    float density = 1.0F;
    if constexpr (kVariant == 1) {
      const float place = air.begin_m + peak.range_m;
      peak = {math::select(is_far, peak.power / (place * place), peak.power),
              math::select(is_far, place, peak.range_m)};
    } else if constexpr (kVariant == 2) {
      const float first_m = p.crossover_end_m + p.pulse_m;
      density = p.mean_density(receiver.placed, air.begin_m, way);
      const float near = p.mean_density(receiver.placed, air.begin_m, math::select(way < first_m, way, first_m));
      const SoftReturn cloud = p.peak_of_soft_cloud(receiver.table, receiver.placed, air.begin_m, way);
      peak = {math::select(is_far, cloud.power, near * peak.power), math::select(is_far, cloud.range_m, peak.range_m)};
    }
    const float place = peak.range_m + p.scatter_m * beta_2_20(draws.uniform[0]);
    const float power = peak.power * p.gamma_of(draws.normal[0]);
    const SoftReturn soft = {math::select(way > 0.0F, power, 0.0F), math::select(place < d, place, d)};
    const float transmitted = transmittance(receiver.table[kExtinction], density * way);
    const float of_surface = dimmed_power(in, transmitted);
    return report_stronger(ray, dim_surface(in, transmitted, of_surface, receiver), of_surface, soft, receiver);
  }

  /// `ray`: in the frame of the region. Of a ray that misses it, both are 0.
  [[nodiscard]] FATHOM_KERNEL FogSpan span_on(const Ray& ray) const {
    const ScaledRay s = scaled(ray);
    const FogSpan box = span_of_box(s.o, s.d), sphere = span_of_sphere(s.o, s.d);
    const bool is_box = region == FogRegion::kBox;
    const float low = math::select(is_box, box.begin_m, sphere.begin_m),
                high = math::select(is_box, box.end_m, sphere.end_m);
    const float begin = math::select(low > 0.0F, low, 0.0F);
    const bool meets = high > begin;
    return {math::select(meets, begin, 0.0F), math::select(meets, high, 0.0F)};
  }

  /// Before a surface at d, of fog everywhere.
  [[nodiscard]] FATHOM_KERNEL SoftReturn peak_of_fog(const float* table, float d) const {
    const TablePlace at = place_of_peak<0>({0.0F, d});
    return peak_between(table + 2 * at.at, at.part);
  }

 private:
  /// The extinction between begin_m and begin_m + way, as a share of extinction().
  [[nodiscard]] FATHOM_KERNEL float mean_density(const Ray& ray, float begin_m, float way) const {
    constexpr float kPlaces[] = {0.06943184F, 0.33000948F, 0.66999052F, 0.93056816F},
                    kWeights[] = {0.17392742F, 0.32607258F, 0.32607258F, 0.17392742F};
    const ScaledRay s = scaled(ray);
    float missing = 0.0F;
    for (int k = 0; k < 4; ++k) missing += kWeights[k] * edge_at(s, begin_m + kPlaces[k] * way);
    const float density = 1.0F - falloff * missing;  // NaN for rays far from a small cloud
    return math::select(density > 0.0F, math::select(density < 1.0F, density, 1.0F), 0.0F);
  }

  /// In units of half the sizes: the region reaches from -1 to 1.
  struct ScaledRay {
    float o[3], d[3];
  };
  [[nodiscard]] FATHOM_KERNEL ScaledRay scaled(const Ray& ray) const {
    const float x = 0.5F * size_x_m, y = 0.5F * size_y_m, z = 0.5F * size_z_m;
    return {{(ray.ox - x_m) / x, (ray.oy - y_m) / y, (ray.oz - z_m) / z}, {ray.dx / x, ray.dy / y, ray.dz / z}};
  }
  /// e at `range_m`.
  [[nodiscard]] FATHOM_KERNEL float edge_at(const ScaledRay& s, float range_m) const {
    const float x = s.o[0] + range_m * s.d[0], y = s.o[1] + range_m * s.d[1], z = s.o[2] + range_m * s.d[2];
    const float box = 1.0F - (1.0F - x * x) * (1.0F - y * y) * (1.0F - z * z), sphere = x * x + y * y + z * z;
    return sphere + static_cast<float>(region == FogRegion::kBox) * (box - sphere);
  }

  FATHOM_KERNEL static FogSpan span_of_box(const float (&o)[3], const float (&d)[3]) {
    FogSpan span = {-math::kInfinity, math::kInfinity};
    for (int k = 0; k < 3; ++k) {
      const bool crosses = (d[k] > 1e-20F) | (d[k] < -1e-20F), forward = d[k] > 0.0F;
      const float step = 1.0F / math::select(crosses, d[k], 1e-20F), low = (-1.0F - o[k]) * step,
                  high = (1.0F - o[k]) * step;
      const float first = math::select(forward | !crosses, low, high),
                  last = math::select(forward | !crosses, high, low);
      span.begin_m = math::select(first > span.begin_m, first, span.begin_m);
      span.end_m = math::select(last < span.end_m, last, span.end_m);
    }
    return span;
  }
  FATHOM_KERNEL static FogSpan span_of_sphere(const float (&o)[3], const float (&d)[3]) {
    const float a = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], b = o[0] * d[0] + o[1] * d[1] + o[2] * d[2];
    // The nearest point to the centre tells whether the ray meets it, without the cancellation of b^2 - a c.
    const float x = o[0] - d[0] * (b / a), y = o[1] - d[1] * (b / a), z = o[2] - d[2] * (b / a);
    const float rest = 1.0F - (x * x + y * y + z * z);
    const float half = math::sqrt(math::select(rest > 0.0F, rest, 0.0F) / a);
    return {-b / a - half, -b / a + half};
  }

  /// Whether a cloud begins where the receiver sees the beam.
  [[nodiscard]] FATHOM_KERNEL bool is_far(const FogSpan& air) const { return air.begin_m > crossover_begin_m; }

  /// The peak of a cloud with soft edges, by sums over steps of the way to an optical depth of about 1.5: light comes
  /// back from an optical depth below 0.5.
  [[nodiscard]] FATHOM_KERNEL SoftReturn peak_of_soft_cloud(const float* table, const Ray& ray, float begin_m,
                                                            float way) const {
    constexpr int kSteps = 12;
    constexpr float kPi = std::numbers::pi_v<float>;
    const ScaledRay s = scaled(ray);
    const float alpha = table[kExtinction];
    float lit = way;
    const auto shorten = [&](float share) {
      const float less = share * lit;
      lit = math::select(alpha * less * mean_density(ray, begin_m, less) > 1.5F, less, lit);
    };
    shorten(0.0625F), shorten(0.25F), shorten(0.5F), shorten(0.70710678F), shorten(0.84089642F);
    const float step = lit / static_cast<float>(kSteps), per_step = 1.0F / math::select(step > 0.0F, step, 1.0F);
    float light[kSteps], pulse[kSteps], depth = 0.0F, before = 0.0F;  // pulse: its mean over a step, by their distance
    for (int k = 0; k < kSteps; ++k) {
      const float middle = static_cast<float>(k) + 0.5F, density = 1.0F - falloff * edge_at(s, begin_m + middle * step);
      const float thick = alpha * step * density;
      light[k] = step * density * math::exp(-2.0F * depth - thick) * (1.0F + thick * thick / 6.0F);
      depth += thick;
      const float end = middle * step / pulse_m, inside = math::select(end < 1.0F, end, 1.0F);
      const float sum = 0.5F * (inside + math::sincos(kPi * inside).sin / kPi);
      pulse[k] = (sum - before) * pulse_m * per_step * (k == 0 ? 2.0F : 1.0F);
      before = sum;
    }
    float sums[kSteps + 2] = {}, best = -1.0F, place = 0.5F;  // the first and last: beside the cloud
    for (int at = 0; at < kSteps + 2; ++at) {
      for (int k = 0; k < kSteps; ++k) {
        const int apart = at - 1 < k ? k - at + 1 : at - 1 - k;
        if (apart < kSteps) sums[at] += light[k] * pulse[apart];
      }
    }
    for (int at = 0; at < kSteps; ++at) {
      const float left = sums[at], middle = sums[at + 1], right = sums[at + 2], bend = left - 2.0F * middle + right;
      float off = 0.5F * (left - right) / math::select(bend < -1e-30F, bend, -1e-30F);
      // The pulse enters within its length: steps may be longer.
      if (at == 0) off = math::select(off + 0.5F > pulse_m * per_step, pulse_m * per_step - 0.5F, off);
      const bool is_best = middle > best;
      place = math::select(is_best, static_cast<float>(at) + 0.5F + off, place);
      best = math::select(is_best, middle, best);
    }
    const float range_m = begin_m + place * step;
    return {table[kScale] * best / (range_m * range_m), range_m};
  }

  // Powers and places: of fog everywhere, over ranges from crossover_begin_m on; and of a cloud, over the way through
  // it up to 2 l, its light without the distance and the depth of the return in it. Beyond, they stay.
  static constexpr std::int32_t kRanges = 128, kCloudOf = 2 * kRanges, kExtinction = 2 * kCloudOf,
                                kScale = kExtinction + 1;
  static constexpr float kLogTwenty = 2.9957323F;

  /// From crossover_begin_m on. Surfaces behind do not change the soft return.
  [[nodiscard]] FATHOM_KERNEL float table_span_m() const {
    const float rise = crossover_end_m - crossover_begin_m;
    return math::select(rise > 0.0F, rise, 0.0F) + 2.0F * pulse_m;
  }

  /// A beta number from the probability u of a smaller one: to 5e-5, a polynomial in sqrt(-ln(1 - u)).
  FATHOM_KERNEL static float beta_2_20(float u) {
    const float q = math::sqrt(-math::log(1.0F - u));
    return q * (0.06900748F + q * (0.0301433F + q * (0.001726272F + q * (0.000133594F * q - 0.001565214F))));
  }
  [[nodiscard]] FATHOM_KERNEL float gamma_of(float normal) const {
    const float root = 1.0F - power_scatter * (power_scatter / 9.0F - normal / 3.0F);
    return math::select(root > 0.0F, root * root * root, 0.0F);
  }
};

}  // namespace fathom
