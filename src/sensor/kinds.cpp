// SPDX-License-Identifier: MIT
// The kinds of sensor seen as one: helpers of their files, their parameters by name, and the view of any kind.

#include "sensor/kinds.hpp"

#include <cstddef>
#include <type_traits>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/f64.hpp>
#include <fathom/sensor/kinds.hpp>

#include "core/text.hpp"

namespace fathom {

void check_range_limits(std::string_view kind, double min_range_m, double max_range_m) {
  if (min_range_m < max_range_m) return;
  throw InputError(fmt::format("{}.min_range_m = {} is not below max_range_m = {}", kind, number_text(min_range_m),
                               number_text(max_range_m)));
}

std::set<std::uint32_t> count_rings(std::uint32_t rows) {
  std::set<std::uint32_t> rings;
  for (std::uint32_t row = 0; row < rows; ++row) rings.insert(rings.end(), row);
  return rings;
}

void start_pattern(RayPattern& out, const RayPattern::Shape& shape, double min_range_m, double max_range_m) {
  const std::size_t rays = std::size_t{shape.rows} * shape.cols;
  out.rows = shape.rows;
  out.cols = shape.cols;
  for (std::vector<float>* array : {&out.direction_x, &out.direction_y, &out.direction_z}) array->resize(rays);
  for (std::vector<float>* array : {&out.origin_x, &out.origin_y, &out.origin_z, &out.time_offset_s}) array->clear();
  out.ring.clear();
  out.min_range_m.assign(1, static_cast<float>(min_range_m));
  out.max_range_m.assign(1, static_cast<float>(max_range_m));
}

void set_direction(RayPattern& out, std::size_t i, double x, double y, double z) {
  out.direction_x[i] = static_cast<float>(x);
  out.direction_y[i] = static_cast<float>(y);
  out.direction_z[i] = static_cast<float>(z);
}

std::uint64_t physical_memory_bytes() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_bytes <= 0) return ~std::uint64_t{0};  // unknown: only kMaxRays limits
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
}

std::string memory_text(std::uint64_t rays, std::uint64_t memory_bytes) {
  constexpr double kGib = 1024.0 * 1024.0 * 1024.0;
  return fmt::format("about {:.1f} GiB and this computer has {:.1f} GiB",
                     static_cast<double>(rays) * kBytesPerRay / kGib, static_cast<double>(memory_bytes) / kGib);
}

void check_ray_count(std::string_view kind, std::string_view rows_name, std::uint64_t rows, std::string_view cols_name,
                     std::uint64_t cols, std::uint64_t memory_bytes) {
  const std::uint64_t rays = rows * cols;  // each below 2^32: no overflow
  if (rays == 0)
    throw InputError(fmt::format("{} has no rays: {} x {} = {} x {}", kind, rows_name, cols_name, rows, cols));
  if (rays > kMaxRays) {
    throw InputError(fmt::format("{}: {} x {} = {} x {} = {} rays are more than the {} that a frame may have", kind,
                                 rows_name, cols_name, rows, cols, rays, kMaxRays));
  }
  if (rays * kBytesPerRay > memory_bytes) {
    throw InputError(fmt::format("{}: {} x {} = {} x {} = {} rays need {}", kind, rows_name, cols_name, rows, cols,
                                 rays, memory_text(rays, memory_bytes)));
  }
}

namespace {

template <FieldModel M>
SensorKindInfo kind_info() {
  constexpr bool kFromFile = requires { M::kRaysFromFile; };
  return {M::kSlug, M::kDoc, describe<M>(), kFromFile};
}

template <std::size_t... I>
std::vector<SensorKindInfo> all_kinds(std::index_sequence<I...>) {
  return {kind_info<std::variant_alternative_t<I, SensorModel>>()...};
}

template <std::size_t I = 0>
SensorModel model_of_kind(std::string_view kind) {
  if constexpr (I < std::variant_size_v<SensorModel>) {
    using Model = std::variant_alternative_t<I, SensorModel>;
    if (Model::kSlug == kind) return Model{};
    return model_of_kind<I + 1>(kind);
  } else {
    std::vector<std::string_view> slugs;
    for (const SensorKindInfo& info : sensor_kinds()) slugs.push_back(info.slug);
    throw InputError(fmt::format("there is no kind of sensor '{}'{}", kind, nearest_hint(kind, slugs)));
  }
}

}  // namespace

const std::vector<SensorKindInfo>& sensor_kinds() {
  static const std::vector<SensorKindInfo> kinds =
      all_kinds(std::make_index_sequence<std::variant_size_v<SensorModel>>{});
  return kinds;
}

std::string_view sensor_kind(const SensorModel& model) {
  return std::visit([](const auto& m) { return std::remove_cvref_t<decltype(m)>::kSlug; }, model);
}

SensorModel make_sensor_model(std::string_view kind) { return model_of_kind(kind); }

void set_sensor_field(SensorModel& model, std::string_view field, std::span<const double> values) {
  std::visit([&](auto& m) { set_field(m, field, values); }, model);
}

std::vector<double> get_sensor_field(const SensorModel& model, std::string_view field) {
  return std::visit([&](const auto& m) { return get_field(m, field); }, model);
}

void validate(const SensorModel& model) {
  std::visit([](const auto& kind) { validate(kind); }, model);
}

SensorView make_view(const SensorModel& model) {
  SensorView view;
  std::visit(
      [&](const auto& kind) {
        view.shape = shape_of(kind);
        view.usual_policy = usual_policy(kind);
        view.farthest_m = farthest_range_m(kind);
        describe(kind, view);
      },
      model);
  return view;
}

void check_divergence(const Divergence& divergence, const SensorView& view) {
  if (!divergence.diverges() || !(view.optics.baseline_m > 0.0F)) return;
  throw InputError("a divergence is of rays that a sensor sends out; two cameras see points, each from its place");
}

std::set<std::uint32_t> rings_of(const SensorModel& model) {
  return std::visit([](const auto& kind) { return rings(kind); }, model);
}

std::vector<std::int32_t> column_shifts(const SensorModel& model) {
  return std::visit([](const auto& kind) { return shifts(kind); }, model);
}

void update_pattern(const SensorModel& model, std::uint32_t frame, RayPattern& pattern) {
  std::visit([&](const auto& kind) { write_rays(kind, frame, pattern); }, model);
}

RayPattern::Shape pattern_shape(const SensorModel& model) {
  validate(model);
  return std::visit([](const auto& kind) { return shape_of(kind); }, model);
}

RayPattern make_pattern(const SensorModel& model, std::uint32_t frame) {
  validate(model);
  RayPattern pattern;
  update_pattern(model, frame, pattern);
  return pattern;
}

SensorTraits make_traits(const SensorView& view, bool rolling, std::size_t returns) {
  return {.optics = view.optics,
          .left_is_reference = view.left_is_reference,
          .one_origin = view.one_origin,
          .rolling = rolling && view.timed,
          .in_rows = !view.seen_by_angle && !view.rays_vary,
          .rows = view.shape.rows,
          .cols = view.shape.cols,
          .closes = view.closes,
          .returns = static_cast<std::uint32_t>(returns)};
}

Quaternion aligned(AxesFollow axes, const Quaternion& q) {
  switch (axes) {
    case AxesFollow::kHeading:
      return from_roll_pitch_yaw(0, 0, math::atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z)));
    case AxesFollow::kWorld:
      return {};
    case AxesFollow::kBody:
      break;
  }
  return q;
}

std::optional<Intrinsics> lens_of(const SensorModel& model) {
  if (const auto* const pinhole = std::get_if<PinholeCamera>(&model)) {
    return Intrinsics{pinhole->fx, pinhole->fy, pinhole->cx, pinhole->cy};
  }
  if (const DepthCamera* const depth = depth_camera_of(model)) return intrinsics(*depth);
  return std::nullopt;
}

}  // namespace fathom
