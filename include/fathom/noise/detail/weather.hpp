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
// one by one; the draw with two uniforms is fathom's. Most drops are weaker than the surface or than the sensor's
// limit: a bound of their share by power spares most rays the tables.
//
// Drops nearer than the sensor's minimum range do not count. The tables end at a power of 1e-8 and at 300 m.
//
// Not modelled: drops that lie only partly in the beam, several drops that one pulse joins, drops of a second model
// behind the first one's return, and drops dimmed by the models before their own in the chain.

#include <array>
#include <span>
#include <string_view>
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
FATHOM_KERNEL float least_of_drops(float least_power, float max_range_m) {
  return math::select(least_power > 0.0F, least_power, least_power_of(0.1F, max_range_m));
}

/// Whether it is one of these. No comparisons: g++ joins them into a test of bits, which it does not vectorise.
template <class... Reasons>
FATHOM_KERNEL bool is_any(std::uint32_t reason, Reasons... these) {
  return (((reason ^ static_cast<std::uint32_t>(these)) - 1U) | ...) >> 31U != 0;
}

/// `condition ? reason : other` as math::select().
FATHOM_KERNEL Reason select_reason(bool condition, Reason reason, Reason other) {
  const auto mask = static_cast<std::uint32_t>(-static_cast<std::int32_t>(condition));
  return static_cast<Reason>((static_cast<std::uint32_t>(reason) & mask) | (static_cast<std::uint32_t>(other) & ~mask));
}

FATHOM_KERNEL bool is_seen(const PoweredReading& r) {
  return is_any(static_cast<std::uint32_t>(r.reason), Reason::kHit);
}
/// Whether drops may replace it: a surface, or nothing.
FATHOM_KERNEL bool may_show_drops(const PoweredReading& r) {
  return is_any(static_cast<std::uint32_t>(r.reason), Reason::kHit, Reason::kMiss, Reason::kAboveMaxRange,
                Reason::kLowPower, Reason::kSpecular);
}

/// The power of a surface through air with this transmittance.
FATHOM_KERNEL float dimmed_power(const PoweredReading& in, float transmitted) {
  return power_of(in.intensity * transmitted, in.hit.range_m);
}
/// A reading through such air. `power`: dimmed_power(), a division that is shared.
FATHOM_KERNEL PoweredReading dim_surface(const PoweredReading& in, float transmitted, float power,
                                         const Receiver& receiver) {
  // A surface that nothing dims has passed the limit, at the range before noise.
  const bool is_weak = is_seen(in) & (transmitted < 1.0F) & (power < receiver.least_power);
  return {in.hit, select_reason(is_weak, Reason::kLowPower, in.reason),
          math::select(may_show_drops(in), in.intensity * transmitted, in.intensity), in.from_medium};
}

/// The power from which on the sensor reports drops instead of a reading, dimmed to this power. A weak one may still be
/// a hit: it changes nothing here.
FATHOM_KERNEL float bar_of_drops(const PoweredReading& reading, float power, const Receiver& receiver) {
  const float above = math::float_of(math::bits_of(power) + 1U);  // the next one: drops must be stronger
  const bool is_free = !is_seen(reading) | (power < receiver.least_of_drops);
  return math::select(may_show_drops(reading), math::select(is_free, receiver.least_of_drops, above), math::kInfinity);
}
FATHOM_KERNEL bool is_reported(const SoftReturn& soft, float bar, float min_range_m) {
  return (soft.power > 0.0F) & (soft.power >= bar) & !(soft.range_m < min_range_m);
}
FATHOM_KERNEL PoweredReading reading_of(const Ray& ray, const SoftReturn& soft) {
  const float r = soft.range_m, x = ray.ox + ray.dx * r, y = ray.oy + ray.dy * r, z = ray.oz + ray.dz * r;
  return {{x, y, z, r, math::sqrt(x * x + y * y + z * z)}, Reason::kHit, soft.power * r * r, true};
}
/// The report for a dimmed reading, and for drops before it.
FATHOM_KERNEL PoweredReading report_stronger(const Ray& ray, const PoweredReading& dimmed, float power,
                                             const SoftReturn& soft, const Receiver& receiver) {
  const bool is_soft = is_reported(soft, bar_of_drops(dimmed, power, receiver), receiver.min_range_m);
  const PoweredReading drops = reading_of(ray, soft);
  const Return &near = drops.hit, &far = dimmed.hit;
  const Return hit = {math::select(is_soft, near.x, far.x), math::select(is_soft, near.y, far.y),
                      math::select(is_soft, near.z, far.z), math::select(is_soft, near.range_m, far.range_m),
                      math::select(is_soft, near.radius_m, far.radius_m)};
  return {hit, select_reason(is_soft, drops.reason, dimmed.reason),
          math::select(is_soft, drops.intensity, dimmed.intensity), is_soft || dimmed.from_medium};
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
/// Bilinear, between such entries of two rows; in [0, 65535].
FATHOM_KERNEL float pair_value_at(float entry, float of_next_row, float row_part, float col_part) {
  return between(pair_value_at(entry, col_part), pair_value_at(of_next_row, col_part), row_part);
}
FATHOM_KERNEL float pair_value_at(const float* table, std::int32_t cols, const TablePlace& row, const TablePlace& col) {
  const std::int32_t at = row.at * cols + col.at;
  return pair_value_at(table[at], table[at + cols], row.part, col.part);
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
                                kPowerBit = 5, kMost = 6, kHead = kMost + 4;  ///< kMost: of may_show_drop()
  static constexpr std::int32_t kPowerOf = kHead, kShareOf = kPowerOf + kRanges * kCounts,
                                kRangeOf = kShareOf + kPowers * kRanges, kSize = kRangeOf + kPowers * kShares;

  FATHOM_API static std::vector<float> make(const DropLaw& law);

  /// The strongest drops before surfaces, by steps over lanes: compilers vectorise loops without look-ups.
  template <std::size_t kLanes>
  struct Strongest {
    alignas(64) float surface_m[kLanes], u1[kLanes], u2[kLanes];  ///< uniform in [0, 1)
    alignas(64) float power[kLanes], range_m[kLanes];             ///< of the drops

    FATHOM_KERNEL void draw(const float* table, std::size_t lanes) {
      const float log_nearest = table[kLogNearest], per_range = table[kPerRange], range_bit = table[kRangeBit],
                  per_power = table[kPerPower], power_bit = table[kPowerBit];
      for (std::size_t k = 0; k < lanes; ++k) {
        along_[k] = (math::log(inside(surface_m[k])) - log_nearest) * per_range;
        const TablePlace range = place_in_table(along_[k], kRanges);
        const float count = -math::log(1.0F - u1[k]), some = math::select(count > 1e-6F, count, 1e-6F);
        const TablePlace col = place_in_table((math::log(some) - kLeastLogCount) * kPerCount, kCounts);
        range_at_[k] = range.at, range_part_[k] = range.part;
        at_[k] = range.at * kCounts + col.at, part_[k] = col.part;
      }
      look_up(table + kPowerOf, kCounts, lanes);
      for (std::size_t k = 0; k < lanes; ++k) {
        log_power_[k] = kLogNoPower + power_bit * pair_value_at(entry_[k], next_[k], range_part_[k], part_[k]);
        const TablePlace place = place_in_table((log_power_[k] - kLogLeastPower) * per_power, kPowers);
        power_at_[k] = place.at, part_[k] = place.part;
        at_[k] = place.at * kRanges + range_at_[k];
      }
      look_up(table + kShareOf, kRanges, lanes);
      for (std::size_t k = 0; k < lanes; ++k) {
        const float share = u2[k] / 65535.0F * pair_value_at(entry_[k], next_[k], part_[k], range_part_[k]);
        const float rest = 1.0F - math::select(share < 1.0F, share, 1.0F);
        const TablePlace col = place_in_table((1.0F - math::sqrt(rest)) * static_cast<float>(kShares - 1), kShares);
        at_[k] = power_at_[k] * kShares + col.at, range_part_[k] = col.part;
      }
      look_up(table + kRangeOf, kShares, lanes);
      for (std::size_t k = 0; k < lanes; ++k) {
        const float d = inside(surface_m[k]);
        const float r =
            math::exp(log_nearest + range_bit * pair_value_at(entry_[k], next_[k], part_[k], range_part_[k]));
        const bool is_there = (along_[k] > 0.0F) & (log_power_[k] > kLogLeastPower);
        power[k] = math::select(is_there, math::exp(log_power_[k]), 0.0F);
        range_m[k] = math::select(r < d, r, d);
      }
    }

   private:
    static constexpr float kPerCount = static_cast<float>(kCounts - 1) / (kMostLogCount - kLeastLogCount);

    FATHOM_KERNEL static float inside(float range_m) {
      const float near = math::select(range_m > 1e-6F, range_m, 1e-6F);
      return math::select(near < kFarthestM, near, kFarthestM);
    }
    FATHOM_KERNEL void look_up(const float* table, std::int32_t cols, std::size_t lanes) {
      for (std::size_t k = 0; k < lanes; ++k) entry_[k] = table[at_[k]], next_[k] = table[at_[k] + cols];
    }

    alignas(64) float along_[kLanes], log_power_[kLanes], entry_[kLanes], next_[kLanes];
    alignas(64) float range_part_[kLanes], part_[kLanes];  // places in the tables
    alignas(64) std::int32_t range_at_[kLanes], power_at_[kLanes], at_[kLanes];
  };
};

/// The strongest drop before a surface at `range_m`.
FATHOM_KERNEL SoftReturn strongest_drop(const float* table, float range_m, float u1, float u2) {
  DropTable::Strongest<1> drops;
  drops.surface_m[0] = range_m, drops.u1[0] = u1, drops.u2[0] = u2;
  drops.draw(table, 1);
  return {drops.power[0], drops.range_m[0]};
}

/// strongest_drop() as a law.
FATHOM_API SoftLawPtr strongest_drop_law(std::span<const float> table);

/// False only if no strongest drop with this u1 reaches the bar: most are weaker. The share of rays with a drop above a
/// power p is at most the least of m0, (m1 / p)^1/2, m2 / p and m3 / p^2.
FATHOM_KERNEL bool may_show_drop(const float* table, float bar, float u1) {
  const float product = u1 * bar;
  const float* most = table + DropTable::kMost;
  return (u1 < most[0]) & (u1 * product < most[1]) & (product < most[2]) & (product * bar < most[3]);
}

FATHOM_KERNEL float drops_transmit(const PoweredReading& in, const Receiver& receiver) {
  return transmittance(receiver.table[DropTable::kExtinction], air_ahead(in, receiver));
}

/// apply() of rain and snow. Blocks take the same in two steps: noise/detail/drive.hpp.
template <class Draws>
FATHOM_KERNEL PoweredReading see_through_drops(const Ray& ray, const PoweredReading& in, const Receiver& receiver,
                                               const Draws& draws) {
  const float transmitted = drops_transmit(in, receiver), power = dimmed_power(in, transmitted);
  const SoftReturn drop = strongest_drop(receiver.table, air_ahead(in, receiver), draws.uniform[0], draws.uniform[1]);
  return report_stronger(ray, dim_surface(in, transmitted, power, receiver), power, drop, receiver);
}

/// The parameters of rain and snow.
template <class M>
constexpr std::array<Field<M>, 4> drop_fields(std::string_view rate) {
  return {{
      {"rate_mm_per_h", "mm/h", &M::rate_mm_per_h, 0, 300, rate},
      {"beam_m", "m", &M::beam_m, 1e-3, 0.5, "width of the beam at the sensor"},
      {"beam_rad", "rad", &M::beam_rad, 0, 0.2, "full angle at which the beam widens; 0: as the sensor's rays"},
      {"nearest_m", "m", &M::nearest_m, 0.01, 50, "range from which on the receiver sees the beam"},
  }};
}
inline constexpr std::array<LearnedField, 1> kDropsLearned = {
    {{"rate_mm_per_h", LearnedRole::kPlain, 1, "all rays are in one weather"}}};

template <class M>
M widen_drops(M p, float rad) {
  if (p.beam_rad == 0.0F) p.beam_rad = rad < 0.2F ? rad : 0.2F;
  return p;
}

}  // namespace fathom
