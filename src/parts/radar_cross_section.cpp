// SPDX-License-Identifier: MIT
#include <cmath>
#include <limits>
#include <numbers>

#include <fathom/math/f64.hpp>
#include <fathom/math/trigonometry.hpp>
#include <fathom/parts/radar.hpp>

namespace fathom {

namespace {

constexpr double kLightMps = 299792458.0;

/// 10 log10(x) as the C library has it at 0 and below, but the same bits everywhere.
double decibels(double x) {
  constexpr double kPerLog = 10.0 / std::numbers::ln10;
  if (!(x > 0.0)) return x == 0.0 ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  if (std::isinf(x)) return x;
  if (!std::isnormal(x)) return kPerLog * (math::log(x * 0x1p54) - 54.0 * std::numbers::ln2);
  return kPerLog * math::log(x);
}

Vec3 unit(Vec3 v) { return (1.0 / norm(v)) * v; }

/// Polarisation after a perfect reflection, whose components along and across the plane of incidence are treated apart.
Vec3 reflect_polarisation(Vec3 incoming, Vec3 reflected, Vec3 polarisation, Vec3 normal) {
  if (std::abs(dot(incoming, normal)) >= 1.0) return -1.0 * polarisation;
  const Vec3 across = cross(incoming, normal);
  if (dot(across, across) == 0.0) return -1.0 * polarisation;
  const Vec3 u = unit(across), r = unit(cross(incoming, u));
  const Vec3 u2 = -1.0 * u, r2 = cross(reflected, u2);
  return -dot(polarisation, r) * r2 + dot(polarisation, u) * u2;
}

struct EchoField {
  double u, r;
};

/// The two components of the field that one point sends back, over k i / (4 pi). The phase of the way there, e^ikr, and
/// that of the way back, e^-ikr, cancel, so that the components are real.
EchoField field_of(const Affine& sensor_from_ray, Vec3 normal, double area_m2) {
  // Transformed as points, so that directions contain the translation of the ray: for a radar, small against 1.
  const Vec3 d = transform_point(sensor_from_ray, {0, 0, 1}),
             polarisation = transform_point(sensor_from_ray, {1, 0, 0});
  const double phi = math::atan2(d.y, d.z), theta = math::acos(d.x / norm(d));
  const Vec3 along_phi = {0, math::cos(phi), -math::sin(phi)};
  const Vec3 along_theta = {-math::sin(theta), math::sin(phi) * math::cos(theta), math::cos(phi) * math::cos(theta)};
  const Vec3 reflected = unit(d - 2.0 * dot(d, normal) * normal);
  const Vec3 e = reflect_polarisation(d, reflected, polarisation, normal);
  const Vec3 h = -1.0 * cross(e, reflected);
  const double u = -dot(cross(e, -1.0 * along_phi) + cross(h, along_theta), reflected);
  const double r = -dot(cross(e, along_theta) + cross(h, along_phi), reflected);
  const double weight = area_m2 * dot(reflected, normal);
  return {u * weight, r * weight};
}

}  // namespace

double radar_cross_section_dbsm(const RadarSurfaces& s, std::span<const std::uint32_t> points, const RadarWave& wave,
                                const Affine& sensor_from_world) {
  const double k = 2.0 * std::numbers::pi * wave.frequency_hz / kLightMps;
  EchoField sum = {0.0, 0.0};
  for (const std::uint32_t i : points) {
    const float* n = s.normal_xyz.data() + std::size_t{3} * i;
    const Vec3 normal = transform_vector(sensor_from_world, {n[0], n[1], n[2]});
    const double r = s.distance_m[i];
    const double area = r * r * math::sin(double{wave.elevation_step_rad}) * wave.azimuth_step_rad;
    const EchoField f = field_of(sensor_from_world * to_affine(s.world_from_ray[i]), normal, area);
    sum.u += f.u, sum.r += f.r;
  }
  const double scale = k / (4.0 * std::numbers::pi);
  return decibels(4.0 * std::numbers::pi * scale * scale * (sum.u * sum.u + sum.r * sum.r));
}

double radar_power_dbm(double transmitted_dbm, double gain_dbi, double cross_section_dbsm, double distance_m,
                       double frequency_hz) {
  const double wavelength_m = kLightMps / frequency_hz;
  return transmitted_dbm + 2.0 * gain_dbi + cross_section_dbsm + 2.0 * decibels(wavelength_m) -
         3.0 * decibels(4.0 * std::numbers::pi) - 4.0 * decibels(distance_m);
}

}  // namespace fathom
