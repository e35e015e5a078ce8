// SPDX-License-Identifier: MIT
// Compiled once per instruction set, FATHOM_ISA naming it. Plain loops over arrays, which the compiler vectorises; sums
// are those of lane_sums.hpp.
//
// student_t, with u = d / s, v = u^2 / (nu + u^2) and N the mass that the cut leaves:
//
//   log p_hit = log c(nu) - log s - (nu + 1) / 2 log(1 + u^2 / nu) - log N
//
// Its slope over log s is (nu + 1) v - 1 + A, A = (x t(x) + x' t(x')) / N at the distances x and x' of the two ends, in
// scales. Second derivatives leave out those of N: a step is then a little short or long. (nu + 1) / (nu + u^2) is the
// weight that the scale mixture of normals gives a reading: Lange, Little and
// Taylor, JASA 84 (1989).

#include "beam/em_explain.hpp"
#include "beam/em_kernels.hpp"

namespace fathom::FATHOM_ISA {

namespace {

struct TailWork {
  alignas(64) double inverse_mass[kEmBlock], log_u[kEmBlock], v[kEmBlock];  // log(1 + u^2 / nu)
  double slope[2][kEmBlock], information[3][kEmBlock];
};

constexpr int kPanelBits = 6;
static_assert(std::size_t{1} << kPanelBits == kPanelsPerOctave);

/// Where 1 + x lies among the panels: in which one, and how far in it, in [0, 1).
struct PanelPlace {
  std::uint64_t panel;
  double part;
};
FATHOM_KERNEL PanelPlace place_of(double x) {
  constexpr int kRest = 52 - kPanelBits;
  const std::uint64_t bits = math::bits64_of(1.0 + x);
  const std::uint64_t part = ((bits << kPanelBits) & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL;
  return {(bits >> kRest) - (std::uint64_t{1023} << kPanelBits), math::double_of(part) - 1.0};
}

FATHOM_KERNEL double tail_at(const double* panels, double x) {
  const PanelPlace at = place_of(x);
  const double* c = panels + kPanelNumbers * at.panel;
  return c[0] + at.part * (c[1] + at.part * (c[2] + at.part * c[3]));
}

[[gnu::noinline]] void find_student_hits(const EmParameters& parameters, const EmTail& given,
                                         const double* __restrict panels, const float* __restrict z_m,
                                         const float* __restrict expected_m, std::size_t count, EmWork& __restrict work,
                                         TailWork& __restrict tail) {
  const EmParameters p = parameters;
  const EmTail t = given;
  const double inverse_sigma = 1.0 / p.sigma, inverse_nu = 1.0 / t.nu, power = -0.5 * (t.nu + 1.0);
  const double hit_scale = math::exp(t.peak) * inverse_sigma;
  for (std::size_t i = 0; i < count; ++i) {
    const double surface = surface_of(p, expected_m[i]);
    work.surface[i] = surface;
    work.margin[i] = surface - z_m[i];
  }
  for (std::size_t i = 0; i < count; ++i) {
    const double below = work.surface[i] * inverse_sigma, above = (p.limit - work.surface[i]) * inverse_sigma;
    tail.inverse_mass[i] = 1.0 / (1.0 - tail_at(panels, below) - tail_at(panels, above));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const double u = work.margin[i] * inverse_sigma, y = u * u * inverse_nu, all = 1.0 + y, inverse = 1.0 / all;
    tail.v[i] = y * inverse;
    tail.log_u[i] = math::log(all) - ((all - 1.0) - y) * inverse;  // log1p(y)
    work.p_hit[i] = hit_scale * tail.inverse_mass[i] * falling_exp(power * tail.log_u[i]);
  }
}

[[gnu::noinline]] void find_student_slopes(const EmParameters& parameters, const EmTail& given,
                                           const double* __restrict panels, const double* __restrict r_hit,
                                           std::size_t count, const EmWork& __restrict work,
                                           TailWork& __restrict tail) {
  const EmTail t = given;
  const double inverse_sigma = 1.0 / parameters.sigma, limit = parameters.limit, nu = t.nu, inverse_nu = 1.0 / nu;
  for (std::size_t i = 0; i < count; ++i) {
    const double r = r_hit[i], v = tail.v[i], rest = v * (1.0 - v), inverse = tail.inverse_mass[i];
    const double below = work.surface[i] * inverse_sigma, above = (limit - work.surface[i]) * inverse_sigma;
    const PanelPlace at = place_of(below), far = place_of(above);
    const double *a = panels + kPanelNumbers * at.panel, *b = panels + kPanelNumbers * far.panel;
    const double by_nu = (a[6] + at.part * a[7] + b[6] + far.part * b[7]) * inverse;
    const double flow = (a[4] + at.part * a[5] + b[4] + far.part * b[5]) * inverse;  // A
    const double slope_nu = t.peak_slope - 0.5 * tail.log_u[i] + 0.5 * (nu + 1.0) * inverse_nu * v + by_nu;
    const double bend_nu = t.peak_bend + 0.5 * v * inverse_nu - 0.5 * inverse_nu * inverse_nu * (v + (nu + 1.0) * rest);
    tail.slope[0][i] = r * ((nu + 1.0) * v - 1.0 + flow);
    tail.slope[1][i] = r * nu * slope_nu;
    tail.information[0][i] = r * 2.0 * (nu + 1.0) * rest;
    tail.information[1][i] = r * ((nu + 1.0) * rest - nu * v);
    tail.information[2][i] = -r * nu * (nu * bend_nu + slope_nu);
  }
}

void add_slopes(const TailWork& tail, std::size_t count, TailSums& sums) {
  for (int k = 0; k < 2; ++k) sums.slope[k] += add_up(tail.slope[k], count);
  for (int k = 0; k < 3; ++k) sums.information[k] += add_up(tail.information[k], count);
}

std::size_t expect_student(const EmParameters& p, const EmTail& t, const EmBlock& b, EmSums& sums, TailSums* slopes) {
  EmWork work;
  TailWork tail;
  find_student_hits(p, t, t.panels, b.z, b.expected, b.count, work, tail);
  const std::size_t behind = explain_block(p, b, work, sums);
  if (slopes != nullptr) {
    find_student_slopes(p, t, t.panels, b.r_hit, b.count, work, tail);
    add_slopes(tail, b.count, *slopes);
  }
  return behind;
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

/// x at the near end of a panel, and its width.
struct Panel {
  double low, width;
};
FATHOM_KERNEL Panel panel_at(std::size_t k) {
  const double octave = math::double_of((std::uint64_t{k} / kPanelsPerOctave + 1023U) << 52U);
  const double width = octave / static_cast<double>(kPanelsPerOctave);
  return {octave - 1.0 + width * static_cast<double>(k % kPanelsPerOctave), width};
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
void fill_panels(const EmTail& tail, std::size_t count, const StudentEnd& end, double* edges, double* panels) {
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
  double tail_far = end.tail, slope_far = end.tail_slope;
  for (std::size_t k = count; k-- > 0;) {
    const Panel panel = panel_at(k);
    const double tail_near = tail_far + mass[k], slope_near = slope_far + slope[k];
    const double m0 = -panel.width * density[k], m1 = -panel.width * density[k + 1], fall = -mass[k];
    const double flow = panel.low * density[k];
    double* c = panels + kPanelNumbers * k;
    c[0] = tail_near, c[1] = m0, c[2] = 3.0 * fall - 2.0 * m0 - m1, c[3] = m0 + m1 - 2.0 * fall;
    c[4] = flow, c[5] = (panel.low + panel.width) * density[k + 1] - flow;
    c[6] = slope_near, c[7] = slope_far - slope_near;
    tail_far = tail_near, slope_far = slope_near;
  }
}

}  // namespace

const TailKernels kTailKernels = {&expect_student, &expect_growing, &fill_panels};

}  // namespace fathom::FATHOM_ISA
