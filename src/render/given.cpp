// SPDX-License-Identifier: MIT
#include "render/given.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

#include "render/frame_parts.hpp"
#include "render/render.hpp"

namespace fathom {

namespace {

constexpr std::size_t kRowsAtOnce = 8;

/// A unit normal may be as far from length 1 as half precision rounds it.
constexpr float kLeastSquare = 0.99F, kMostSquare = 1.01F;

// --- ranges along rays

Ray ray_of(const RayPattern& rays, std::size_t i) {
  const bool own = !rays.origin_x.empty();
  return {own ? rays.origin_x[i] : 0.0F, own ? rays.origin_y[i] : 0.0F, own ? rays.origin_z[i] : 0.0F,
          rays.direction_x[i],           rays.direction_y[i],           rays.direction_z[i]};
}

bool is_met(float value, float far_m) { return value > 0.0F && value < far_m; }

/// +inf: met nothing.
void find_ranges(const GivenFrame& given, const GivenNeeds& needs, std::size_t begin, std::size_t end, float* out) {
  const float far = single_far(needs.far_m);
  const float* const depth = given.range_m.empty() ? given.depth_m.data() : nullptr;
  for (std::size_t i = begin; i < end; ++i) {
    const float value = depth != nullptr ? depth[i] : given.range_m[i];
    const Ray ray = ray_of(needs.rays, i);
    const float range = depth != nullptr ? (value - ray.ox) / ray.dx : value;
    out[i] = math::select(is_met(value, far), range, math::kInfinity);
  }
}

// --- normals from ranges

/// Finds normals from the neighbours of a pixel, in rows whose ends may be neighbours.
class NormalFinder {
 public:
  NormalFinder(const GivenNeeds& needs, const GivenSurfaces& image, const float* inverse_m)
      : rays_(needs.rays),
        range_m_(image.range_m),
        inverse_m_(inverse_m),
        entity_(image.entity),
        closes_(needs.view.closes),
        unordered_(needs.view.seen_by_angle) {}

  /// Of pixel i in this row and column, towards the sensor; without neighbours on its surface it faces the sensor.
  [[nodiscard]] Triple find(std::uint32_t row, std::uint32_t col, std::size_t i) const {
    const Triple d = {rays_.direction_x[i], rays_.direction_y[i], rays_.direction_z[i]};
    if (!(inverse_m_[i] > 0.0F)) return {kNoNumber, kNoNumber, kNoNumber};
    if (unordered_) return {-d.x, -d.y, -d.z};
    const Side beside = straighter(across(row, col, i, -1), across(row, col, i, 1));
    const Triple p = point(i);
    if (beside.bend > kMostBend) return {-d.x, -d.y, -d.z};
    if (rays_.rows == 1) return towards(d, cross(minus(point(beside.next), p), {0.0F, 0.0F, 1.0F}));
    const Side below = straighter(down(row, i, -1), down(row, i, 1));
    if (below.bend > kMostBend) return {-d.x, -d.y, -d.z};
    return towards(d, cross(minus(point(beside.next), p), minus(point(below.next), p)));
  }

 private:
  /// The neighbour on one side, and how much the surface bends there: the second difference of the inverse depth, as a
  /// share of it. On a plane, the inverse depth of a camera is linear in the pixel.
  struct Side {
    std::size_t next = 0;
    float bend = math::kInfinity;
  };
  /// An edge of a surface bends by more.
  static constexpr float kMostBend = 0.03F;

  [[nodiscard]] static Side straighter(const Side& a, const Side& b) { return b.bend < a.bend ? b : a; }

  /// Whether the image has the pixel at this distance in a row or column of `count`.
  [[nodiscard]] static bool has(std::uint32_t at, int step, std::uint32_t count) {
    const std::int64_t there = std::int64_t{at} + step;
    return there >= 0 && there < std::int64_t{count};
  }
  [[nodiscard]] std::size_t place(std::uint32_t row, std::uint32_t col) const {
    return std::size_t{row} * rays_.cols + col;
  }
  [[nodiscard]] bool is_same(std::size_t i, std::size_t j) const {
    return inverse_m_[j] > 0.0F && (entity_ == nullptr || entity_[i] == entity_[j]);
  }

  [[nodiscard]] Side across(std::uint32_t row, std::uint32_t col, std::size_t i, int step) const {
    const auto turned_col = [&](int k) {
      return static_cast<std::uint32_t>((std::int64_t{col} + k + rays_.cols) % rays_.cols);
    };
    if (!closes_ && !has(col, step, rays_.cols)) return {};
    const std::size_t next = place(row, turned_col(step));
    if (!closes_ && !has(col, 2 * step, rays_.cols)) return side(i, next, next);
    return side(i, next, place(row, turned_col(2 * step)));
  }
  [[nodiscard]] Side down(std::uint32_t row, std::size_t i, int step) const {
    if (!has(row, step, rays_.rows)) return {};
    const std::ptrdiff_t stride = step * static_cast<std::ptrdiff_t>(rays_.cols);
    const auto next = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(i) + stride);
    if (!has(row, 2 * step, rays_.rows)) return side(i, next, next);
    return side(i, next, static_cast<std::size_t>(static_cast<std::ptrdiff_t>(next) + stride));
  }
  /// `second` is `next` at the end of the image.
  [[nodiscard]] Side side(std::size_t i, std::size_t next, std::size_t second) const {
    if (!is_same(i, next)) return {};
    const float here = inverse_m_[i], there = inverse_m_[next];
    const bool has_second = second != next && is_same(i, second);
    const float bend = has_second ? here - 2.0F * there + inverse_m_[second] : here - there;
    return {next, std::abs(bend) / here};
  }

  [[nodiscard]] Triple point(std::size_t i) const { return end_of(ray_of(rays_, i), range_m_[i]); }
  [[nodiscard]] static Triple minus(const Triple& a, const Triple& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  [[nodiscard]] static Triple cross(const Triple& a, const Triple& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  }
  [[nodiscard]] static Triple towards(const Triple& d, const Triple& n) {
    const float size = std::sqrt(n.x * n.x + n.y * n.y + n.z * n.z);
    if (!(size > 0.0F)) return {-d.x, -d.y, -d.z};
    const float scale = (d.x * n.x + d.y * n.y + d.z * n.z > 0.0F ? -1.0F : 1.0F) / size;
    return {n.x * scale, n.y * scale, n.z * scale};
  }

  const RayPattern& rays_;
  const float *range_m_, *inverse_m_;
  const std::uint32_t* entity_;
  bool closes_, unordered_;
};

void check_normal(const float* n, std::size_t pixel, const RayPattern& rays) {
  const float square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
  if (square >= kLeastSquare && square <= kMostSquare) return;
  throw InputError(fmt::format("normal of row {}, column {} has length {:.4g}, not 1", pixel / rays.cols,
                               pixel % rays.cols, std::sqrt(square)));
}

// --- points that a camera does not see

/// One row of the image, seen from a camera beside it.
class RowSight {
 public:
  /// Arrays are of the row, [cols]; of `column` and `seen` the memory alone counts. `first`: place of its first point.
  RowSight(const GivenNeeds& needs, const std::uint32_t* entity, std::size_t first, const float* inverse_m,
           float* column, SeenSurface* seen)
      : needs_(needs),
        cols_(needs.rays.cols),
        first_(first),
        entity_(entity != nullptr ? entity + first : nullptr),
        inverse_m_(inverse_m),
        column_(column),
        seen_(seen) {}

  /// Adds `bit` to the points that a camera at this offset (m, to the left) does not see.
  void find(float offset_m, std::uint8_t bit, std::uint8_t* hidden) {
    if (offset_m == 0.0F) return;  // the emitter struck the point: it sees it
    const float scale = needs_.view.optics.fx_px * offset_m;
    for (std::uint32_t c = 0; c < cols_; ++c) column_[c] = static_cast<float>(c) + scale * inverse_m_[c];
    std::fill_n(seen_, cols_, SeenSurface{});
    for (std::uint32_t c = 0; c < cols_; ++c) draw(c);
    for (std::uint32_t c = 0; c < cols_; ++c) {
      if (inverse_m_[c] > 0.0F && is_hidden(c)) hidden[c] |= bit;
    }
  }

 private:
  /// Two points farther apart in inverse depth belong to two surfaces, with nothing known between them.
  static constexpr float kMostStep = 0.05F;
  /// Rounding, and the bend of a surface between two columns.
  static constexpr float kMargin = 2e-3F;

  [[nodiscard]] bool is_joined(std::uint32_t a, std::uint32_t b) const {
    if (!(inverse_m_[a] > 0.0F) || !(inverse_m_[b] > 0.0F)) return false;
    if (entity_ != nullptr && entity_[a] != entity_[b]) return false;
    return std::abs(inverse_m_[a] - inverse_m_[b]) <= kMostStep * std::max(inverse_m_[a], inverse_m_[b]);
  }

  /// Draws the surface from point c half way to its neighbours; where it ends, half a pixel beyond.
  void draw(std::uint32_t c) {
    if (!(inverse_m_[c] > 0.0F)) return;
    if (c + 1 < cols_ && is_joined(c, c + 1)) {
      stretch(c, column_[c], inverse_m_[c], column_[c + 1], inverse_m_[c + 1]);
    } else {
      stretch(c, column_[c], inverse_m_[c], column_[c] + 0.5F, inverse_m_[c]);
    }
    if (c == 0 || !is_joined(c - 1, c)) stretch(c, column_[c] - 0.5F, inverse_m_[c], column_[c], inverse_m_[c]);
  }

  void stretch(std::uint32_t from, float begin, float at_begin, float end, float at_end) {
    if (begin > end) return;  // seen from behind
    const float last = static_cast<float>(cols_) - 1.0F;
    if (end < 0.0F || begin > last) return;
    const float width = end - begin;
    const auto stop = static_cast<std::uint32_t>(std::floor(std::min(end, last)));
    for (auto k = static_cast<std::uint32_t>(std::ceil(std::max(begin, 0.0F))); k <= stop; ++k) {
      const float share = width > 0.0F ? (static_cast<float>(k) - begin) / width : 0.0F;
      const float inverse = at_begin + share * (at_end - at_begin);
      if (inverse > seen_[k].inverse_m) seen_[k] = {inverse, from};
    }
  }

  /// Whether nearer surfaces cover the point on both sides.
  [[nodiscard]] bool is_hidden(std::uint32_t c) const {
    const float last = static_cast<float>(cols_) - 1.0F;
    if (!(column_[c] >= 0.0F) || column_[c] > last) return false;  // outside the image
    const auto left = static_cast<std::uint32_t>(column_[c]);
    return covers(seen_[left], c) && covers(seen_[std::min(left + 1, cols_ - 1)], c);
  }
  [[nodiscard]] bool covers(const SeenSurface& seen, std::uint32_t c) const {
    const bool own = entity_ == nullptr || entity_[seen.from] == entity_[c];
    const float share = kMargin + (own ? tolerance_of(c) : 0.0F);
    return seen.inverse_m * (1.0F - share) > inverse_m_[c];
  }
  [[nodiscard]] float tolerance_of(std::uint32_t c) const {
    return smallest_tolerance(needs_.chain, [&](const EntryTable& table) {
      const std::uint32_t entity = entity_ == nullptr ? 0 : entity_[c];
      return table.entry_of(table.by_ring ? ring_of(needs_.rays, first_ + c) : entity);
    });
  }

  const GivenNeeds& needs_;
  std::uint32_t cols_;
  std::size_t first_;
  const std::uint32_t* entity_;
  const float* inverse_m_;  ///< inverse depths
  float* column_;
  SeenSurface* seen_;
};

/// Calls work(begin, end) for parts of the rows.
template <class Work>
void for_each_row(const GivenNeeds& needs, Executor& executor, Work work) {
  executor.parallel_for(needs.rays.rows, kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
    work(static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end));
  });
}

PixelGrid grid_of(const RayPattern& rays, const SensorView& view) {
  if (!(view.optics.fx_px > 0.0F) || rays.rows < 2 || rays.cols < 2) return {};
  const std::size_t last_col = rays.cols - 1, last_row = std::size_t{rays.rows - 1} * rays.cols;
  const float y = rays.direction_y[0] / rays.direction_x[0], z = rays.direction_z[0] / rays.direction_x[0];
  const float far_y = rays.direction_y[last_col] / rays.direction_x[last_col];
  const float far_z = rays.direction_z[last_row] / rays.direction_x[last_row];
  return {y, (far_y - y) / static_cast<float>(rays.cols - 1), z, (far_z - z) / static_cast<float>(rays.rows - 1)};
}

}  // namespace

void GivenImage::prepare(const GivenFrame& given, const GivenNeeds& needs, Executor& executor) {
  const RayPattern& rays = needs.rays;
  const std::size_t count = std::size_t{rays.rows} * rays.cols;
  const bool finds_normals = needs.normals && given.normal.empty(), checks_normals = needs.normals && !finds_normals;
  const bool needs_inverse = finds_normals || needs.chain.needs_sight;
  range_m_.resize(count);
  if (needs_inverse) inverse_m_.resize(count);
  if (finds_normals) normal_.resize(3 * count);
  if (needs.chain.needs_sight) hidden_.assign(count, 0), column_.resize(count), seen_.resize(count);
  surfaces_ = {.range_m = range_m_.data(),
               .normal = !needs.normals  ? nullptr
                         : finds_normals ? normal_.data()
                                         : given.normal.data(),
               .turns_normals = finds_normals || given.normal_frame == NormalFrame::kSensor,
               .entity = given.entity_id.empty() ? nullptr : given.entity_id.data(),
               .reflectivity = given.reflectivity.empty() ? nullptr : given.reflectivity.data(),
               .hidden = needs.chain.needs_sight ? hidden_.data() : nullptr,
               .grid = grid_of(rays, needs.view)};
  const bool is_camera = needs.view.optics.fx_px > 0.0F;
  executor.parallel_for(count, std::size_t{16} * kBlockRays, [&](std::size_t begin, std::size_t end) {
    find_ranges(given, needs, begin, end, range_m_.data());
    for (std::size_t i = begin; needs_inverse && i < end; ++i) {
      inverse_m_[i] = 1.0F / (is_camera ? rays.direction_x[i] * range_m_[i] : range_m_[i]);
    }
    for (std::size_t i = begin; checks_normals && i < end; ++i) {
      if (range_m_[i] < math::kInfinity) check_normal(&given.normal[3 * i], i, rays);
    }
  });
  if (finds_normals) find_normals(needs, executor);
  if (needs.chain.needs_sight) find_hidden(needs, executor);
}

void GivenImage::find_normals(const GivenNeeds& needs, Executor& executor) {
  const NormalFinder finder(needs, surfaces_, inverse_m_.data());
  for_each_row(needs, executor, [&](std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t row = begin; row < end; ++row) {
      for (std::uint32_t col = 0; col < needs.rays.cols; ++col) {
        const std::size_t i = std::size_t{row} * needs.rays.cols + col;
        const Triple n = finder.find(row, col, i);
        normal_[3 * i] = n.x, normal_[3 * i + 1] = n.y, normal_[3 * i + 2] = n.z;
      }
    }
  });
}

void GivenImage::find_hidden(const GivenNeeds& needs, Executor& executor) {
  const auto left = static_cast<float>(needs.view.cameras.left_m.y);
  const auto right = static_cast<float>(needs.view.cameras.right_m.y);
  for_each_row(needs, executor, [&](std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t row = begin; row < end; ++row) {
      const std::size_t first = std::size_t{row} * needs.rays.cols;
      RowSight sight(needs, surfaces_.entity, first, &inverse_m_[first], &column_[first], &seen_[first]);
      sight.find(left, kHiddenFromLeft, &hidden_[first]);
      sight.find(right, kHiddenFromRight, &hidden_[first]);
    }
  });
}

namespace {

void check_size(std::string_view name, std::size_t got, const RayPattern& rays, std::size_t planes = 1) {
  const std::size_t wanted = planes * rays.rows * rays.cols;
  if (got == 0 || got == wanted) return;
  throw InputError(fmt::format("{} has {} values, and the sensor has {} x {} rays{}", name, got, rays.rows, rays.cols,
                               planes == 1 ? "" : fmt::format(" with {} each", planes)));
}

/// Half of the ranges of a camera, in metres, are nearer.
constexpr float kFarMedianM = 200.0F;

void check_unit(std::string_view name, std::span<const float> values, float far_m) {
  std::size_t finite = 0, far = 0, numbers = 0;
  for (const float v : values) {
    numbers += std::isnan(v) ? 0 : 1;
    if (!is_met(v, far_m)) continue;
    ++finite, far += v > kFarMedianM ? 1 : 0;
  }
  if (numbers == 0) throw InputError(fmt::format("{} is NaN everywhere", name));
  if (2 * far > finite) {
    throw InputError(fmt::format("{}: half of its values exceed {} m: are they millimetres?", name, kFarMedianM));
  }
}

}  // namespace

void check_given(const GivenFrame& given, const RayPattern& rays, const SensorView& view, double far_m) {
  if (given.range_m.empty() == given.depth_m.empty()) {
    throw InputError("a given frame has either range_m or depth_m");
  }
  const bool is_camera = view.optics.fx_px > 0.0F;
  if (!is_camera && !given.depth_m.empty()) throw InputError("depth_m is of cameras alone: give range_m");
  check_size("range_m", given.range_m.size(), rays);
  check_size("depth_m", given.depth_m.size(), rays);
  check_size("normal", given.normal.size(), rays, 3);
  check_size("entity_id", given.entity_id.size(), rays);
  check_size("reflectivity", given.reflectivity.size(), rays);
  if (given.range_m.empty()) {
    check_unit("depth_m", given.depth_m, single_far(far_m));
  } else {
    check_unit("range_m", given.range_m, single_far(far_m));
  }
  const auto outside = std::ranges::find_if(given.reflectivity, [](float r) { return !(r >= 0.0F && r <= 1.0F); });
  if (outside != given.reflectivity.end()) {
    throw InputError(fmt::format("reflectivity = {} is not in [0, 1]", *outside));
  }
}

namespace {

/// The nearest pixel of a camera; outside of the image the one at its edge.
std::size_t pixel_of_grid(const RayPattern& rays, const PixelGrid& grid, const Triple& d) {
  const float col = (d.y / d.x - grid.y_over_x) / grid.per_col, row = (d.z / d.x - grid.z_over_x) / grid.per_row;
  const auto whole = [](float at, std::uint32_t count) {
    return static_cast<std::size_t>(std::clamp(at + 0.5F, 0.0F, static_cast<float>(count) - 0.5F));
  };
  return whole(row, rays.rows) * rays.cols + whole(col, rays.cols);
}

/// The pixel whose ray is nearest to a direction, by steps to nearer neighbours.
std::size_t nearest_pixel(const RayPattern& rays, std::size_t from, const Triple& d) {
  const auto cosine = [&](std::size_t i) {
    return d.x * rays.direction_x[i] + d.y * rays.direction_y[i] + d.z * rays.direction_z[i];
  };
  std::size_t best = from;
  for (float most = cosine(from);;) {
    const std::size_t row = best / rays.cols, col = best % rays.cols, at = best;
    for (std::size_t r = row > 0 ? row - 1 : 0; r <= std::min<std::size_t>(row + 1, rays.rows - 1); ++r) {
      for (const std::size_t c : {(col + rays.cols - 1) % rays.cols, col, (col + 1) % rays.cols}) {
        const std::size_t i = r * rays.cols + c;
        if (const float value = cosine(i); value > most) most = value, best = i;
      }
    }
    if (best == at) return best;
  }
}

std::size_t pixel_met(const RenderJob& job, std::uint32_t ray, const Triple& d) {
  const PixelGrid& grid = job.given->grid;
  const bool has_grid = grid.per_col != 0.0F && grid.per_row != 0.0F && d.x > 0.0F;
  return has_grid ? pixel_of_grid(job.pattern, grid, d) : nearest_pixel(job.pattern, ray, d);
}

/// The range at which a turned ray meets the plane of a pixel's surface, with normal n; +inf: it does not.
float range_to_plane(const RayPattern& rays, std::size_t ray, std::size_t pixel, float range_m, const Triple& n,
                     const Triple& d) {
  const Triple p = end_of(ray_of(rays, pixel), range_m);
  const Ray from = ray_of(rays, ray);
  const float distance = (p.x - from.ox) * n.x + (p.y - from.oy) * n.y + (p.z - from.oz) * n.z;
  const float range = distance / (d.x * n.x + d.y * n.y + d.z * n.z);
  return math::select(range > 0.0F, range, math::kInfinity);
}

}  // namespace

void take_given(const RenderJob& job, std::uint32_t begin, const RayBlock& rays, CastBlock& cast,
                std::uint32_t* pixel) {
  const GivenSurfaces& given = *job.given;
  const bool turned_rays = !job.chain.ray.empty();
  for (std::uint32_t i = 0; i < rays.count; ++i) {
    const std::uint32_t ray = job.plan.ray_of_lane[begin + i];
    const Triple d = {rays.dx[i], rays.dy[i], rays.dz[i]};
    const std::size_t at = turned_rays ? pixel_met(job, ray, d) : ray;
    const bool met = given.range_m[at] < math::kInfinity;
    pixel[i] = static_cast<std::uint32_t>(at);
    cast.range_m[i] = given.range_m[at];
    cast.triangle[i] = kNoTriangle;
    cast.entity[i] = !met ? index(kNoEntity) : given.entity == nullptr ? 0 : given.entity[at];
    if (given.normal == nullptr) continue;
    const float* n = given.normal + 3 * at;
    const Triple normal =
        given.turns_normals ? turned(job.cast_from_sensor, n[0], n[1], n[2]) : Triple{n[0], n[1], n[2]};
    cast.nx[i] = normal.x, cast.ny[i] = normal.y, cast.nz[i] = normal.z;
    if (!met) cast.nx[i] = cast.ny[i] = cast.nz[i] = kNoNumber;
    if (!turned_rays || !met) continue;
    const Triple n_sensor = turned_back(job.cast_from_sensor, normal.x, normal.y, normal.z);
    cast.range_m[i] = range_to_plane(job.pattern, ray, at, given.range_m[at], n_sensor, d);
    if (!(cast.range_m[i] < math::kInfinity)) cast.entity[i] = index(kNoEntity);
  }
}

}  // namespace fathom
