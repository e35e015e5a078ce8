// SPDX-License-Identifier: MIT
#include "parts/diverging_rays.hpp"

#include <cmath>

#include "sensor/choose_returns.hpp"

namespace fathom {

void DivergingRays::load_samples(std::uint32_t i, std::uint32_t lane, const Affine& world_from_ray) {
  for (const SampleDirection& s : job_.samples) {
    put(samples_, lane, origin_of(rays_.centre, i), transform_vector(world_from_ray, {s.x, s.y, s.z}));
    far_[lane] = rays_.max_m[i], active_[lane] = rays_.active[i];
    ++lane;
  }
}

void DivergingRays::cast_samples(std::uint32_t count) {
  job_.caster.cast({samples_.ox, samples_.oy, samples_.oz, samples_.dx, samples_.dy, samples_.dz, far_, active_, count},
                   hits_);
}

void DivergingRays::reduce(std::uint32_t i, std::uint32_t first_lane) const {
  Echo echoes[kDivergingSamples];
  Sample samples[kDivergingSamples];
  std::uint32_t hits = 0;
  for (std::uint32_t s = 0; s < kDivergingSamples; ++s) {
    echoes[s] = echo_of(job_.settings, samples_, hits_, first_lane + s, rays_.min_m[i]);
    if (echoes[s].hit) samples[hits++] = {echoes[s].distance_m, surface_.intensity_of(echoes[s]), s};
  }
  const Chosen chosen = hits > 0 ? choose_returns({samples, hits}) : Chosen{};  // without hits the centre tells how far
  const std::size_t first = std::size_t{rays_.block.tiles.ray_of(i)} * job_.returns();
  for (std::size_t k = 0; k < job_.returns(); ++k) {
    store(i, first + k, echoes[chosen.lane[static_cast<std::size_t>(job_.settings.returns[k])]]);
  }
}

void DivergingRays::store(std::uint32_t i, std::size_t at, const Echo& echo) const {
  const TraceArrays& out = job_.out;
  if (out.xyz != nullptr) put(out.xyz, at, point_on_centre(i, echo.distance_m));
  if (out.distance_m != nullptr) out.distance_m[at] = echo.distance_m;
  if (out.is_hit != nullptr) out.is_hit[at] = echo.hit ? 1 : 0;
  if (out.id != nullptr) out.id[at] = echo.hit ? job_.instance(echo.instance).id : 0;
  if (out.laser_retro != nullptr) out.laser_retro[at] = echo.hit ? job_.instance(echo.instance).laser_retro : 0.0F;
  surface_.store(at, echo);
}

/// A return lies on the undistorted centre of its ray. Where the distance is infinite, so is each coordinate whose
/// direction is not 0.
Vec3 DivergingRays::point_on_centre(std::uint32_t i, float distance_m) const {
  const Vec3 o = origin_of(rays_.block.ray, i), d = direction_of(rays_.block.ray, i);
  const double scale = double{distance_m} / norm(d);
  const auto along = [scale](double part) {
    const double v = scale * part;
    return std::isnan(v) ? 0.0 : v;
  };
  return o + Vec3{along(d.x), along(d.y), along(d.z)};
}

}  // namespace fathom
