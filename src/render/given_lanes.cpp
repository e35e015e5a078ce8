// SPDX-License-Identifier: MIT
// Compiled once per instruction set, FATHOM_ISA naming it; only the flags differ. Loops over given images.

#include <algorithm>
#include <cstddef>

#include "render/lanes.hpp"

namespace fathom::FATHOM_ISA {

namespace {

ValueCounts count_values(const float* __restrict value, std::size_t count, float far_m) {
  std::uint32_t numbers = 0, met = 0, distant = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_met = (value[i] > 0.0F) & (value[i] < far_m);
    numbers += value[i] == value[i] ? 1 : 0;
    met += is_met ? 1 : 0;
    distant += (is_met & (value[i] > kFarMedianM)) ? 1 : 0;
  }
  return {numbers, met, distant};
}

void given_ranges(const GivenValues& given, std::size_t begin, std::size_t end, float* __restrict range_m,
                  float* __restrict inverse_m) {
  const GivenValues g = given;
  for (std::size_t i = begin; i < end; ++i) {
    const float value = g.value[i], origin = g.rays.ox != nullptr ? g.rays.ox[i] : 0.0F;
    const float range = g.is_depth ? (value - origin) / g.rays.dx[i] : value;
    range_m[i] = math::select((value > 0.0F) & (value < g.far_m), range, math::kInfinity);
  }
  if (inverse_m == nullptr) return;
  for (std::size_t i = begin; i < end; ++i) {
    inverse_m[i] = 1.0F / (g.is_camera ? g.rays.dx[i] * range_m[i] : range_m[i]);
  }
}

// --- normals

/// An edge of a surface bends by more.
constexpr float kMostBend = 0.03F;

/// Places of the two neighbours on one side, counted from a pixel. `next` is 0 outside the image. `second` is `next` at
/// its end.
struct SideSteps {
  std::ptrdiff_t next = 0, second = 0;
};

struct PixelSteps {
  SideSteps left, right, up, down;
};

/// `at`: a row or a column of `count`, whose neighbours are `stride` apart.
FATHOM_KERNEL SideSteps steps_to(std::ptrdiff_t at, std::ptrdiff_t step, std::ptrdiff_t count, std::ptrdiff_t stride,
                                 bool closes) {
  const auto has = [&](std::ptrdiff_t k) { return closes || (at + k >= 0 && at + k < count); };
  const auto place = [&](std::ptrdiff_t k) { return stride * ((at + k + 2 * count) % count - at); };
  if (!has(step)) return {};
  return {place(step), place(has(2 * step) ? 2 * step : step)};
}

/// How much the surface bends on one side: the second difference of the inverse depth, as a share of it. On a plane,
/// the inverse depth of a camera is linear in the pixel. Infinity without a neighbour on the surface.
template <bool kHasEntities>
FATHOM_KERNEL float bend_at(const GivenSurface& s, const SideSteps& steps, std::ptrdiff_t i) {
  const std::ptrdiff_t next = i + steps.next, second = i + steps.second;
  const float here = s.inverse_m[i], there = s.inverse_m[next], beyond = s.inverse_m[second];
  bool on_next = (steps.next != 0) & (there > 0.0F), on_second = (steps.second != steps.next) & (beyond > 0.0F);
  if constexpr (kHasEntities) {
    on_next = on_next & (s.entity[next] == s.entity[i]);
    on_second = on_second & (s.entity[second] == s.entity[i]);
  }
  const float bend = math::select(on_second, here - 2.0F * there + beyond, here - there);
  return math::select(on_next, size_of(bend) / here, math::kInfinity);
}

template <bool kHasOrigins>
FATHOM_KERNEL Ray ray_of_pixel(const ImageRays& rays, std::ptrdiff_t i) {
  if constexpr (kHasOrigins) return {rays.ox[i], rays.oy[i], rays.oz[i], rays.dx[i], rays.dy[i], rays.dz[i]};
  return {0.0F, 0.0F, 0.0F, rays.dx[i], rays.dy[i], rays.dz[i]};
}

/// From the point of pixel i to that of the straighter of two neighbours.
template <bool kHasOrigins>
FATHOM_KERNEL Triple way_to(const GivenSurface& s, const Triple& from, bool is_second, std::ptrdiff_t first,
                            std::ptrdiff_t second) {
  const Ray a = ray_of_pixel<kHasOrigins>(s.rays, first), b = ray_of_pixel<kHasOrigins>(s.rays, second);
  const Ray ray = {math::select(is_second, b.ox, a.ox), math::select(is_second, b.oy, a.oy),
                   math::select(is_second, b.oz, a.oz), math::select(is_second, b.dx, a.dx),
                   math::select(is_second, b.dy, a.dy), math::select(is_second, b.dz, a.dz)};
  const Triple end = end_of(ray, math::select(is_second, s.range_m[second], s.range_m[first]));
  return {end.x - from.x, end.y - from.y, end.z - from.z};
}

template <bool kHasOrigins, bool kHasEntities>
FATHOM_KERNEL Triple normal_at(const GivenSurface& s, const PixelSteps& steps, std::ptrdiff_t i) {
  const Ray ray = ray_of_pixel<kHasOrigins>(s.rays, i);
  const Triple point = end_of(ray, s.range_m[i]);
  const float left = bend_at<kHasEntities>(s, steps.left, i), right = bend_at<kHasEntities>(s, steps.right, i);
  const float up = bend_at<kHasEntities>(s, steps.up, i), down = bend_at<kHasEntities>(s, steps.down, i);
  const bool one_row = s.rays.rows == 1;
  const Triple a = way_to<kHasOrigins>(s, point, right < left, i + steps.left.next, i + steps.right.next);
  const Triple below = way_to<kHasOrigins>(s, point, down < up, i + steps.up.next, i + steps.down.next);
  const Triple b = {one_row ? 0.0F : below.x, one_row ? 0.0F : below.y, one_row ? 1.0F : below.z};
  const Triple n = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  const float size = math::sqrt(n.x * n.x + n.y * n.y + n.z * n.z);
  const float scale = math::select(ray.dx * n.x + ray.dy * n.y + ray.dz * n.z > 0.0F, -1.0F, 1.0F) / size;
  const float beside = math::select(right < left, right, left), along = math::select(down < up, down, up);
  const bool bends = (beside > kMostBend) | (!one_row & (along > kMostBend));
  const bool faces = !s.in_order | bends | !(size > 0.0F), met = s.inverse_m[i] > 0.0F;
  return {math::select(met, math::select(faces, -ray.dx, n.x * scale), kNoNumber),
          math::select(met, math::select(faces, -ray.dy, n.y * scale), kNoNumber),
          math::select(met, math::select(faces, -ray.dz, n.z * scale), kNoNumber)};
}

template <bool kHasOrigins, bool kHasEntities>
[[gnu::noinline]] void normals_between(const GivenSurface& surface, const PixelSteps& pixel_steps, std::ptrdiff_t begin,
                                       std::ptrdiff_t end, float* __restrict x, float* __restrict y,
                                       float* __restrict z) {
  const GivenSurface s = surface;
  const PixelSteps steps = pixel_steps;
  for (std::ptrdiff_t i = begin; i < end; ++i) {
    const Triple n = normal_at<kHasOrigins, kHasEntities>(s, steps, i);
    x[i] = n.x, y[i] = n.y, z[i] = n.z;
  }
}

/// Pixels inside a row have the same steps; the two at each end do not.
void given_normals(const GivenSurface& surface, std::uint32_t row, float* x, float* y, float* z) {
  const std::ptrdiff_t cols = surface.rays.cols, rows = surface.rays.rows, first = row * cols;
  PixelSteps steps = {
      .left = {}, .right = {}, .up = steps_to(row, -1, rows, cols, false), .down = steps_to(row, 1, rows, cols, false)};
  const bool has_entities = surface.entity != nullptr;
  const auto find = surface.rays.ox != nullptr
                        ? (has_entities ? normals_between<true, true> : normals_between<true, false>)
                        : (has_entities ? normals_between<false, true> : normals_between<false, false>);
  for (std::ptrdiff_t col = 0; col < cols;) {
    const std::ptrdiff_t stop = col == 2 && cols > 5 ? cols - 2 : col + 1;
    steps.left = steps_to(col, -1, cols, 1, surface.closes), steps.right = steps_to(col, 1, cols, 1, surface.closes);
    find(surface, steps, first + col, first + stop, x, y, z);
    col = stop;
  }
}

// --- points that a camera does not see

/// Two points farther apart in inverse depth belong to two surfaces, with nothing known between them.
constexpr float kMostStep = 0.05F;
/// Rounding, and the bend of a surface between two columns.
constexpr float kSightMargin = 2e-3F;

FATHOM_KERNEL bool is_joined(const SightRow& row, std::uint32_t c) {
  const float here = row.inverse_m[c], next = row.inverse_m[c + 1];
  const bool same = row.entity == nullptr || row.entity[c] == row.entity[c + 1];
  return (next > 0.0F) & same & (size_of(here - next) <= kMostStep * larger(here, next));
}

/// Draws the surface of point `from` between two columns of the other image, if the camera sees its front.
FATHOM_KERNEL void draw_surface(const SightRow& row, std::uint32_t from, float begin, float at_begin, float end,
                                float at_end) {
  const float last = static_cast<float>(row.cols) - 1.0F;
  if (begin > end || end < 0.0F || begin > last) return;
  const float width = end - begin, low = larger(begin, 0.0F);
  const auto stop = static_cast<std::int32_t>(end < last ? end : last), whole = static_cast<std::int32_t>(low);
  for (std::int32_t k = whole + (static_cast<float>(whole) < low ? 1 : 0); k <= stop; ++k) {
    const float share = width > 0.0F ? (static_cast<float>(k) - begin) / width : 0.0F;
    const float inverse = at_begin + share * (at_end - at_begin);
    if (inverse > row.seen_m[k]) row.seen_m[k] = inverse, row.seen_from[k] = from;
  }
}

/// From each point half way to its neighbours; where a surface ends, half a pixel beyond.
FATHOM_KERNEL void draw_row(const SightRow& row) {
  bool is_begun = false;
  for (std::uint32_t c = 0; c < row.cols; ++c) {
    const float inverse = row.inverse_m[c], column = row.column[c];
    if (!(inverse > 0.0F)) {
      is_begun = false;
      continue;
    }
    const bool joined = c + 1 < row.cols && is_joined(row, c);
    draw_surface(row, c, column, inverse, joined ? row.column[c + 1] : column + 0.5F,
                 joined ? row.inverse_m[c + 1] : inverse);
    if (!is_begun) draw_surface(row, c, column - 0.5F, inverse, column, inverse);
    is_begun = joined;
  }
}

FATHOM_KERNEL bool is_covered(const SightRow& row, std::int32_t column, std::uint32_t c) {
  const bool own = row.entity == nullptr || row.entity[row.seen_from[column]] == row.entity[c];
  const float share = kSightMargin + (own && row.tolerance != nullptr ? row.tolerance[c] : 0.0F);
  return row.seen_m[column] * (1.0F - share) > row.inverse_m[c];
}

void given_hidden(const SightRow& sight, std::uint8_t bit, std::uint8_t* __restrict hidden) {
  const SightRow row = sight;
  for (std::uint32_t c = 0; c < row.cols; ++c) {
    row.column[c] = static_cast<float>(static_cast<std::int32_t>(c)) + row.shift_m * row.inverse_m[c];
    row.seen_m[c] = 0.0F, row.seen_from[c] = 0;
  }
  draw_row(row);
  const auto last = static_cast<std::int32_t>(row.cols) - 1;
  for (std::uint32_t c = 0; c < row.cols; ++c) {
    const float column = row.column[c];
    if (!(row.inverse_m[c] > 0.0F) || !(column >= 0.0F) || column > static_cast<float>(last)) continue;
    const auto left = static_cast<std::int32_t>(column);
    if (is_covered(row, left, c) && is_covered(row, std::min(left + 1, last), c)) hidden[c] |= bit;
  }
}

// --- rays that meet the surfaces

FATHOM_KERNEL std::int32_t nearest_whole(float at, std::uint32_t count) {
  const float most = static_cast<float>(static_cast<std::int32_t>(count)) - 0.5F, up = at + 0.5F;
  return static_cast<std::int32_t>(up < 0.0F ? 0.0F : most < up ? most : up);
}

void given_pixels(const PixelGrid& pixel_grid, const ImageRays& image, const RayBlock& __restrict rays,
                  std::uint32_t* __restrict pixel) {
  const PixelGrid grid = pixel_grid;
  const std::uint32_t rows = image.rows, cols = image.cols;
  for (std::size_t i = 0; i < rays.count; ++i) {
    const float col = (rays.dy[i] / rays.dx[i] - grid.y_over_x) / grid.per_col;
    const float row = (rays.dz[i] / rays.dx[i] - grid.z_over_x) / grid.per_row;
    const std::int32_t at = nearest_whole(row, rows) * static_cast<std::int32_t>(cols) + nearest_whole(col, cols);
    pixel[i] = static_cast<std::uint32_t>(at);
  }
}

void given_surfaces(const GivenSurface& surface, const std::uint32_t* __restrict pixel, std::uint32_t count,
                    CastBlock& __restrict cast) {
  const GivenSurface s = surface;
  for (std::size_t i = 0; i < count; ++i) cast.range_m[i] = s.range_m[pixel[i]];
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t entity = s.entity == nullptr ? 0 : s.entity[pixel[i]];
    cast.entity[i] = cast.range_m[i] < math::kInfinity ? entity : index(kNoEntity);
    cast.triangle[i] = kNoTriangle;
  }
}

void given_turned_normals(const NormalArrays& normals, const Rigid* cast_from_sensor,
                          const std::uint32_t* __restrict pixel, std::uint32_t count, CastBlock& __restrict cast) {
  const NormalArrays n = normals;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = n.stride * pixel[i];
    cast.nx[i] = n.x[at], cast.ny[i] = n.y[at], cast.nz[i] = n.z[at];
  }
  const Rigid p = cast_from_sensor != nullptr ? *cast_from_sensor : Rigid{};
  for (std::size_t i = 0; i < count && cast_from_sensor != nullptr; ++i) {
    const Triple t = turned(p, cast.nx[i], cast.ny[i], cast.nz[i]);
    cast.nx[i] = t.x, cast.ny[i] = t.y, cast.nz[i] = t.z;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const bool met = cast.range_m[i] < math::kInfinity;
    cast.nx[i] = math::select(met, cast.nx[i], kNoNumber);
    cast.ny[i] = math::select(met, cast.ny[i], kNoNumber);
    cast.nz[i] = math::select(met, cast.nz[i], kNoNumber);
  }
}

template <bool kHasOrigins>
[[gnu::noinline]] void meet_planes(const ImageRays& image, const Rigid& cast_from_sensor,
                                   const RayBlock& __restrict rays, const std::uint32_t* __restrict ray_of_lane,
                                   const std::uint32_t* __restrict pixel, CastBlock& __restrict cast) {
  const ImageRays pixels = image;
  const Rigid p = cast_from_sensor;
  for (std::size_t i = 0; i < rays.count; ++i) {
    const Ray own = ray_of_pixel<kHasOrigins>(pixels, pixel[i]);
    const Ray from = ray_of_pixel<kHasOrigins>(pixels, kHasOrigins ? ray_of_lane[i] : pixel[i]);
    const Triple point = end_of(own, cast.range_m[i]);
    const Triple n = turned_back(p, cast.nx[i], cast.ny[i], cast.nz[i]);
    const float distance = (point.x - from.ox) * n.x + (point.y - from.oy) * n.y + (point.z - from.oz) * n.z;
    const float range = distance / (rays.dx[i] * n.x + rays.dy[i] * n.y + rays.dz[i] * n.z);
    const bool met = (range > 0.0F) & (cast.range_m[i] < math::kInfinity);
    cast.range_m[i] = math::select(met, range, math::kInfinity);
    cast.entity[i] = cast.range_m[i] < math::kInfinity ? cast.entity[i] : index(kNoEntity);
  }
}

void given_planes(const ImageRays& image, const Rigid& cast_from_sensor, const RayBlock& rays,
                  const std::uint32_t* ray_of_lane, const std::uint32_t* pixel, CastBlock& cast) {
  const auto meet = image.ox != nullptr ? meet_planes<true> : meet_planes<false>;
  meet(image, cast_from_sensor, rays, ray_of_lane, pixel, cast);
}

}  // namespace

const GivenKernels kGivenKernels = {count_values, given_ranges,   given_normals,        given_hidden,
                                    given_pixels, given_surfaces, given_turned_normals, given_planes};

}  // namespace fathom::FATHOM_ISA
