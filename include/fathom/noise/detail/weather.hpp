// SPDX-License-Identifier: MIT
#pragma once
// Weather between a sensor and a surface, as noise/fog.hpp, rain.hpp and snow.hpp share it. The sensor reports the
// stronger of two powers (noise/detail/power.hpp): that of the surface through the air, and that of drops before it.
// It detects a surface from Receiver::least_power on. Drops need this power too; for a sensor without a limit, they
// need the power of a reflectivity of 0.1 at the sensor's maximum range.
//
// The strongest drop of rain or snow. Drops are a Poisson process in the beam, of width w(r) = beam_m + beam_rad r. A
// drop of diameter D at r returns rho min((D / w)^2, 1) exp(-2 alpha r) / r^2. Sizes are exponential: N(D > x) =
// (N0 / L) exp(-L x) drops per m^3. Before a surface at d, the number of drops with more power than p is Poisson with
// the mean
//
//   Lambda(p, d) = integral over r from nearest to d of (pi / 4) w^2 N(D > D_p)
//   D_p = w r sqrt(p exp(2 alpha r) / rho)
//
// where D_p <= w, and nothing beyond. So the strongest drop has Lambda(p, d) = -ln u1, and its range has the density
// -d/dp of the integrand, cut at d; u2 draws from it. Three tables hold these functions: ln p over (d, -ln u1), the
// distribution of the range over (p, d), and its inverse over (p, share). They are made once for a model.
// tests/sensor/noise/weather_test.cpp bounds their error.
//
// alpha = (pi / 4) 1e-6 integral of Q_ext D^2 n(D) dD = pi 1e-6 N0 / L^3 per m, D in mm, with Q_ext = 2, the limit for
// drops much larger than the wavelength. Sources: Kilic et al., LISA, arXiv 2107.07004 (2021), which throws the drops
// one by one; the draw with two uniforms is fathom's.
//
// Drops nearer than the sensor's minimum range do not count. The tables end at a power of 1e-8 and at 300 m.
//
// Not modelled: drops that lie only partly in the beam, several drops that one pulse joins, drops of a second model
// behind the first one's return, and drops dimmed by the models before their own in the chain.

#include <span>
#include <vector>

#include <fathom/noise/detail/power.hpp>
#include <fathom/noise/model.hpp>

namespace fathom {

/// The light that drops return. A power of 0: none.
struct SoftReturn {
  float power, range_m;
};

/// The range up to which a ray meets air.
FATHOM_KERNEL float air_ahead(const PoweredReading& in, const Receiver& receiver) {
  return math::select(in.hit.range_m < receiver.max_range_m, in.hit.range_m, receiver.max_range_m);
}

/// The weakest return of drops that a sensor detects.
FATHOM_KERNEL float least_of_drops(const Receiver& receiver) {
  const float far = least_power_of(0.1F, receiver.max_range_m);
  return math::select(receiver.least_power > 0.0F, receiver.least_power, far);
}

/// Whether it is one of these. No comparisons: g++ joins them into a test of bits, which it does not vectorise.
template <class... Reasons>
FATHOM_KERNEL bool is_any(std::uint32_t reason, Reasons... these) {
  return (((reason ^ static_cast<std::uint32_t>(these)) - 1U) | ...) >> 31U != 0;
}

/// The report for a surface seen through air with this transmittance, and for drops before it.
FATHOM_KERNEL PoweredReading report_stronger(const Ray& ray, const PoweredReading& in, float transmitted,
                                             const SoftReturn& soft, const Receiver& receiver) {
  // As wide as the numbers beside it, for vectors of one length.
  const auto number = [](Reason reason) { return static_cast<std::uint32_t>(reason); };
  const std::uint32_t before = number(in.reason);
  const bool met = is_any(before, Reason::kHit);
  const bool nothing = is_any(before, Reason::kMiss, Reason::kAboveMaxRange, Reason::kLowPower, Reason::kSpecular);
  const float light = in.intensity * transmitted, power = power_of(light, in.hit.range_m);
  // A surface that nothing dims has passed the limit, at the range before noise.
  const bool is_seen = met & !((transmitted < 1.0F) & (power < receiver.least_power));
  const bool is_near = soft.range_m < receiver.min_range_m;
  const bool is_soft = (met | nothing) & (soft.power > 0.0F) & !is_near & !(soft.power < least_of_drops(receiver)) &
                       !(is_seen & !(power < soft.power));
  const float r = soft.range_m, x = ray.ox + ray.dx * r, y = ray.oy + ray.dy * r, z = ray.oz + ray.dz * r;
  const Return& old = in.hit;
  const Return hit = {math::select(is_soft, x, old.x), math::select(is_soft, y, old.y), math::select(is_soft, z, old.z),
                      math::select(is_soft, r, old.range_m),
                      math::select(is_soft, math::sqrt(x * x + y * y + z * z), old.radius_m)};
  const std::uint32_t hard = (met & !is_seen) ? number(Reason::kLowPower) : before;
  return {hit, static_cast<Reason>(is_soft ? number(Reason::kHit) : hard),
          math::select(is_soft, soft.power * r * r, math::select(met | nothing, light, in.intensity)),
          is_soft || in.from_medium};
}

/// A place between two entries of a table.
struct TablePlace {
  std::int32_t at;
  float part;  ///< in [0, 1]
};
/// x counts entries; outside the table, and for NaN, it is the nearest end.
FATHOM_KERNEL TablePlace place_in_table(float x, std::int32_t count) {
  const float most = static_cast<float>(count - 1), low = math::select(x > 0.0F, x, 0.0F);
  const float inside = math::select(low < most, low, most);
  const auto whole = static_cast<std::int32_t>(inside);
  const std::int32_t at = whole < count - 2 ? whole : count - 2;
  return {at, inside - static_cast<float>(at)};
}
FATHOM_KERNEL float between(float a, float b, float part) { return a + part * (b - a); }
FATHOM_KERNEL float table_value_at(const float* table, const TablePlace& p) {
  return between(table[p.at], table[p.at + 1], p.part);
}
/// Between the two numbers of 16 bits that an entry holds: its own and the next one of its row. Tables are then read
/// with half as many loads.
FATHOM_KERNEL float pair_value_at(float entry, float part) {
  const std::uint32_t bits = math::bits_of(entry);
  return between(static_cast<float>(static_cast<std::int32_t>(bits & 0xffffU)),
                 static_cast<float>(static_cast<std::int32_t>(bits >> 16U)), part);
}
/// Bilinear, in a table of rows of `cols` such entries; in [0, 65535].
FATHOM_KERNEL float pair_value_at(const float* table, std::int32_t cols, const TablePlace& row, const TablePlace& col) {
  const std::int32_t at = row.at * cols + col.at;
  return between(pair_value_at(table[at], col.part), pair_value_at(table[at + cols], col.part), row.part);
}

/// The full angle at which a beam widens, if neither the model nor the sensor has one.
inline constexpr float kUsualBeamRad = 0.003F;

/// Drops of rain or snow in a beam. Lengths of drops in mm, others in m.
struct DropLaw {
  double per_m3_mm = 0.0;  ///< N0; 0: no drops
  double per_mm = 1.0;     ///< L
  double reflectivity = 1.0;
  double beam_m = 0.01, beam_rad = 0.0;
  double nearest_m = 1.0;

  [[nodiscard]] constexpr double extinction_per_m() const {
    constexpr double kPi = 3.14159265358979323846;
    return kPi * 1e-6 * per_m3_mm / (per_mm * per_mm * per_mm);
  }
};

/// The tables for a law: a head, then the three tables, whose numbers fill 16 bits.
struct DropTable {
  static constexpr std::int32_t kRanges = 64, kCounts = 96, kPowers = 96, kShares = 48;
  static constexpr float kFarthestM = 300.0F;
  static constexpr float kLeastPower = 1e-8F;
  static constexpr float kLeastLogCount = -12.0F, kMostLogCount = 2.9F;  ///< of -ln u1
  static constexpr float kLogLeastPower = -18.420681F, kLogNoPower = kLogLeastPower - 1.0F;
  // The head. Ranges and powers are logarithms, in steps of the tables and of the 16 bits.
  static constexpr std::int32_t kExtinction = 0, kLogNearest = 1, kPerRange = 2, kPerPower = 3, kRangeBit = 4,
                                kPowerBit = 5, kHead = 6;
  static constexpr std::int32_t kPowerOf = kHead, kShareOf = kPowerOf + kRanges * kCounts,
                                kRangeOf = kShareOf + kPowers * kRanges, kSize = kRangeOf + kPowers * kShares;

  FATHOM_API static std::vector<float> make(const DropLaw& law);
};

/// The strongest drop before a surface at `range_m`. u1, u2: uniform in [0, 1).
FATHOM_KERNEL SoftReturn strongest_drop(const float* table, float range_m, float u1, float u2) {
  using T = DropTable;
  constexpr float kPerCount = static_cast<float>(T::kCounts - 1) / (T::kMostLogCount - T::kLeastLogCount);
  const float near = math::select(range_m > 1e-6F, range_m, 1e-6F);
  const float d = math::select(near < T::kFarthestM, near, T::kFarthestM);
  const float along = (math::log(d) - table[T::kLogNearest]) * table[T::kPerRange];
  const float count = -math::log(1.0F - u1), some = math::select(count > 1e-6F, count, 1e-6F);
  const TablePlace at_range = place_in_table(along, T::kRanges);
  const TablePlace at_count = place_in_table((math::log(some) - T::kLeastLogCount) * kPerCount, T::kCounts);
  const float log_power =
      T::kLogNoPower + table[T::kPowerBit] * pair_value_at(table + T::kPowerOf, T::kCounts, at_range, at_count);
  const TablePlace at_power = place_in_table((log_power - T::kLogLeastPower) * table[T::kPerPower], T::kPowers);
  const float share = u2 / 65535.0F * pair_value_at(table + T::kShareOf, T::kRanges, at_power, at_range);
  const float rest = 1.0F - math::select(share < 1.0F, share, 1.0F);
  const TablePlace at_share =
      place_in_table((1.0F - math::sqrt(rest)) * static_cast<float>(T::kShares - 1), T::kShares);
  const float r = math::exp(table[T::kLogNearest] +
                            table[T::kRangeBit] * pair_value_at(table + T::kRangeOf, T::kShares, at_power, at_share));
  const bool is_there = (along > 0.0F) & (log_power > T::kLogLeastPower);
  return {math::select(is_there, math::exp(log_power), 0.0F), math::select(r < d, r, d)};
}

/// strongest_drop() as a law.
FATHOM_API SoftLawPtr strongest_drop_law(std::span<const float> table);

/// apply() of rain and snow.
template <class Draws>
FATHOM_KERNEL PoweredReading see_through_drops(const Ray& ray, const PoweredReading& in, const Receiver& receiver,
                                               const Draws& draws) {
  const float d = air_ahead(in, receiver);
  const SoftReturn drop = strongest_drop(receiver.table, d, draws.uniform[0], draws.uniform[1]);
  return report_stronger(ray, in, transmittance(receiver.table[DropTable::kExtinction], d), drop, receiver);
}

}  // namespace fathom
