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

/// The neighbours that pixels of a row have: columns from `left` on have one on the left, columns below `right` one on
/// the right. The same for the second ones.
struct Reach {
  std::int32_t left, left_second, right, right_second;
  bool up, up_second, down, down_second;
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
FATHOM_KERNEL float bend_at(const GivenSurface& s, const SideSteps& steps, bool has_next, bool has_second,
                            std::ptrdiff_t i) {
  const std::ptrdiff_t next = i + steps.next, second = i + steps.second;
  const float here = s.inverse_m[i], there = s.inverse_m[next], beyond = s.inverse_m[second];
  bool on_next = has_next & (there > 0.0F), on_second = has_second & (beyond > 0.0F);
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
FATHOM_KERNEL Triple normal_at(const GivenSurface& s, const PixelSteps& steps, const Reach& r, std::int32_t col,
                               std::ptrdiff_t i) {
  const Ray ray = ray_of_pixel<kHasOrigins>(s.rays, i);
  const Triple point = end_of(ray, s.range_m[i]);
  const float left = bend_at<kHasEntities>(s, steps.left, col >= r.left, col >= r.left_second, i);
  const float right = bend_at<kHasEntities>(s, steps.right, col < r.right, col < r.right_second, i);
  const float up = bend_at<kHasEntities>(s, steps.up, r.up, r.up_second, i);
  const float down = bend_at<kHasEntities>(s, steps.down, r.down, r.down_second, i);
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
[[gnu::noinline]] void normals_between(const GivenSurface& surface, const PixelSteps& pixel_steps,
                                       const Reach& pixel_reach, std::ptrdiff_t first, std::int32_t begin,
                                       std::int32_t end, float* __restrict x, float* __restrict y,
                                       float* __restrict z) {
  const GivenSurface s = surface;
  const PixelSteps steps = pixel_steps;
  const Reach reach = pixel_reach;
  for (std::int32_t col = begin; col < end; ++col) {
    const std::ptrdiff_t i = first + col;
    const Triple n = normal_at<kHasOrigins, kHasEntities>(s, steps, reach, col, i);
    x[i] = n.x, y[i] = n.y, z[i] = n.z;
  }
}

/// All columns of a row take the same steps. At its ends they lead into other rows, whose values are ignored. Where
/// they would lead out of the image or around a scan that closes, the two columns at each end have steps that do not.
void given_normals(const GivenSurface& surface, std::uint32_t row, float* x, float* y, float* z) {
  const auto cols = static_cast<std::int32_t>(surface.rays.cols), rows = static_cast<std::int32_t>(surface.rays.rows);
  const auto at = static_cast<std::int32_t>(row);
  const std::ptrdiff_t first = std::ptrdiff_t{at} * cols;
  const SideSteps up = steps_to(at, -1, rows, cols, false), down = steps_to(at, 1, rows, cols, false);
  const bool has_entities = surface.entity != nullptr;
  const auto find = surface.rays.ox != nullptr
                        ? (has_entities ? normals_between<true, true> : normals_between<true, false>)
                        : (has_entities ? normals_between<false, true> : normals_between<false, false>);
  const std::int32_t inset = surface.closes || at == 0 || at + 1 == rows || cols < 4 ? 2 : 0;
  for (std::int32_t col = 0; col < cols;) {
    const bool is_inside = col == inset && col < cols - inset;
    const std::int32_t stop = is_inside ? cols - inset : col + 1;
    const SideSteps left = is_inside ? SideSteps{-1, -2} : steps_to(col, -1, cols, 1, surface.closes);
    const SideSteps right = is_inside ? SideSteps{1, 2} : steps_to(col, 1, cols, 1, surface.closes);
    const auto from = [&](std::int32_t inside, bool has) { return is_inside ? inside : has ? 0 : cols; };
    const auto to = [&](std::int32_t inside, bool has) { return is_inside ? inside : has ? cols : 0; };
    const Reach reach = {from(1, left.next != 0),
                         from(2, left.second != left.next),
                         to(cols - 1, right.next != 0),
                         to(cols - 2, right.second != right.next),
                         up.next != 0,
                         up.second != up.next,
                         down.next != 0,
                         down.second != down.next};
    find(surface, {left, right, up, down}, reach, first, col, stop, x, y, z);
    col = stop;
  }
}

// --- points that a camera does not see

/// Two points farther apart in inverse depth belong to two surfaces, with nothing known between them.
constexpr float kMostStep = 0.05F;
/// Rounding, and the bend of a surface between two columns.
constexpr float kSightMargin = 2e-3F;

template <bool kHasEntities>
FATHOM_KERNEL bool is_joined(const SightRow& row, std::int32_t c) {
  const float here = row.inverse_m[c], next = row.inverse_m[c + 1];
  bool same = true;
  if constexpr (kHasEntities) same = row.entity[c] == row.entity[c + 1];
  return (next > 0.0F) & same & (size_of(here - next) <= kMostStep * larger(here, next));
}
FATHOM_KERNEL bool is_joined(const SightRow& row, std::int32_t c) {
  return row.entity == nullptr ? is_joined<false>(row, c) : is_joined<true>(row, c);
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

/// SightRow::cell of a point that draws nothing, and of one that draw_point() draws.
constexpr std::int32_t kNoCell = -1, kSeveralCells = -2;

/// The surface of a point reaches half way to its neighbours; where it ends, half a pixel beyond.
FATHOM_KERNEL void draw_point(const SightRow& row, std::uint32_t from) {
  const auto c = static_cast<std::int32_t>(from);
  const float inverse = row.inverse_m[c], column = row.column[c];
  if (!(inverse > 0.0F)) return;
  const bool joined = from + 1 < row.cols && is_joined(row, c), is_begun = from > 0 && is_joined(row, c - 1);
  draw_surface(row, from, column, inverse, joined ? row.column[c + 1] : column + 0.5F,
               joined ? row.inverse_m[c + 1] : inverse);
  if (!is_begun) draw_surface(row, from, column - 0.5F, inverse, column, inverse);
}

/// Finds the points inside a row whose surfaces continue on the left and cover one column or none: most of them. The
/// arithmetic is that of draw_surface(). Reads one point beyond the ends of a row; without entities the whole row is
/// one loop without a rest.
template <bool kHasEntities>
[[gnu::noinline]] void find_cells(const SightRow& sight, std::int32_t* __restrict cell, float* __restrict value) {
  const SightRow row = sight;
  const float last = static_cast<float>(static_cast<std::int32_t>(row.cols)) - 1.0F;
  const std::int32_t inset = kHasEntities ? 1 : 0, stop = static_cast<std::int32_t>(row.cols) - inset;
  for (std::int32_t c = inset; c < stop; ++c) {
    const bool joined = is_joined<kHasEntities>(row, c), is_begun = is_joined<kHasEntities>(row, c - 1);
    const float here = row.inverse_m[c], begin = row.column[c];
    const float end = math::select(joined, row.column[c + 1], begin + 0.5F);
    const float at_end = math::select(joined, row.inverse_m[c + 1], here), width = end - begin;
    const bool is_drawn = !((begin > end) | (end < 0.0F) | (begin > last));
    const float low = math::select(is_drawn, larger(begin, 0.0F), 0.0F);
    const auto whole = static_cast<std::int32_t>(low);
    const std::int32_t first = whole + (static_cast<float>(whole) < low ? 1 : 0);
    const auto past = static_cast<std::int32_t>(math::select(is_drawn, math::select(end < last, end, last), 0.0F));
    const float share = math::select(width > 0.0F, (static_cast<float>(first) - begin) / width, 0.0F);
    value[c] = here + share * (at_end - here);
    const std::int32_t covered = first < past ? kSeveralCells : first;
    const std::int32_t inside = is_drawn & (first <= past) ? covered : kNoCell;
    const std::int32_t met = is_begun ? inside : kSeveralCells;
    cell[c] = here > 0.0F ? met : kNoCell;
  }
}

/// Draws the surfaces of a row into the other image.
void draw_row(const SightRow& row) {
  const auto find = row.entity == nullptr ? find_cells<false> : find_cells<true>;
  find(row, row.cell, row.inverse_in_cell);
  row.cell[0] = row.cell[row.cols - 1] = kSeveralCells;
  for (std::uint32_t c = 0; c < row.cols; ++c) {
    const std::int32_t k = row.cell[c];
    const float inverse = row.inverse_in_cell[c];
    if (k == kSeveralCells) {
      draw_point(row, c);
    } else if (k != kNoCell && inverse > row.seen_m[k]) {
      row.seen_m[k] = inverse, row.seen_from[k] = c;
    }
  }
}

/// Whether a surface nearer than point c covers both columns beside it. The own surface of a point is nearer only
/// beyond the tolerance.
template <bool kTolerates>
FATHOM_KERNEL bool is_covered(const SightRow& row, std::int32_t column, std::int32_t c) {
  float share = kSightMargin;
  if constexpr (kTolerates) {
    const bool own = row.entity == nullptr || row.entity[row.seen_from[column]] == row.entity[c];
    share += own ? row.tolerance[c] : 0.0F;
  }
  return row.seen_m[column] * (1.0F - share) > row.inverse_m[c];
}

template <bool kTolerates>
[[gnu::noinline]] void hide_covered(const SightRow& sight, std::uint8_t bit, std::uint8_t* __restrict hidden) {
  const SightRow row = sight;
  const std::int32_t last = static_cast<std::int32_t>(row.cols) - 1;
  const auto end = static_cast<float>(last);
  for (std::int32_t c = 0; c <= last; ++c) {
    const float column = row.column[c];
    const bool inside = (row.inverse_m[c] > 0.0F) & (column >= 0.0F) & (column <= end);
    const auto left = static_cast<std::int32_t>(math::select(inside, column, 0.0F));
    const std::int32_t right = left < last ? left + 1 : last;
    const bool covered = inside & is_covered<kTolerates>(row, left, c) & is_covered<kTolerates>(row, right, c);
    hidden[c] = static_cast<std::uint8_t>(hidden[c] | (covered ? bit : 0));
  }
}

void given_hidden(const SightRow& sight, std::uint8_t bit, std::uint8_t* hidden) {
  const SightRow row = sight;
  for (std::uint32_t c = 0; c < row.cols; ++c) {
    row.column[c] = static_cast<float>(static_cast<std::int32_t>(c)) + row.shift_m * row.inverse_m[c];
    row.seen_m[c] = 0.0F;  // then seen_from has no effect
  }
  draw_row(row);
  row.tolerance == nullptr ? hide_covered<false>(row, bit, hidden) : hide_covered<true>(row, bit, hidden);
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

/// Places of pixels are below 2^31, and gathers are faster with signed ones.
FATHOM_KERNEL std::int32_t place_of(std::uint32_t pixel) { return static_cast<std::int32_t>(pixel); }

void given_ranges_at(const float* __restrict range_m, const std::uint32_t* __restrict pixel, std::uint32_t count,
                     float* __restrict out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = range_m[place_of(pixel[i])];
}

void given_entities(const std::uint32_t* __restrict entity, const std::uint32_t* __restrict pixel, std::uint32_t count,
                    CastBlock& __restrict cast) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t own = entity == nullptr ? 0 : entity[place_of(pixel[i])];
    cast.entity[i] = cast.range_m[i] < math::kInfinity ? own : index(kNoEntity);
  }
}

void given_turned_normals(const NormalArrays& normals, const Rigid* cast_from_sensor,
                          const std::uint32_t* __restrict pixel, std::uint32_t count, CastBlock& __restrict cast) {
  const NormalArrays n = normals;
  const auto stride = static_cast<std::int32_t>(n.stride);
  for (std::size_t i = 0; i < count && pixel == nullptr; ++i) {
    const std::size_t at = n.stride * i;
    cast.nx[i] = n.x[at], cast.ny[i] = n.y[at], cast.nz[i] = n.z[at];
  }
  for (std::size_t i = 0; i < count && pixel != nullptr; ++i) {
    const std::int32_t at = stride * place_of(pixel[i]);
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
    const Ray own = ray_of_pixel<kHasOrigins>(pixels, place_of(pixel[i]));
    const Ray from = ray_of_pixel<kHasOrigins>(pixels, place_of(kHasOrigins ? ray_of_lane[i] : pixel[i]));
    const Triple point = end_of(own, cast.range_m[i]);
    const Triple n = turned_back(p, cast.nx[i], cast.ny[i], cast.nz[i]);
    const float distance = (point.x - from.ox) * n.x + (point.y - from.oy) * n.y + (point.z - from.oz) * n.z;
    const float range = distance / (rays.dx[i] * n.x + rays.dy[i] * n.y + rays.dz[i] * n.z);
    const bool met = (range > 0.0F) & (cast.range_m[i] < math::kInfinity);
    cast.range_m[i] = math::select(met, range, math::kInfinity);
  }
}

void given_planes(const ImageRays& image, const Rigid& cast_from_sensor, const RayBlock& rays,
                  const std::uint32_t* ray_of_lane, const std::uint32_t* pixel, CastBlock& cast) {
  const auto meet = image.ox != nullptr ? meet_planes<true> : meet_planes<false>;
  meet(image, cast_from_sensor, rays, ray_of_lane, pixel, cast);
}

}  // namespace

const GivenKernels kGivenKernels = {count_values,    given_ranges,   given_normals,        given_hidden, given_pixels,
                                    given_ranges_at, given_entities, given_turned_normals, given_planes};

}  // namespace fathom::FATHOM_ISA
