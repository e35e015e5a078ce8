// SPDX-License-Identifier: MIT
#include "render/given.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/field.hpp>

#include "render/frame_parts.hpp"
#include "render/render.hpp"

namespace fathom {

namespace {

constexpr std::size_t kRowsAtOnce = 8;

/// A unit normal may be as far from length 1 as half precision rounds it.
constexpr float kLeastSquare = 0.99F, kMostSquare = 1.01F;

ImageRays image_rays(const RayPattern& rays) {
  const bool own = !rays.origin_x.empty();
  return {own ? rays.origin_x.data() : nullptr,
          own ? rays.origin_y.data() : nullptr,
          own ? rays.origin_z.data() : nullptr,
          rays.direction_x.data(),
          rays.direction_y.data(),
          rays.direction_z.data(),
          rays.rows,
          rays.cols};
}

void check_normal(const float* n, std::size_t pixel, const RayPattern& rays) {
  const float square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
  if (square >= kLeastSquare && square <= kMostSquare) return;
  throw InputError(fmt::format("normal of row {}, column {} has length {:.4g}, not 1", pixel / rays.cols,
                               pixel % rays.cols, std::sqrt(square)));
}

/// Calls work(row, first row of its task) for each row.
template <class Work>
void for_each_row(const GivenNeeds& needs, Executor& executor, Work work) {
  executor.parallel_for(needs.rays.rows, kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) work(static_cast<std::uint32_t>(row), begin);
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

void check_size(std::string_view name, std::size_t got, const RayPattern& rays, std::size_t planes = 1) {
  const std::size_t wanted = planes * rays.rows * rays.cols;
  if (got == 0 || got == wanted) return;
  throw InputError(fmt::format("{} has {} values, and the sensor has {} x {} rays{}", name, got, rays.rows, rays.cols,
                               planes == 1 ? "" : fmt::format(" with {} each", planes)));
}

constexpr double kMostMotion = 1e12;  // m and rad

void check_unit(std::string_view name, std::span<const float> values, float far_m, Isa isa) {
  const ValueCounts counts = given_kernels(isa).count_values(values.data(), values.size(), far_m);
  if (counts.numbers == 0) throw InputError(fmt::format("{} is NaN everywhere", name));
  if (counts.distant > counts.met / 2) {
    throw InputError(fmt::format("{}: half of its values exceed {} m: are they millimetres?", name, kFarMedianM));
  }
}

}  // namespace

void PreparedImage::prepare(const GivenFrame& given, const GivenNeeds& needs, Executor& executor) {
  const RayPattern& rays = needs.rays;
  const std::size_t count = std::size_t{rays.rows} * rays.cols;
  const bool finds_normals = needs.normals && given.normal.empty(), checks_normals = needs.normals && !finds_normals;
  const bool needs_inverse = finds_normals || needs.chain.needs_sight, keeps_ranges = needs_inverse || checks_normals;
  if (keeps_ranges) range_m_.resize(count);
  if (needs_inverse) inverse_m_.resize(count + 2);  // one more before the first and behind the last
  float* const inverse_m = needs_inverse ? inverse_m_.data() + 1 : nullptr;
  if (finds_normals) normal_x_.resize(count), normal_y_.resize(count), normal_z_.resize(count);
  if (needs.chain.needs_sight) {
    hidden_.resize(count), seen_from_.resize(count + rays.rows), cell_.resize(count + rays.rows);
    for (std::vector<float>* values : {&column_, &seen_m_, &inverse_in_cell_}) values->resize(count + rays.rows);
    if (!needs.chain.sight_tolerance.empty()) tolerance_.resize(count + rays.rows);
  }
  surfaces_ = {.surface = {.rays = image_rays(rays),
                           .range_m = range_m_.data(),
                           .inverse_m = inverse_m,
                           .entity = given.entity_id.empty() ? nullptr : given.entity_id.data(),
                           .closes = needs.view.closes,
                           .in_order = !needs.view.seen_by_angle},
               .turns_normals = finds_normals || given.normal_frame == NormalFrame::kSensor,
               .reflectivity = given.reflectivity.empty() ? nullptr : given.reflectivity.data(),
               .reflectivity_has_incidence = given.reflectivity_has_incidence,
               .hidden = needs.chain.needs_sight ? hidden_.data() : nullptr,
               .grid = grid_of(rays, needs.view)};
  const float* const normal = given.normal.data();
  if (finds_normals) surfaces_.normal = {normal_x_.data(), normal_y_.data(), normal_z_.data(), 1};
  if (checks_normals) surfaces_.normal = {normal, normal + 1, normal + 2, 3};
  const GivenValues values = {.rays = surfaces_.surface.rays,
                              .value = given.range_m.empty() ? given.depth_m.data() : given.range_m.data(),
                              .far_m = single_far(needs.far_m),
                              .is_depth = given.range_m.empty(),
                              .is_camera = needs.view.optics.fx_px > 0.0F};
  if (!keeps_ranges) {
    surfaces_.values = values;
    return;
  }
  executor.parallel_for(count, std::size_t{16} * kBlockRays, [&](std::size_t begin, std::size_t end) {
    given_kernels(needs.isa).ranges(values, begin, end, range_m_.data(), inverse_m);
    for (std::size_t i = begin; checks_normals && i < end; ++i) {
      if (range_m_[i] < math::kInfinity) check_normal(&given.normal[3 * i], i, rays);
    }
  });
  if (finds_normals) find_normals(needs, executor);
  if (needs.chain.needs_sight) find_hidden(needs, executor);
}

void PreparedImage::find_normals(const GivenNeeds& needs, Executor& executor) {
  const GivenKernels& kernels = given_kernels(needs.isa);
  for_each_row(needs, executor, [&](std::uint32_t row, std::size_t) {
    kernels.normals(surfaces_.surface, row, normal_x_.data(), normal_y_.data(), normal_z_.data());
  });
}

void PreparedImage::find_hidden(const GivenNeeds& needs, Executor& executor) {
  // The rows of a task share arrays, which stay in the cache.
  for_each_row(needs, executor, [&](std::uint32_t row, std::size_t begin) {
    find_hidden(needs, row, begin * (needs.rays.cols + std::size_t{1}));
  });
}

void PreparedImage::find_hidden(const GivenNeeds& needs, std::uint32_t row, std::size_t place) {
  const std::size_t first = std::size_t{row} * needs.rays.cols;
  const std::uint32_t* const entity = surfaces_.surface.entity == nullptr ? nullptr : surfaces_.surface.entity + first;
  const bool tolerates = !needs.chain.sight_tolerance.empty();
  for (std::uint32_t c = 0; tolerates && c < needs.rays.cols; ++c) {
    tolerance_[place + c] = smallest_tolerance(needs.chain, [&](const EntryTable& table) {
      return table.entry_of(table.by_ring ? ring_of(needs.rays, first + c) : entity == nullptr ? 0 : entity[c]);
    });
  }
  SightRow sight = {.inverse_m = surfaces_.surface.inverse_m + first,
                    .entity = entity,
                    .tolerance = tolerates ? &tolerance_[place] : nullptr,
                    .cols = needs.rays.cols,
                    .shift_m = 0.0F,
                    .column = &column_[place],
                    .seen_m = &seen_m_[place],
                    .seen_from = &seen_from_[place],
                    .cell = &cell_[place],
                    .inverse_in_cell = &inverse_in_cell_[place]};
  std::fill_n(&hidden_[first], needs.rays.cols, std::uint8_t{0});
  const StereoRig& cameras = needs.view.cameras;
  for (const auto& [camera_m, bit] :
       {std::pair(cameras.left_m, kHiddenFromLeft), std::pair(cameras.right_m, kHiddenFromRight)}) {
    sight.shift_m = needs.view.optics.fx_px * static_cast<float>(camera_m.y);
    if (sight.shift_m == 0.0F) continue;  // the emitter struck the point: it sees it
    given_kernels(needs.isa).hidden(sight, static_cast<std::uint8_t>(bit), &hidden_[first]);
  }
}

void check_given(const GivenFrame& given, const RayPattern& rays, const SensorView& view, double far_m, Isa isa) {
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
    check_unit("depth_m", given.depth_m, single_far(far_m), isa);
  } else {
    check_unit("range_m", given.range_m, single_far(far_m), isa);
  }
  const auto outside = std::ranges::find_if(given.reflectivity, [](float r) { return !(r >= 0.0F && r <= 1.0F); });
  if (outside != given.reflectivity.end()) {
    throw InputError(fmt::format("reflectivity = {} is not in [0, 1]", *outside));
  }
  if (given.motion) {
    check_in_range("motion", "way_m", given.motion->way_m, 0.0, kMostMotion, "m");
    check_in_range("motion", "angle_rad", given.motion->angle_rad, 0.0, kMostMotion, "rad");
  }
}

namespace {

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

/// The pixels whose surfaces the turned rays of a block meet.
void find_pixels(const RenderJob& job, const std::uint32_t* ray_of_lane, const RayBlock& rays, std::uint32_t* pixel) {
  const GivenSurfaces& given = *job.given;
  const bool has_grid = given.grid.per_col != 0.0F && given.grid.per_row != 0.0F;
  if (has_grid) given_kernels(job.isa).pixels(given.grid, given.surface.rays, rays, pixel);
  for (std::uint32_t i = 0; i < rays.count; ++i) {
    if (has_grid && rays.dx[i] > 0.0F) continue;
    const Triple d = {rays.dx[i], rays.dy[i], rays.dz[i]};
    pixel[i] = static_cast<std::uint32_t>(nearest_pixel(job.pattern, ray_of_lane[i], d));
  }
}

/// Ranges of rays that nothing turned, right from the image.
void read_ranges(const RenderJob& job, const BlockPlaces& places, const RayBlock& rays, float* range_m) {
  GivenValues values = job.given->values;
  float gathered[kBlockRays];
  if (places.is_run) {
    values.value += places.first;
  } else {
    places.gather(values.value, gathered);
    values.value = gathered;
  }
  values.rays.ox = rays.from_sensor_origin ? nullptr : rays.ox;
  values.rays.dx = rays.dx;
  given_kernels(job.isa).ranges(values, 0, rays.count, range_m, nullptr);
}

/// Their normals.
void take_normals(const RenderJob& job, const BlockPlaces& places, const std::uint32_t* pixel, CastBlock& cast) {
  NormalArrays normal = job.given->normal;
  const Rigid* const turn = job.given->turns_normals ? &job.cast_from_sensor : nullptr;
  const bool of_lanes = places.is_run && pixel == places.rays;
  const std::size_t first = of_lanes ? normal.stride * places.first : 0;
  normal.x += first, normal.y += first, normal.z += first;
  given_kernels(job.isa).turned_normals(normal, turn, of_lanes ? nullptr : pixel, places.lanes(), cast);
}

}  // namespace

const std::uint32_t* take_given(const RenderJob& job, const BlockPlaces& places, const RayBlock& rays,
                                bool needs_entity, CastBlock& cast, std::uint32_t* turned_pixel) {
  const GivenSurfaces& given = *job.given;
  const GivenKernels& kernels = given_kernels(job.isa);
  const bool turned_rays = !job.chain.ray.empty();
  const std::uint32_t* const pixel = turned_rays ? turned_pixel : places.rays;
  if (turned_rays) {
    find_pixels(job, places.rays, rays, turned_pixel);
    kernels.ranges_at(given.surface.range_m, pixel, rays.count, cast.range_m);
  } else if (given.values.value != nullptr) {
    read_ranges(job, places, rays, cast.range_m);
  } else {
    places.gather(given.surface.range_m, cast.range_m);
  }
  if (given.normal.x != nullptr) take_normals(job, places, pixel, cast);
  if (turned_rays) kernels.planes(given.surface.rays, job.cast_from_sensor, rays, places.rays, pixel, cast);
  if (needs_entity) kernels.entities(given.surface.entity, pixel, rays.count, cast);
  return pixel;
}

}  // namespace fathom
