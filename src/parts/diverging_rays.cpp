// SPDX-License-Identifier: MIT
#include "parts/diverging_rays.hpp"

#include <cmath>

#include "parts/returns.hpp"

namespace fathom {

void DivergingBeams::load_samples(std::uint32_t i, std::uint32_t lane, const Affine& world_from_beam) {
  for (const SampleDirection& s : job_.samples) {
    put(samples_, lane, origin_of(beams_.centre, i), transform_vector(world_from_beam, {s.x, s.y, s.z}));
    far_[lane] = beams_.max_m[i], active_[lane] = beams_.active[i];
    ++lane;
  }
}

void DivergingBeams::cast_samples(std::uint32_t count) {
  job_.caster.cast({samples_.ox, samples_.oy, samples_.oz, samples_.dx, samples_.dy, samples_.dz, far_, active_, count},
                   hits_);
}

void DivergingBeams::reduce(std::uint32_t i, std::uint32_t first_lane) const {
  Echo echoes[kBeamSamples];
  Sample samples[kBeamSamples];
  std::uint32_t hits = 0;
  for (std::uint32_t s = 0; s < kBeamSamples; ++s) {
    echoes[s] = echo_of(job_.settings, samples_, hits_, first_lane + s, beams_.min_m[i]);
    if (echoes[s].hit) samples[hits++] = {echoes[s].distance_m, surface_.intensity_of(echoes[s]), s};
  }
  const Chosen chosen = hits > 0 ? choose_returns({samples, hits}) : Chosen{};  // without hits the centre tells how far
  const std::size_t first = std::size_t{beams_.block.beams.beam_of(i)} * job_.returns();
  for (std::size_t k = 0; k < job_.returns(); ++k) {
    store(i, first + k, echoes[chosen.lane[static_cast<std::size_t>(job_.settings.returns[k])]]);
  }
}

void DivergingBeams::store(std::uint32_t i, std::size_t at, const Echo& echo) const {
  const TraceArrays& out = job_.out;
  if (out.xyz != nullptr) put(out.xyz, at, point_on_centre(i, echo.distance_m));
  if (out.distance_m != nullptr) out.distance_m[at] = echo.distance_m;
  if (out.is_hit != nullptr) out.is_hit[at] = echo.hit ? 1 : 0;
  if (out.id != nullptr) out.id[at] = echo.hit ? job_.instance(echo.instance).id : 0;
  if (out.laser_retro != nullptr) out.laser_retro[at] = echo.hit ? job_.instance(echo.instance).laser_retro : 0.0F;
  surface_.store(at, echo);
}

/// Returns lie on the centre of the beam as the sensor believes it to be. Where a distance is infinite, so are the
/// coordinates in which the beam goes anywhere.
Vec3 DivergingBeams::point_on_centre(std::uint32_t i, float distance_m) const {
  const Vec3 o = origin_of(beams_.block.ray, i), d = direction_of(beams_.block.ray, i);
  const double scale = double{distance_m} / norm(d);
  const auto along = [scale](double part) {
    const double v = scale * part;
    return std::isnan(v) ? 0.0 : v;
  };
  return o + Vec3{along(d.x), along(d.y), along(d.z)};
}

}  // namespace fathom
