// SPDX-License-Identifier: MIT
#pragma once
// Rays and returns of any number for the tests of models, put through the block kernels the way a renderer does.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include <fathom/noise/detail/drive.hpp>
#include <fathom/noise/noise.hpp>

namespace fathom::test {

/// Lanes of a whole sensor; lane i belongs to quads[i / 4].
struct Lanes {
  std::vector<Ray> rays;               // [lanes]
  std::vector<Return> returns;         // [lanes]
  std::vector<std::uint32_t> reasons;  // [lanes]
  std::vector<std::uint32_t> quads;    // [lanes / 4]
  bool from_sensor_origin = false;

  [[nodiscard]] std::size_t size() const { return rays.size(); }
};

/// `count` lanes (a multiple of 16) of hits from 0.1 m to 100 m in all directions, ray origins up to 0.3 m off.
inline Lanes make_lanes(std::size_t count, std::uint32_t seed = 1) {
  std::mt19937 random(seed);
  // Not std::uniform_real_distribution: its numbers differ between standard libraries.
  const auto real = [&](float low, float high) {
    return low + (high - low) * static_cast<float>(random() >> 8U) * 0x1p-24F;
  };
  Lanes lanes;
  for (std::size_t i = 0; i < count; ++i) {
    float d[3], length = 0;
    do {
      for (float& c : d) c = real(-1, 1);
      length = std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    } while (length < 0.1F || length > 1.0F);
    const Ray ray = {real(-0.3F, 0.3F), real(-0.3F, 0.3F), real(-0.3F, 0.3F),
                     d[0] / length,     d[1] / length,     d[2] / length};
    const float range = 0.1F * std::pow(10.0F, real(0, 3));
    const float x = ray.ox + range * ray.dx, y = ray.oy + range * ray.dy, z = ray.oz + range * ray.dz;
    lanes.rays.push_back(ray);
    lanes.returns.push_back({x, y, z, range, std::sqrt(x * x + y * y + z * z)});
    lanes.reasons.push_back(static_cast<std::uint32_t>(Reason::kHit));
    if (i % 4 == 0) lanes.quads.push_back(static_cast<std::uint32_t>(i / 4));
  }
  return lanes;
}

/// All lanes hit (x, y, z) along a ray from the sensor origin.
inline Lanes make_equal_lanes(std::size_t count, float x, float y, float z) {
  const float range = std::sqrt(x * x + y * y + z * z);
  Lanes lanes;
  lanes.rays.assign(count, {0, 0, 0, x / range, y / range, z / range});
  lanes.returns.assign(count, {x, y, z, range, range});
  lanes.reasons.assign(count, static_cast<std::uint32_t>(Reason::kHit));
  lanes.quads.resize(count / 4);
  std::iota(lanes.quads.begin(), lanes.quads.end(), 0U);
  lanes.from_sensor_origin = true;
  return lanes;
}

/// The blocks are too large for a stack under a sanitizer.
struct Workspace {
  RayBlock rays{};
  ReturnBlock returns{};
  DrawBuffer draws{};
  SurfaceBlock surface{};
};

/// Something for every lane, a function of the ray alone: the surface goes where its return goes.
inline void fill_surface(const std::uint32_t* quads, std::uint32_t count, SurfaceBlock& s) {
  s.optics = {500.0F, 320.0F, 0.1F};
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t lane = quads[i / 4] * 4 + i % 4;
    const PhiloxBlock first = keyed_block({.seed = 5}, lane, 0), second = keyed_block({.seed = 5}, lane, 1);
    const auto unit = uniform_from_word;
    s.cos_emitter[i] = unit(first.word[0]);
    s.cos_left[i] = 2 * unit(first.word[1]) - 1;
    s.cos_right[i] = unit(first.word[2]);
    s.left_to_emitter[i] = unit(first.word[3]);
    s.right_to_emitter[i] = unit(second.word[0]);
    s.edge_rad[i] = 3 * unit(second.word[1]);
    s.hidden[i] = second.word[2] % 4;
    s.jump_rad[i] = 3 * unit(second.word[3]);
    s.jump[i] = 1.5F * unit(keyed_block({.seed = 5}, lane, 2).word[0]) - 0.5F;
    s.energy_gain[i] = 1.0F;
    s.power[i] = 1.0F - unit(keyed_block({.seed = 5}, lane, 2).word[1]);
  }
}

/// Applies the model to lanes [begin, begin + count), at most kBlockRays of them.
inline void apply_block(const Noise& noise, Isa isa, const NoiseKey& key, Lanes& lanes, std::size_t begin,
                        std::uint32_t count, Workspace& w) {
  // Readable up to the next multiple of 8, as the blocks demand.
  std::vector<std::uint32_t> quads((count / 4 + 7) / 8 * 8, 0);
  std::copy_n(lanes.quads.begin() + static_cast<std::ptrdiff_t>(begin / 4), count / 4, quads.begin());
  w.rays.quads = w.returns.quads = quads.data();
  w.rays.count = w.returns.count = count;
  w.rays.from_sensor_origin = lanes.from_sensor_origin;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Ray& a = lanes.rays[begin + i];
    w.rays.ox[i] = a.ox, w.rays.oy[i] = a.oy, w.rays.oz[i] = a.oz;
    w.rays.dx[i] = a.dx, w.rays.dy[i] = a.dy, w.rays.dz[i] = a.dz;
    const Return& b = lanes.returns[begin + i];
    w.returns.x[i] = b.x, w.returns.y[i] = b.y, w.returns.z[i] = b.z;
    w.returns.range_m[i] = b.range_m, w.returns.radius_m[i] = b.radius_m;
    w.returns.reason[i] = lanes.reasons[begin + i];
  }
  fill_surface(quads.data(), count, w.surface);
  std::copy_n(w.surface.cos_emitter, count, w.returns.intensity);
  std::fill_n(w.returns.from_medium, count, 0U);
  w.returns.surface = &w.surface;
  static constexpr float kMaxRange = 120.0F;
  w.returns.max_range_m = &kMaxRange;
  w.returns.least_power = 1e-4F;
  noise.apply(isa, key, w.rays, w.returns, w.draws);
  for (std::uint32_t i = 0; i < count; ++i) {
    lanes.rays[begin + i] = {w.rays.ox[i], w.rays.oy[i], w.rays.oz[i], w.rays.dx[i], w.rays.dy[i], w.rays.dz[i]};
    lanes.returns[begin + i] = {w.returns.x[i], w.returns.y[i], w.returns.z[i], w.returns.range_m[i],
                                w.returns.radius_m[i]};
    lanes.reasons[begin + i] = w.returns.reason[i];
  }
}

/// Applies the model to all lanes, in blocks of `block` lanes (a multiple of 16).
inline void apply(const Noise& noise, Isa isa, const NoiseKey& key, Lanes& lanes, std::uint32_t block = kBlockRays) {
  const auto workspace = std::make_unique<Workspace>();
  for (std::size_t begin = 0; begin < lanes.size(); begin += block) {
    const auto count = static_cast<std::uint32_t>(std::min<std::size_t>(block, lanes.size() - begin));
    apply_block(noise, isa, key, lanes, begin, count, *workspace);
  }
}

/// Every bit of a lane: rays, return, reason.
inline std::array<std::uint32_t, 12> bits_of_lane(const Lanes& lanes, std::size_t i) {
  const Ray& a = lanes.rays[i];
  const Return& b = lanes.returns[i];
  std::array<std::uint32_t, 12> bits{};
  std::size_t k = 0;
  for (const float v : {a.ox, a.oy, a.oz, a.dx, a.dy, a.dz, b.x, b.y, b.z, b.range_m, b.radius_m}) {
    bits[k++] = math::bits_of(v);
  }
  bits[k] = lanes.reasons[i];
  return bits;
}

}  // namespace fathom::test
