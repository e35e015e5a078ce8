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
  RayEnd ends[kDivergingSamples];
  Echoes echoes;
  for (std::uint32_t s = 0; s < kDivergingSamples; ++s) {
    ends[s] = ray_end(job_.settings, samples_, hits_, first_lane + s, rays_.min_m[i]);
    if (ends[s].hit) add_echo(echoes, ends[s].distance_m, surface_.intensity_of(ends[s]), s);
  }
  std::uint32_t chosen[kMostReturns];
  choose_by_robotec(echoes, chosen);
  const std::size_t first = std::size_t{rays_.block.tiles.ray_of(i)} * job_.returns();
  for (std::size_t k = 0; k < job_.returns(); ++k) {
    const std::uint32_t echo = chosen[static_cast<std::size_t>(job_.settings.returns[k])];
    store(i, first + k, ends[return_of(echoes, echo).sample]);  // without an echo the centre tells how far
  }
}

void DivergingRays::store(std::uint32_t i, std::size_t at, const RayEnd& end) const {
  const TraceArrays& out = job_.out;
  if (out.xyz != nullptr) put(out.xyz, at, point_on_centre(i, end.distance_m));
  if (out.distance_m != nullptr) out.distance_m[at] = end.distance_m;
  if (out.is_hit != nullptr) out.is_hit[at] = end.hit ? 1 : 0;
  if (out.id != nullptr) out.id[at] = end.hit ? job_.instance(end.instance).id : 0;
  if (out.laser_retro != nullptr) out.laser_retro[at] = end.hit ? job_.instance(end.instance).laser_retro : 0.0F;
  surface_.store(at, end);
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
