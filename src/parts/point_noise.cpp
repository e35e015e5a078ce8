// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include <fathom/parts/clouds.hpp>

#include "parts/point_lanes.hpp"

namespace fathom {

namespace {

struct Job {
  const Noise& noise;
  const NoiseKey& key;
  const SensorPlace& place;
  const NoisyPoints& points;
  const PointKernels& lanes;
  Isa isa;
};

/// One block of points through the model.
class PointBlock {
 public:
  PointBlock(const Job& job, std::size_t begin) : job_(job), begin_(begin) {
    count_ = static_cast<std::uint32_t>(std::min<std::size_t>(kBlockRays, job.points.xyz.size() / 3 - begin));
    b_.count = (count_ + 15) / 16 * 16;
    const auto quad = static_cast<std::uint32_t>((job.points.first + begin) / kQuadRays);
    for (std::uint32_t q = 0; q < std::size(quads_); ++q) quads_[q] = quad + q;
    b_.quads = quads_;
  }

  void run() {
    load();
    if (!job_.noise.is_identity()) job_.noise.apply(job_.isa, job_.key, none_, b_, draws_);
    store();
  }

 private:
  void load() {
    job_.lanes.load(job_.place, job_.points.xyz.data() + 3 * begin_, count_, before_, b_);
    const auto& distance = job_.points.distance_m;
    if (!distance.empty()) std::copy_n(distance.data() + begin_, count_, b_.range_m);
    for (std::uint32_t i = 0; i < count_ && !job_.points.is_hit.empty(); ++i) {
      if (job_.points.is_hit[begin_ + i] == 0) b_.reason[i] = static_cast<std::uint32_t>(Reason::kMiss);
    }
  }

  [[nodiscard]] bool is_kept(std::uint32_t i) const { return b_.reason[i] != static_cast<std::uint32_t>(Reason::kHit); }

  void store() {
    const float* xyz = job_.points.xyz.data() + 3 * begin_;
    float* out = job_.points.out_xyz + 3 * begin_;
    job_.lanes.store(job_.place, xyz, before_, b_, count_, out);
    for (std::uint32_t i = 0; i < count_ && !job_.points.is_hit.empty(); ++i) {
      if (is_kept(i)) std::copy_n(xyz + 3 * i, 3, out + 3 * i);
    }
    if (job_.points.out_distance_m == nullptr) return;
    store_distances(job_.points.out_distance_m + begin_);
  }

  void store_distances(float* distance) const {
    if (!job_.points.distance_from_origin) {
      std::copy_n(b_.range_m, count_, distance);
      return;
    }
    for (std::uint32_t i = 0; i < count_; ++i) distance[i] = std::abs(b_.radius_m[i]);
    if (job_.points.is_hit.empty()) return;
    for (std::uint32_t i = 0; i < count_; ++i) distance[i] = is_kept(i) ? b_.range_m[i] : distance[i];
  }

  const Job& job_;
  std::size_t begin_;
  std::uint32_t count_;
  std::uint32_t quads_[kBlockRays / kQuadRays + 8];
  ReturnBlock b_;
  PlaceLanes before_;
  RayBlock none_;
  DrawBuffer draws_;
};

}  // namespace

void transform_points(const Affine& a, std::span<const float> in, float* out) {
  for (std::size_t i = 0; i < in.size() / 3; ++i) {
    const double x = in[3 * i], y = in[3 * i + 1], z = in[3 * i + 2];
    for (int r = 0; r < 3; ++r) {
      out[3 * i + r] = static_cast<float>(a.m[r][0] * x + a.m[r][1] * y + a.m[r][2] * z + a.m[r][3]);
    }
  }
}

void apply_noise(const Noise& noise, const NoiseKey& key, const Affine& sensor_from_world, const NoisyPoints& points,
                 Isa isa) {
  const SensorPlace place = {sensor_from_world, inverse(sensor_from_world).value_or(Affine{})};
  const Job job{noise, key, place, points, point_kernels(isa), isa};
  for (std::size_t begin = 0; begin < points.xyz.size() / 3; begin += kBlockRays) PointBlock(job, begin).run();
}

}  // namespace fathom
