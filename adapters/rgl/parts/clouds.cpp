// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <unordered_map>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/f64.hpp>

#include "parts/clouds.hpp"
#include "parts/lanes.hpp"

namespace fathom {

namespace {

struct Job {
  std::span<const PointNoise> models;
  const SensorPlace& place;
  const NoisyPoints& points;
  const PointKernels& lanes;
  Isa isa;
};

/// Points between two models. They stay in the first-level cache.
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

/// Applies the models to a block of points.
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
    if (job_.points.light != nullptr) load_light(*job_.points.light);
    if (!model.noise->is_identity()) model.noise->apply(job_.isa, model.key, none_, b_, draws_);
    job_.lanes.store(job_.place, from.xyz, before_, b_, count_, to.xyz);
    const bool keeps = !job_.points.is_hit.empty() || job_.points.light != nullptr;
    for (std::uint32_t i = 0; i < count_ && keeps; ++i) {
      if (is_kept(i)) std::copy_n(from.xyz + 3 * i, 3, to.xyz + 3 * i);
    }
    if (to.distance_m != nullptr) store_distances(model.distance_from_origin, to.distance_m);
    if (job_.points.light != nullptr) store_light(*job_.points.light);
  }

  /// Intensity of a white surface at this range.
  [[nodiscard]] float full_at(const PointLight& light, float range_m) const {
    return light.falls_off ? light.full / (range_m * range_m) : light.full;
  }

  void load_light(const PointLight& light) {
    none_.from_sensor_origin = true;
    b_.min_range_m = &light.min_range_m, b_.max_range_m = &light.max_range_m;
    for (std::uint32_t i = 0; i < b_.count; ++i) {
      const bool is_hit = i < count_ && b_.radius_m[i] > 0.0F && b_.radius_m[i] < math::kInfinity &&
                          b_.range_m[i] > 0.0F && b_.range_m[i] < math::kInfinity && !is_kept(i);
      if (!is_hit) b_.reason[i] = static_cast<std::uint32_t>(Reason::kDropout);  // snow does not change it
      const float scale = is_hit ? 1.0F / b_.radius_m[i] : 0.0F;
      none_.dx[i] = scale * b_.x[i], none_.dy[i] = scale * b_.y[i], none_.dz[i] = scale * b_.z[i];
      b_.intensity[i] = is_hit ? light.intensity[begin_ + i] / full_at(light, b_.range_m[i]) : 0.0F;
      b_.from_medium[i] = 0;
    }
  }

  void store_light(const PointLight& light) const {
    for (std::uint32_t i = 0; i < count_; ++i) {
      const bool is_changed = !is_kept(i) && (b_.from_medium[i] != 0 || light.is_dimmed);
      const std::size_t at = begin_ + i;
      light.out_intensity[at] = is_changed ? b_.intensity[i] * full_at(light, b_.range_m[i]) : light.intensity[at];
      light.from_medium[at] = static_cast<std::uint8_t>(b_.from_medium[i]);
    }
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

template <std::size_t Size>
void copy_fixed(const std::byte* in, std::span<const std::uint32_t> indices, std::byte* out) {
  for (std::size_t i = 0; i < indices.size(); ++i) std::memcpy(out + i * Size, in + indices[i] * Size, Size);
}

template <std::size_t Count>
bool all_nonzero(const std::int32_t* values) {
  std::int32_t zeros = 0;
  for (std::size_t k = 0; k < Count; ++k) zeros |= values[k] == 0 ? 1 : 0;
  return zeros == 0;
}

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

std::size_t find_nonzero(std::span<const std::int32_t> values, std::uint32_t first, std::uint32_t* indices) {
  constexpr std::size_t kGroup = 16;
  std::size_t found = 0;
  for (std::size_t begin = 0; begin < values.size(); begin += kGroup) {
    const std::size_t end = std::min(values.size(), begin + kGroup);
    const std::uint32_t number = first + static_cast<std::uint32_t>(begin);
    if (end - begin == kGroup && all_nonzero<kGroup>(values.data() + begin)) {
      for (std::uint32_t k = 0; k < kGroup; ++k) indices[found + k] = number + k;
      found += kGroup;
      continue;
    }
    for (std::size_t i = begin; i < end; ++i) {
      indices[found] = first + static_cast<std::uint32_t>(i);  // written for each point: no branch to predict
      found += values[i] != 0 ? 1 : 0;
    }
  }
  return found;
}

void copy_points(const std::byte* in, std::size_t size, std::span<const std::uint32_t> indices, std::byte* out) {
  if (size == 12) return copy_fixed<12>(in, indices, out);
  if (size == 4) return copy_fixed<4>(in, indices, out);
  for (std::size_t i = 0; i < indices.size(); ++i) std::memcpy(out + i * size, in + indices[i] * size, size);
}

namespace {

constexpr std::size_t kWord = 4;
/// Words copied in one pass over the points: one pass for each property took twice as long.
constexpr std::size_t kMaxWords = 8;
/// Points packed at a time, to stay in the cache from pass to pass.
constexpr std::size_t kPerPart = 512;

/// A property of four bytes, or four bytes of one.
struct Word {
  const std::byte* data;
  std::size_t stride;
};

/// The points [begin, end) to pack.
struct Part {
  std::size_t begin, end, step;
  std::byte* out;
};

/// Copies words side by side to `offset` in each point. Their number is a constant, so they stay in registers.
template <std::size_t Count>
void pack_words(const Word* of, const std::uint32_t* indices, std::size_t offset, const Part& part) {
  std::array<Word, Count> words;
  std::copy_n(of, Count, words.begin());
  std::byte* to = part.out + part.begin * part.step + offset;
  for (std::size_t i = part.begin; i < part.end; ++i, to += part.step) {
    const std::size_t from = indices != nullptr ? indices[i] : i;
    for (std::size_t k = 0; k < Count; ++k) std::memcpy(to + k * kWord, words[k].data + from * words[k].stride, kWord);
  }
}

using PackWords = void (*)(const Word*, const std::uint32_t*, std::size_t, const Part&);
constexpr std::array<PackWords, kMaxWords> kPackWords = {pack_words<1>, pack_words<2>, pack_words<3>, pack_words<4>,
                                                         pack_words<5>, pack_words<6>, pack_words<7>, pack_words<8>};

/// Collects the words of the next pass.
class WordPass {
 public:
  explicit WordPass(const Part& part) : part_(part) {}

  void add(const PackedProperty& p) {
    if (p.indices != indices_ || p.offset != offset_ + count_ * kWord) run();
    indices_ = p.indices;
    for (std::size_t at = 0; at < p.size; at += kWord) {
      if (count_ == 0) offset_ = p.offset + at;
      words_[count_++] = {p.data + at, p.size};
      if (count_ == kMaxWords) run();
    }
  }
  void run() {
    if (count_ > 0) kPackWords[count_ - 1](words_.data(), indices_, offset_, part_);
    count_ = 0;
  }

 private:
  const Part& part_;
  std::array<Word, kMaxWords> words_;
  std::size_t count_ = 0, offset_ = 0;
  const std::uint32_t* indices_ = nullptr;
};

/// A property whose size is no multiple of four bytes.
void pack_bytes(const PackedProperty& p, const Part& part) {
  for (std::size_t i = part.begin; i < part.end; ++i) {
    const std::size_t from = p.indices != nullptr ? p.indices[i] : i;
    std::memcpy(part.out + i * part.step + p.offset, p.data + from * p.size, p.size);
  }
}

}  // namespace

void pack_points(std::span<const PackedProperty> properties, std::size_t begin, std::size_t end, std::size_t step,
                 std::byte* out) {
  for (std::size_t first = begin; first < end; first += kPerPart) {
    const Part part = {first, std::min(end, first + kPerPart), step, out};
    WordPass words(part);
    for (const PackedProperty& p : properties) {
      if (p.size % kWord == 0) {
        words.add(p);
      } else {
        pack_bytes(p, part);
      }
    }
    words.run();
  }
}

void find_slopes(std::span<const float> normal_xyz, const Vec3& up, double threshold_rad, std::int32_t* out) {
  for (std::size_t i = 0; i < normal_xyz.size() / 3; ++i) {
    const float* n = normal_xyz.data() + 3 * i;
    const double cosine = std::abs(dot({n[0], n[1], n[2]}, up));
    // A cosine above 1 is a rounded 1: the vector is parallel to `up`. NaN is no slope.
    out[i] = math::acos(std::min(cosine, 1.0)) > threshold_rad ? 1 : 0;
  }
}

namespace {

struct Cell {
  std::int64_t x, y, z;
  friend bool operator==(const Cell&, const Cell&) = default;
};
struct CellHash {
  std::size_t operator()(const Cell& c) const {
    return static_cast<std::size_t>(c.x) * 73856093U ^ static_cast<std::size_t>(c.y) * 19349663U ^
           static_cast<std::size_t>(c.z) * 83492791U;
  }
};
struct Sum {
  Vec3 total;
  std::size_t count = 0;
};

std::int64_t cell_along(double v, double leaf) {
  const double cell = std::floor(v / leaf);
  if (!(std::abs(cell) < 0x1p31))
    throw InputError(fmt::format("a coordinate of {} m is more than 2^31 leaves of {} m", v, leaf));
  return static_cast<std::int64_t>(cell);
}

constexpr std::uint32_t kNowhere = 0xffffffffU;

}  // namespace

VoxelGrid downsample(std::span<const float> xyz, const Vec3& leaf_m) {
  for (const double leaf : {leaf_m.x, leaf_m.y, leaf_m.z}) {
    if (!(leaf > 0.0 && std::isfinite(leaf))) throw InputError(fmt::format("leaf = {} is not in (0, inf) m", leaf));
  }
  const std::size_t count = xyz.size() / 3;
  const auto point = [&](std::size_t i) { return Vec3{xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]}; };
  std::unordered_map<Cell, std::uint32_t, CellHash> cells;
  std::vector<Sum> sums;
  std::vector<std::uint32_t> cell_of(count, kNowhere);
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3 p = point(i);
    if (!(std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z))) continue;
    const Cell cell = {cell_along(p.x, leaf_m.x), cell_along(p.y, leaf_m.y), cell_along(p.z, leaf_m.z)};
    cell_of[i] = cells.try_emplace(cell, static_cast<std::uint32_t>(sums.size())).first->second;
    if (cell_of[i] == sums.size()) sums.push_back({});
    Sum& sum = sums[cell_of[i]];
    sum.total = sum.total + p;
    ++sum.count;
  }
  VoxelGrid grid;
  grid.nearest.resize(sums.size());
  std::vector<double> best(sums.size(), std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t c = cell_of[i];
    if (c == kNowhere) continue;
    const double distance = norm(point(i) - (1.0 / static_cast<double>(sums[c].count)) * sums[c].total);
    if (distance < best[c]) best[c] = distance, grid.nearest[c] = static_cast<std::uint32_t>(i);
  }
  for (const Sum& sum : sums) {
    const Vec3 mean = (1.0 / static_cast<double>(sum.count)) * sum.total;
    for (const double v : {mean.x, mean.y, mean.z}) grid.xyz.push_back(static_cast<float>(v));
  }
  return grid;
}

}  // namespace fathom
