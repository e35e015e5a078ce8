// SPDX-License-Identifier: MIT
#pragma once
// Returns whose clean side is known, drawn by the kernels of the models.

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fathom/fit/chain.hpp>

#include "fit/chain/turned_rays.hpp"
#include "sensor/noise/blocks.hpp"

namespace fathom::test {

/// By what angles a model turned a point; NaN: it was lost.
inline void add_hit(const Return& clean, const Return& hit, bool is_hit, ChainReturns::HitTurns& turns) {
  const auto unit = [](const Return& r) {
    const Vec3 at = {double{r.x}, double{r.y}, double{r.z}};
    const double away = norm(at);
    return Vec3{at.x / away, at.y / away, at.z / away};
  };
  const auto angles = is_hit ? hit_angles(unit(clean), unit(hit), turns.axes) : std::nullopt;
  turns.first_rad.push_back(angles ? static_cast<float>(angles->first_rad) : NAN);
  if (turns.axes.size() == 2) turns.second_rad.push_back(angles ? static_cast<float>(angles->second_rad) : NAN);
}

/// Returns of a camera 0.5 to 6 m in front of surfaces, at all angles, after the chain. `per_frame`: a multiple of 16.
/// The angles hang on the numbers of the quads only: others have others.
inline ChainReturns simulate_returns(const NoiseChain& chain, std::uint32_t frames, std::uint32_t per_frame,
                                     std::uint64_t seed, std::uint32_t first_quad = 0) {
  ChainReturns out;
  out.optics = {500.0F, 320.0F, 0.1F};  // as in fill_surface()
  out.max_range_m = 120.0;              // as in apply_block()
  out.hits.axes = hit_axes(chain);
  SurfaceBlock surface;
  for (std::uint32_t frame = 0; frame < frames; ++frame) {
    Lanes lanes = make_equal_lanes(per_frame, 1, 0, 0);
    for (std::uint32_t i = 0; i < per_frame; ++i) {
      const PhiloxBlock words = keyed_block({.seed = seed + 9}, frame * per_frame + i, 0);
      const auto unit = [&](int k) { return uniform_from_word(words.word[k]); };
      const float x = 0.5F + 5.5F * unit(0), y = x * (unit(1) - 0.5F), z = x * (unit(2) - 0.5F);
      const float range = std::sqrt(x * x + y * y + z * z);
      lanes.returns[i] = {x, y, z, range, range};
      if (i % 4 == 0) lanes.quads[i / 4] = first_quad + (frame * per_frame + i) / 4;
    }
    const Lanes clean = lanes;
    for (std::uint32_t k = 0; k < chain.size(); ++k) apply(chain[k].noise, detect_isa(), {seed, frame, k}, lanes);
    for (std::uint32_t i = 0; i < per_frame; ++i) {
      if (i % 4 == 0) fill_surface(&clean.quads[i / 4], 4, surface);
      const Surface s = surface_of_lane(surface, i % 4, out.optics);
      const bool is_hit = lanes.reasons[i] == static_cast<std::uint32_t>(Reason::kHit);
      out.range_m.push_back(is_hit ? lanes.returns[i].range_m : NAN);
      if (out.hits.is_known()) add_hit(clean.returns[i], lanes.returns[i], is_hit, out.hits);
      out.clean_range_m.push_back(clean.returns[i].range_m);
      out.clean_x_m.push_back(clean.returns[i].x), out.clean_y_m.push_back(clean.returns[i].y);
      out.incidence_rad.push_back(std::acos(s.cos_emitter));
      out.energy.push_back(return_energy(EnergyAngle::kCosine, s));
      out.edge_rad.push_back(s.edge_rad), out.jump.push_back(s.jump), out.jump_rad.push_back(s.jump_rad);
      out.frame.push_back(frame);
    }
  }
  return out;
}

inline double value_of(const NoiseChain& chain, const ChainParameter& p) {
  return chain[p.entry].noise.number(p.field);
}

inline std::vector<ChainParameter> parameters_of(const NoiseChain& chain, const std::vector<std::string>& patterns) {
  std::vector<ChainParameter> free;
  for (const std::string& pattern : patterns) {
    for (const ChainParameter& p : chain_parameters(chain, pattern)) free.push_back(p);
  }
  return free;
}

/// The chain with every free parameter at `factor` of its value.
inline NoiseChain with_wrong_values(NoiseChain chain, const std::vector<ChainParameter>& free, double factor) {
  for (const ChainParameter& p : free) {
    Noise& noise = chain[p.entry].noise;
    const double wrong = factor * value_of(chain, p);
    noise = noise.with({{{p.field, wrong}}}, true);
  }
  return chain;
}

}  // namespace fathom::test
