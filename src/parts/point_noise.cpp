// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include <fathom/parts/clouds.hpp>

#include "parts/point_lanes.hpp"

namespace fathom {

namespace {

struct Job {
  std::span<const PointNoise> models;
  const SensorPlace& place;
  const NoisyPoints& points;
  const PointKernels& lanes;
  Isa isa;
};

/// Points between two models: they stay in the first-level cache.
struct Between {
  float xyz[3 * kBlockRays], distance_m[kBlockRays];
};

/// Points of a block before or after a model; distances may be null.
struct From {
  const float *xyz, *distance_m;
};
struct To {
  float *xyz, *distance_m;
};

/// One block of points through the models.
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
    const NoisyPoints& p = job_.points;
    From from = {p.xyz.data() + 3 * begin_, p.distance_m.empty() ? nullptr : p.distance_m.data() + begin_};
    const To last = {p.out_xyz + 3 * begin_, p.out_distance_m == nullptr ? nullptr : p.out_distance_m + begin_};
    for (std::size_t i = 0; i < job_.models.size(); ++i) {
      Between& next = between_[i % 2];
      const bool is_last = i + 1 == job_.models.size();
      const To to = is_last ? last : To{next.xyz, last.distance_m == nullptr ? nullptr : next.distance_m};
      apply(job_.models[i], from, to);
      from = {to.xyz, from.distance_m == nullptr ? nullptr : to.distance_m};
    }
  }

 private:
  void apply(const PointNoise& model, const From& from, const To& to) {
    load(from);
    if (!model.noise->is_identity()) model.noise->apply(job_.isa, model.key, none_, b_, draws_);
    job_.lanes.store(job_.place, from.xyz, before_, b_, count_, to.xyz);
    for (std::uint32_t i = 0; i < count_ && !job_.points.is_hit.empty(); ++i) {
      if (is_kept(i)) std::copy_n(from.xyz + 3 * i, 3, to.xyz + 3 * i);
    }
    if (to.distance_m != nullptr) store_distances(model.distance_from_origin, to.distance_m);
  }

  void load(const From& from) {
    job_.lanes.load(job_.place, from.xyz, count_, before_, b_);
    if (from.distance_m != nullptr) std::copy_n(from.distance_m, count_, b_.range_m);
    for (std::uint32_t i = 0; i < count_ && !job_.points.is_hit.empty(); ++i) {
      if (job_.points.is_hit[begin_ + i] == 0) b_.reason[i] = static_cast<std::uint32_t>(Reason::kMiss);
    }
  }

  [[nodiscard]] bool is_kept(std::uint32_t i) const { return b_.reason[i] != static_cast<std::uint32_t>(Reason::kHit); }

  void store_distances(bool from_origin, float* distance) const {
    if (!from_origin) {
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
  Between between_[2];
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

void apply_noise(std::span<const PointNoise> models, const Affine& sensor_from_world, const NoisyPoints& points,
                 Isa isa) {
  const SensorPlace place = {sensor_from_world, inverse(sensor_from_world).value_or(Affine{})};
  const Job job{models, place, points, point_kernels(isa), isa};
  for (std::size_t begin = 0; begin < points.xyz.size() / 3; begin += kBlockRays) PointBlock(job, begin).run();
}

}  // namespace fathom
