#include <fathom/points.hpp>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

constexpr std::size_t kPointsPerTask = 1024;

struct Job {
  const Noise& noise;
  const NoiseKey& key;
  const Affine& sensor_from_world;
  const Affine& world_from_sensor;
  const NoisyPoints& points;
  Isa isa;
};

/// One block of points through the model.
class PointBlock {
 public:
  PointBlock(const Job& job, std::size_t begin) : job_(job), begin_(begin) {
    count_ = static_cast<std::uint32_t>(std::min<std::size_t>(kBlockRays, job.points.xyz.size() / 3 - begin));
    b_.count = (count_ + 15) / 16 * 16;
    for (std::uint32_t q = 0; q < std::size(quads_); ++q) quads_[q] = static_cast<std::uint32_t>(begin / kQuadRays) + q;
    b_.quads = quads_;
  }

  void run() {
    load();
    if (!job_.noise.is_identity()) job_.noise.apply(job_.isa, job_.key, none_, b_, draws_);
    store();
  }

 private:
  void load() {
    const Affine& a = job_.sensor_from_world;
    const float* xyz = job_.points.xyz.data() + 3 * begin_;
    for (std::uint32_t i = 0; i < b_.count; ++i) {
      const std::uint32_t k = std::min(i, count_ - 1);
      const double x = xyz[3 * k], y = xyz[3 * k + 1], z = xyz[3 * k + 2];
      b_.x[i] = static_cast<float>(a.m[0][0] * x + a.m[0][1] * y + a.m[0][2] * z + a.m[0][3]);
      b_.y[i] = static_cast<float>(a.m[1][0] * x + a.m[1][1] * y + a.m[1][2] * z + a.m[1][3]);
      b_.z[i] = static_cast<float>(a.m[2][0] * x + a.m[2][1] * y + a.m[2][2] * z + a.m[2][3]);
    }
    for (std::uint32_t i = 0; i < b_.count; ++i) {
      b_.radius_m[i] = math::sqrt(b_.x[i] * b_.x[i] + b_.y[i] * b_.y[i] + b_.z[i] * b_.z[i]);
      b_.reason[i] = static_cast<std::uint32_t>(Reason::kHit);
    }
    for (std::uint32_t i = 0; i < b_.count; ++i) {
      const std::size_t k = begin_ + std::min(i, count_ - 1);
      b_.range_m[i] = job_.points.distance_m.empty() ? b_.radius_m[i] : job_.points.distance_m[k];
      if (!job_.points.is_hit.empty() && job_.points.is_hit[k] == 0) {
        b_.reason[i] = static_cast<std::uint32_t>(Reason::kMiss);
      }
    }
    std::copy_n(b_.x, b_.count, x_), std::copy_n(b_.y, b_.count, y_), std::copy_n(b_.z, b_.count, z_);
  }

  /// Adds what the model moved a point by, so that nothing is lost to the rounding of far-away coordinates.
  void store() {
    const Affine& a = job_.world_from_sensor;
    const float* xyz = job_.points.xyz.data() + 3 * begin_;
    float* out = job_.points.out_xyz + 3 * begin_;
    for (std::uint32_t i = 0; i < count_; ++i) {
      const double x = double{b_.x[i]} - x_[i], y = double{b_.y[i]} - y_[i], z = double{b_.z[i]} - z_[i];
      for (int r = 0; r < 3; ++r) {
        out[3 * i + r] = static_cast<float>(xyz[3 * i + r] + (a.m[r][0] * x + a.m[r][1] * y + a.m[r][2] * z));
      }
    }
    keep_misses(xyz, out);
    if (job_.points.out_distance_m == nullptr) return;
    float* distance = job_.points.out_distance_m + begin_;
    for (std::uint32_t i = 0; i < count_; ++i) {
      const bool kept = b_.reason[i] != static_cast<std::uint32_t>(Reason::kHit);
      distance[i] = job_.points.distance_from_origin && !kept ? std::abs(b_.radius_m[i]) : b_.range_m[i];
    }
  }

  void keep_misses(const float* xyz, float* out) {
    if (job_.points.is_hit.empty()) return;
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (b_.reason[i] != static_cast<std::uint32_t>(Reason::kHit)) std::copy_n(xyz + 3 * i, 3, out + 3 * i);
    }
  }

  const Job& job_;
  std::size_t begin_;
  std::uint32_t count_;
  std::uint32_t quads_[kBlockRays / kQuadRays + 8];
  ReturnBlock b_;
  float x_[kBlockRays], y_[kBlockRays], z_[kBlockRays];  // before the noise
  RayBlock none_;
  DrawBuffer draws_;
};

}  // namespace

void transform_points(const Affine& a, std::span<const float> in, float* out, Executor& executor) {
  executor.parallel_for(in.size() / 3, 4 * kPointsPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const double x = in[3 * i], y = in[3 * i + 1], z = in[3 * i + 2];
      for (int r = 0; r < 3; ++r) {
        out[3 * i + r] = static_cast<float>(a.m[r][0] * x + a.m[r][1] * y + a.m[r][2] * z + a.m[r][3]);
      }
    }
  });
}

void apply_noise(const Noise& noise, const NoiseKey& key, const Affine& sensor_from_world, const NoisyPoints& points,
                 Executor& executor, Isa isa) {
  const Affine world_from_sensor = inverse(sensor_from_world).value_or(Affine{});
  const Job job{noise, key, sensor_from_world, world_from_sensor, points, isa};
  const std::size_t blocks = (points.xyz.size() / 3 + kBlockRays - 1) / kBlockRays;
  executor.parallel_for(blocks, kPointsPerTask / kBlockRays, [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b) PointBlock(job, b * kBlockRays).run();
  });
}

}  // namespace fathom
