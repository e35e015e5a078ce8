// SPDX-License-Identifier: MIT
// Compiled once per instruction set, FATHOM_ISA naming it. Plain loops over arrays, which the compiler vectorises; for
// sums see em_explain.hpp.
//
// student_t, with u = d / s, v = u^2 / (nu + u^2) and N the mass that the cut leaves:
//
//   log p_hit = log c(nu) - log s - (nu + 1) / 2 log(1 + u^2 / nu) - log N
//
// Its slope over log s is (nu + 1) v - 1 + A, A = (x t(x) + x' t(x')) / N at the distances x and x' of the two ends, in
// scales. Second derivatives are without N: a step is then a little short or long. (nu + 1) / (nu + u^2) is the
// weight that the scale mixture of normals gives a reading: Lange, Little and Taylor, JASA 84 (1989).

#include "fit/beam/em_explain.hpp"
#include "fit/beam/em_kernels.hpp"

namespace fathom::FATHOM_ISA {

namespace {

struct TailWork {
  alignas(64) double inverse_mass[kEmBlock], log_u[kEmBlock], v[kEmBlock];  // log(1 + u^2 / nu)
  double flow[kEmBlock], by_nu[kEmBlock];
  double slope[2][kEmBlock], information[3][kEmBlock];  // of grows
};

using Four = double __attribute__((vector_size(32)));
using FourWords = std::int64_t __attribute__((vector_size(32)));

/// Four numbers of four rows each, turned into columns: loads of rows and shuffles take a fraction of the time of
/// gathers.
struct Columns {
  Four a, b, c, d;
};
FATHOM_KERNEL void load_columns(const double* row0, const double* row1, const double* row2, const double* row3,
                                Columns& to) {
  Four rows[4];
  __builtin_memcpy(&rows[0], row0, sizeof(Four)), __builtin_memcpy(&rows[1], row1, sizeof(Four));
  __builtin_memcpy(&rows[2], row2, sizeof(Four)), __builtin_memcpy(&rows[3], row3, sizeof(Four));
  const Four even0 = __builtin_shufflevector(rows[0], rows[1], 0, 4, 2, 6);
  const Four even1 = __builtin_shufflevector(rows[2], rows[3], 0, 4, 2, 6);
  const Four odd0 = __builtin_shufflevector(rows[0], rows[1], 1, 5, 3, 7);
  const Four odd1 = __builtin_shufflevector(rows[2], rows[3], 1, 5, 3, 7);
  to.a = __builtin_shufflevector(even0, even1, 0, 1, 4, 5), to.b = __builtin_shufflevector(odd0, odd1, 0, 1, 4, 5);
  to.c = __builtin_shufflevector(even0, even1, 2, 3, 6, 7), to.d = __builtin_shufflevector(odd0, odd1, 2, 3, 6, 7);
}

/// Of pairs whose distance from the nearer end is in tail.v, 1 added, in whole groups of four.
template <bool kSlopes>
[[gnu::noinline]] void look_up_ends(const StudentEnds* __restrict ends, std::size_t count, TailWork& __restrict tail) {
  for (std::size_t i = 0; i < count; i += 4) {
    const double* rows[4];
    for (std::size_t k = 0; k < 4; ++k) rows[k] = ends[panel_of(tail.v[i + k])].numbers;
    Four one_and_x;
    __builtin_memcpy(&one_and_x, tail.v + i, sizeof one_and_x);
    const FourWords part_bits = (reinterpret_cast<FourWords>(one_and_x) << kPanelBits) & 0x000fffffffffffffLL;
    const Four part = reinterpret_cast<Four>(part_bits | 0x3ff0000000000000LL) - 1.0;
    Columns cubic;
    load_columns(rows[0], rows[1], rows[2], rows[3], cubic);
    const Four inverse = cubic.a + part * (cubic.b + part * (cubic.c + part * cubic.d));
    __builtin_memcpy(tail.inverse_mass + i, &inverse, sizeof inverse);
    if constexpr (kSlopes) {
      Columns lines;
      load_columns(rows[0] + 4, rows[1] + 4, rows[2] + 4, rows[3] + 4, lines);
      const Four flow = lines.a + part * lines.b, by_nu = lines.c + part * lines.d;
      __builtin_memcpy(tail.flow + i, &flow, sizeof flow);
      __builtin_memcpy(tail.by_nu + i, &by_nu, sizeof by_nu);
    }
  }
}

[[gnu::noinline]] void place_student_hits(const EmParameters& parameters, const float* __restrict z_m,
                                          const float* __restrict expected_m, std::size_t count,
                                          EmWork& __restrict work, TailWork& __restrict tail) {
  const EmParameters p = parameters;
  const double inverse_sigma = 1.0 / p.sigma;
  for (std::size_t i = 0; i < count; ++i) {
    const double surface = surface_of(p, expected_m[i]), far = p.limit - surface;
    work.surface[i] = surface;
    work.margin[i] = surface - z_m[i];
    tail.v[i] = 1.0 + select(surface < far, surface, far) * inverse_sigma;
  }
  for (std::size_t i = count; i % 4 != 0; ++i) tail.v[i] = 1.0;
}

[[gnu::noinline]] void find_student_hits(const EmParameters& parameters, const EmTail& given, std::size_t count,
                                         EmWork& __restrict work, TailWork& __restrict tail) {
  const double inverse_sigma = 1.0 / parameters.sigma, inverse_nu = 1.0 / given.nu, power = -0.5 * (given.nu + 1.0);
  const double hit_scale = math::exp(given.peak) * inverse_sigma;
  for (std::size_t i = 0; i < count; ++i) {
    const double u = work.margin[i] * inverse_sigma, y = u * u * inverse_nu, all = 1.0 + y, inverse = 1.0 / all;
    tail.v[i] = y * inverse;
    tail.log_u[i] = math::log(all) - ((all - 1.0) - y) * inverse;  // log1p(y)
    work.p_hit[i] = hit_scale * tail.inverse_mass[i] * falling_exp(power * tail.log_u[i]);
  }
}

/// The slopes and second derivatives of all readings are sums of few numbers of each.
void add_student_slopes(const EmTail& t, const double* __restrict r, std::size_t count, const TailWork& tail,
                        TailSums& sums) {
  const double nu = t.nu, inverse_nu = 1.0 / nu, *v = tail.v;
  const double hits = add_up(r, count), with_v = add_up_products(r, v, count);
  const double with_v2 = add_up_terms(count, [=](std::size_t i) { return r[i] * v[i] * v[i]; });
  const double with_log = add_up_products(r, tail.log_u, count), with_flow = add_up_products(r, tail.flow, count);
  const double with_nu = add_up_products(r, tail.by_nu, count);
  const double with_rest = (nu + 1.0) * (with_v - with_v2);
  const double slope_nu = t.peak_slope * hits - 0.5 * with_log + 0.5 * (nu + 1.0) * inverse_nu * with_v + with_nu;
  const double bend_nu =
      t.peak_bend * hits + 0.5 * inverse_nu * with_v - 0.5 * inverse_nu * inverse_nu * (with_v + with_rest);
  sums.slope[0] += (nu + 1.0) * with_v - hits + with_flow;
  sums.slope[1] += nu * slope_nu;
  sums.information[0] += 2.0 * with_rest;
  sums.information[1] += with_rest - nu * with_v;
  sums.information[2] -= nu * (nu * bend_nu + slope_nu);
}

std::size_t expect_student(const EmParameters& p, const EmTail& t, const EmBlock& b, EmSums& sums, TailSums* slopes) {
  EmWork work;
  TailWork tail;
  place_student_hits(p, b.z, b.expected, b.count, work, tail);
  const auto look_up = slopes != nullptr ? look_up_ends<true> : look_up_ends<false>;
  look_up(t.ends, b.count, tail);
  find_student_hits(p, t, b.count, work, tail);
  const std::size_t behind = explain_block(p, b, work, sums);
  if (slopes != nullptr) add_student_slopes(t, b.r_hit, b.count, tail, *slopes);
  return behind;
}

void add_slopes(const TailWork& tail, std::size_t count, TailSums& sums) {
  for (int k = 0; k < 2; ++k) sums.slope[k] += add_up(tail.slope[k], count);
  for (int k = 0; k < 3; ++k) sums.information[k] += add_up(tail.information[k], count);
}

/// The slopes of r_hit = 1; weigh() puts the responsibilities in.
[[gnu::noinline]] void find_growing_hits(const EmParameters& parameters, double sigma_per_m,
                                         const float* __restrict z_m, const float* __restrict expected_m,
                                         std::size_t count, EmWork& __restrict work, TailWork& __restrict tail) {
  const EmParameters p = parameters;
  for (std::size_t i = 0; i < count; ++i) {
    const double surface = surface_of(p, expected_m[i]), sigma = p.sigma + sigma_per_m * surface;
    const double inverse = 1.0 / sigma, d = (z_m[i] - surface) * inverse;
    const Cut cut = cut_at<false>(surface, sigma, inverse, p.limit);
    work.surface[i] = surface;
    work.margin[i] = surface - z_m[i];
    work.p_hit[i] = math::kInverseSqrtTwoPi * inverse * cut.inverse_mass * falling_exp(-0.5 * d * d);
    tail.slope[0][i] = inverse * (d * d - cut.m2 * inverse * inverse);
    tail.information[0][i] = inverse * inverse * (cut.growth * inverse * inverse);
  }
}

[[gnu::noinline]] void weigh_growing_slopes(const double* __restrict r_hit, std::size_t count,
                                            const EmWork& __restrict work, TailWork& __restrict tail) {
  for (std::size_t i = 0; i < count; ++i) {
    const double surface = work.surface[i], slope = r_hit[i] * tail.slope[0][i];
    const double information = r_hit[i] * tail.information[0][i];
    tail.slope[0][i] = slope;
    tail.slope[1][i] = slope * surface;
    tail.information[0][i] = information;
    tail.information[1][i] = information * surface;
    tail.information[2][i] = information * surface * surface;
  }
}

std::size_t expect_growing(const EmParameters& p, const EmTail& t, const EmBlock& b, EmSums& sums, TailSums* slopes) {
  EmWork work;
  TailWork tail;
  find_growing_hits(p, t.sigma_per_m, b.z, b.expected, b.count, work, tail);
  const std::size_t behind = explain_block(p, b, work, sums);
  if (slopes != nullptr) {
    weigh_growing_slopes(b.r_hit, b.count, work, tail);
    add_slopes(tail, b.count, *slopes);
  }
  return behind;
}

/// t(x), and its derivative by nu over t(x).
struct StudentPoint {
  double density, by_nu;
};
FATHOM_KERNEL StudentPoint student_at(const EmTail& t, double x) {
  const double y = x * x / t.nu, log_u = math::log1p(y), v = y / (1.0 + y);
  return {falling_exp(math::select(log_u > 0.0, -0.5 * (t.nu + 1.0) * log_u, 0.0)) * math::exp(t.peak),
          t.peak_slope - 0.5 * log_u + 0.5 * (t.nu + 1.0) / t.nu * v};
}

/// Integrals over panels by Gauss's rule of four points, added up from the far end.
void fill_panels(const EmTail& tail, std::size_t count, const StudentTail& end, double* edges, double* panels) {
  constexpr double kPlace[] = {0.33998104358485626, 0.86113631159405258};
  constexpr double kWeight[] = {0.65214515486254614, 0.34785484513745386};
  const EmTail t = tail;
  double *density = edges, *by_nu = edges + (count + 1), *mass = by_nu + (count + 1), *slope = mass + (count + 1);
  for (std::size_t k = 0; k <= count; ++k) {
    const StudentPoint at = student_at(t, panel_at(k).low);
    density[k] = at.density, by_nu[k] = at.by_nu;
  }
  for (std::size_t k = 0; k < count; ++k) {
    const Panel panel = panel_at(k);
    const double half = 0.5 * panel.width, middle = panel.low + half;
    double sum = 0.0, sum_by_nu = 0.0;
    for (int i = 0; i < 2; ++i) {
      const StudentPoint a = student_at(t, middle - half * kPlace[i]), b = student_at(t, middle + half * kPlace[i]);
      sum += kWeight[i] * (a.density + b.density);
      sum_by_nu += kWeight[i] * (a.density * a.by_nu + b.density * b.by_nu);
    }
    mass[k] = half * sum, slope[k] = half * sum_by_nu;
  }
  double tail_far = end.value, slope_far = end.by_nu;
  for (std::size_t k = count; k-- > 0;) {
    const Panel panel = panel_at(k);
    const double tail_near = tail_far + mass[k], slope_near = slope_far + slope[k];
    const double m0 = -panel.width * density[k], m1 = -panel.width * density[k + 1], fall = -mass[k];
    double* c = panels + kPanelNumbers * k;
    c[0] = tail_near, c[1] = m0, c[2] = 3.0 * fall - 2.0 * m0 - m1, c[3] = m0 + m1 - 2.0 * fall;
    c[4] = slope_near, c[5] = slope_far - slope_near;
    tail_far = tail_near, slope_far = slope_near;
  }
}

/// What is beyond both ends at the edges of panels, then the rows between.
void fill_ends(const EmTail& tail, double limit, std::size_t count, double* edges, StudentEnds* ends) {
  const EmTail t = tail;
  const double* panels = t.panels;
  double *inverse = edges, *slope = edges + (count + 1), *flow = slope + (count + 1), *by_nu = flow + (count + 1);
  for (std::size_t k = 0; k <= count; ++k) {
    const double near = panel_at(k).low, gap = limit - near, far = select(gap > 0.0, gap, 0.0);
    const double near_density = student_at(t, near).density, far_density = student_at(t, far).density;
    const double* of_near = panels + kPanelNumbers * panel_of(1.0 + near);
    const double* of_far = panels + kPanelNumbers * panel_of(1.0 + far);
    const double part = part_of(1.0 + far);
    const double far_tail = of_far[0] + part * (of_far[1] + part * (of_far[2] + part * of_far[3]));
    const double inverse_mass = 1.0 / (1.0 - of_near[0] - far_tail);
    inverse[k] = inverse_mass;
    slope[k] = (far_density - near_density) * inverse_mass * inverse_mass;
    flow[k] = (near * near_density + far * far_density) * inverse_mass;
    by_nu[k] = (of_near[4] + of_far[4] + part * of_far[5]) * inverse_mass;
  }
  for (std::size_t k = 0; k < count; ++k) {
    const double width = panel_at(k).width, m0 = width * slope[k], m1 = width * slope[k + 1];
    const double rise = inverse[k + 1] - inverse[k];
    double* c = ends[k].numbers;
    c[0] = inverse[k], c[1] = m0, c[2] = 3.0 * rise - 2.0 * m0 - m1, c[3] = m0 + m1 - 2.0 * rise;
    c[4] = flow[k], c[5] = flow[k + 1] - flow[k];
    c[6] = by_nu[k], c[7] = by_nu[k + 1] - by_nu[k];
  }
}

}  // namespace

const TailKernels kTailKernels = {&expect_student, &expect_growing, &fill_panels, &fill_ends};

}  // namespace fathom::FATHOM_ISA
