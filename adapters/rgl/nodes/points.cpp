// SPDX-License-Identifier: MIT
#include "nodes/points.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/noise/custom.hpp>

#include "fields.hpp"
#include "status.hpp"

namespace rgl {

namespace {

constexpr double kAny = std::numeric_limits<float>::max();

template <class Model>
constexpr bool is_number(const fathom::Field<Model>& field) {
  return fathom::member_of<float>(field) != nullptr;
}

/// A model of the library without limits, except that non-negative numbers stay non-negative.
template <class Model>
struct Wide : Model {
  static constexpr auto fields() {
    constexpr auto kOwn = Model::fields();
    constexpr auto kNumbers = std::count_if(kOwn.begin(), kOwn.end(), is_number<Model>);
    std::array<fathom::Field<Wide>, kNumbers> wide = {};
    std::size_t count = 0;
    for (const fathom::Field<Model>& own : kOwn) {
      if (!is_number(own)) continue;
      wide[count++] = {own.name, own.unit, fathom::member_of<float>(own), own.low < 0.0 ? -kAny : 0.0, kAny, own.doc};
    }
    return wide;
  }
};

/// The library's own model, which has kernels for all instruction sets, if the values are within its limits.
template <class Model>
fathom::Noise within_limits(const Model& model) {
  for (const fathom::Field<Model>& field : Model::fields()) {
    if (!is_number(field)) continue;
    const double value = double{model.*fathom::member_of<float>(field)};
    if (value < field.low || value > field.high) return Wide<Model>{model};
  }
  return model;
}

/// The same rotation within [-pi, pi].
float turn(float angle_rad) {
  if (std::abs(double{angle_rad}) <= std::numbers::pi) return angle_rad;
  return static_cast<float>(std::remainder(double{angle_rad}, 2.0 * std::numbers::pi));
}

/// Above this, a normal angle is uniform on the circle to the last bit. The kernels' sine ends at 10^4.
constexpr float kMaxStddevRad = 1000.0F;

}  // namespace

fathom::Axis to_axis(rgl_axis_t axis) {
  return axis == RGL_AXIS_X ? fathom::Axis::kX : axis == RGL_AXIS_Y ? fathom::Axis::kY : fathom::Axis::kZ;
}

fathom::Noise angular_ray_noise(float mean_rad, float stddev_rad, fathom::Axis axis) {
  return within_limits(fathom::AngularRay{axis, turn(mean_rad), std::min(stddev_rad, kMaxStddevRad)});
}

fathom::Noise angular_hit_noise(float mean_rad, float stddev_rad, fathom::Axis axis) {
  return within_limits(fathom::AngularHit{axis, turn(mean_rad), std::min(stddev_rad, kMaxStddevRad)});
}

fathom::Noise distance_noise(float mean_m, float stddev_m, float stddev_per_m) {
  return within_limits(fathom::DistanceNoise{mean_m, stddev_m, stddev_per_m});
}

/// The sensor moves with the points.
fathom::Affine TransformNode::sensor_from_world() const {
  const auto undo = fathom::inverse(transform_);
  if (!undo) fail(RGL_INVALID_PIPELINE, fmt::format("{}: the transform flattens space", name()));
  return *undo * input().sensor_from_world();
}

void TransformNode::begin(const RunContext&) {
  own_.forget();
  xyz_ = own_.resize_as<float>(RGL_FIELD_XYZ_VEC3_F32, count());
}

void TransformNode::run_strip(std::size_t, Strip points) {
  fathom::transform_points(transform_, input_as<float>(RGL_FIELD_XYZ_VEC3_F32, points, 3), xyz_ + 3 * points.begin);
}

bool FormatNode::has(rgl_field_t field) const {
  return field == RGL_FIELD_DYNAMIC_FORMAT || std::find(fields_.begin(), fields_.end(), field) != fields_.end();
}

void FormatNode::run(const RunContext& context) {
  executor_ = &context.executor;
  properties_.clear();
  std::size_t offset = 0;
  for (const rgl_field_t field : fields_) {
    const std::size_t size = info_of(field).size;
    if (!is_padding(field)) {
      const Indexed from = input().indexed(field);
      properties_.push_back({from.values, from.indices, size, offset});
    }
    offset += size;
  }
  packed_size_ = offset;
}

void FormatNode::copy(rgl_field_t field, std::byte* out) const {
  if (field != RGL_FIELD_DYNAMIC_FORMAT) return PointsNode::copy(field, out);
  constexpr std::size_t kPerTask = 4096;
  executor_->parallel_for(count(), kPerTask, [&](std::size_t begin, std::size_t end) {
    fathom::pack_points(properties_, begin, end, packed_size_, out);
  });
}

void FromArrayNode::set(const std::byte* points, std::size_t count, const std::vector<rgl_field_t>& fields) {
  FieldStore arrays;
  const std::size_t step = rgl::packed_size(fields);
  std::size_t offset = 0;
  for (const rgl_field_t field : fields) {
    const std::size_t size = info_of(field).size;
    if (!is_padding(field)) {
      std::byte* out = arrays.resize(field, count);
      for (std::size_t i = 0; i < count; ++i) std::memcpy(out + i * size, points + i * step + offset, size);
    }
    offset += size;
  }
  own_ = std::move(arrays);
  count_ = count;
}

void FromArrayNode::validate(const World&) {
  if (!parents.empty()) fail(RGL_INVALID_PIPELINE, fmt::format("{} is a source and can have no parents", name()));
}

void FilterGroundNode::begin(const RunContext&) {
  own_.forget();
  is_ground_ = own_.resize_as<std::int32_t>(RGL_FIELD_IS_GROUND_I32, count());
}

void FilterGroundNode::run_strip(std::size_t, Strip points) {
  fathom::find_slopes(input_as<float>(RGL_FIELD_NORMAL_VEC3_F32, points, 3), up_, double{threshold_rad_},
                      is_ground_ + points.begin);
}

bool PointsNoise::only_child_is_noise() const {
  return children.size() == 1 && dynamic_cast<const PointsNoise*>(children.front()) != nullptr;
}

void PointsNoise::begin(const RunContext& context) {
  active_ = noise_;
  hands_on_ = only_child_is_noise();
  isa_ = context.isa;
  executor_ = &context.executor;
  sensor_from_world_ = sensor_from_world();
  const auto* above = dynamic_cast<const PointsNoise*>(&input());
  const bool goes_on = above != nullptr && above->hands_on_;
  source_ = goes_on ? above->source_ : &input();
  models_.clear();
  if (goes_on) models_ = above->models_;
  models_.push_back({&active_, noise_key(context, active_.slug()), distance_from_origin_});
  keeps_misses_ = context.keep_misses && source_->has(RGL_FIELD_IS_HIT_I32);
  has_distance_ = source_->has(RGL_FIELD_DISTANCE_F32);
  own_.forget();
  if (!hands_on_) allocate();
}

void PointsNoise::allocate() const {
  xyz_ = own_.resize_as<float>(RGL_FIELD_XYZ_VEC3_F32, count());
  distance_m_ = has_distance_ ? own_.resize_as<float>(RGL_FIELD_DISTANCE_F32, count()) : nullptr;
}

void PointsNoise::run_strip(std::size_t, Strip strip) {
  if (!hands_on_) apply(strip);
}

void PointsNoise::apply(Strip strip) const {
  fathom::NoisyPoints points;
  points.first = static_cast<std::uint32_t>(strip.begin);
  points.xyz = source_->values_of<float>(RGL_FIELD_XYZ_VEC3_F32, strip, 3);
  if (distance_m_ != nullptr) {
    points.distance_m = source_->values_of<float>(RGL_FIELD_DISTANCE_F32, strip);
    points.out_distance_m = distance_m_ + strip.begin;
  }
  if (keeps_misses_) points.is_hit = source_->values_of<std::int32_t>(RGL_FIELD_IS_HIT_I32, strip);
  points.out_xyz = xyz_ + 3 * strip.begin;
  fathom::apply_noise(models_, sensor_from_world_, points, isa_);
}

const std::byte* PointsNoise::data(rgl_field_t field) const {
  if (hands_on_ && (field == RGL_FIELD_XYZ_VEC3_F32 || field == RGL_FIELD_DISTANCE_F32)) make_up();
  return ReplacingNode::data(field);
}

/// Draws are keyed, so arrays made later have the same bits as in the run.
void PointsNoise::make_up() const {
  const std::lock_guard lock(mutex_);
  if (own_.has(RGL_FIELD_XYZ_VEC3_F32)) return;
  try {
    allocate();
    executor_->parallel_for(PointsNode::strips(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t s = begin; s < end; ++s) apply(PointsNode::strip(s));
    });
  } catch (...) {
    own_.forget();  // the next request tries again
    throw;
  }
}

void SnowNode::begin(const RunContext& context) {
  key_ = noise_key(context, snow_.slug());
  isa_ = context.isa;
  active_ = light_;
  active_.falls_off = context.intensity_falls_off;
  active_.is_dimmed = light_.is_dimmed && !snow_.is_identity();  // which keeps every bit
  sensor_from_world_ = sensor_from_world();
  own_.forget();
  for (const rgl_field_t field : required()) own_.resize(field, count());
  for (const rgl_field_t field : {RGL_FIELD_ENTITY_ID_I32, RGL_FIELD_LASER_RETRO_F32}) {
    if (input().has(field)) own_.resize(field, count());
  }
}

void SnowNode::run_strip(std::size_t, Strip strip) {
  std::vector<std::uint8_t> is_flake(strip.end - strip.begin);
  fathom::PointLight light = active_;
  light.intensity = input_as<float>(RGL_FIELD_INTENSITY_F32, strip);
  light.out_intensity = own_.data_as<float>(RGL_FIELD_INTENSITY_F32) + strip.begin;
  light.from_medium = is_flake.data();
  fathom::NoisyPoints points;
  points.first = static_cast<std::uint32_t>(strip.begin);
  points.xyz = input_as<float>(RGL_FIELD_XYZ_VEC3_F32, strip, 3);
  points.distance_m = input_as<float>(RGL_FIELD_DISTANCE_F32, strip);
  if (input().has(RGL_FIELD_IS_HIT_I32)) points.is_hit = input_as<std::int32_t>(RGL_FIELD_IS_HIT_I32, strip);
  points.out_xyz = own_.data_as<float>(RGL_FIELD_XYZ_VEC3_F32) + 3 * strip.begin;
  points.out_distance_m = own_.data_as<float>(RGL_FIELD_DISTANCE_F32) + strip.begin;
  points.light = &light;
  const fathom::PointNoise snow = {&snow_, key_};
  fathom::apply_noise({&snow, 1}, sensor_from_world_, points, isa_);
  fill<std::int32_t>(RGL_FIELD_ENTITY_ID_I32, RGL_DEFAULT_ENTITY_ID, strip, is_flake.data());
  fill<float>(RGL_FIELD_LASER_RETRO_F32, 0.0F, strip, is_flake.data());
}

/// The values of the surfaces, but `of_flakes` for flakes.
template <class T>
void SnowNode::fill(rgl_field_t field, T of_flakes, Strip points, const std::uint8_t* is_flake) {
  if (!own_.has(field)) return;
  const std::span<const T> given = input_as<T>(field, points);
  T* out = own_.data_as<T>(field) + points.begin;
  for (std::size_t i = 0; i < given.size(); ++i) out[i] = is_flake[i] != 0 ? of_flakes : given[i];
}

void SelectNode::forget(const RunContext& context) {
  const std::lock_guard lock(mutex_);
  executor_ = &context.executor;
  done_.clear();
}

const std::byte* SelectNode::data(rgl_field_t field) const {
  if (own_.has(field)) return own_.data(field);
  constexpr std::size_t kPerTask = 16384;
  const std::lock_guard lock(mutex_);
  if (std::find(done_.begin(), done_.end(), field) == done_.end()) {
    const std::byte* from = input().data(field);
    const std::size_t size = info_of(field).size;
    std::byte* to = gathered_.resize(field, count());
    executor_->parallel_for(count(), kPerTask, [&](std::size_t begin, std::size_t end) {
      fathom::copy_points(from, size, indices_.subspan(begin, end - begin), to + begin * size);
    });
    done_.push_back(field);
  }
  return gathered_.data(field);
}

void CompactNode::begin(const RunContext& context) {
  forget(context);
  found_.clear();
  kept_.resize_as<std::uint32_t>(input().count());
}

void CompactNode::run_strip(std::size_t, Strip points) {
  auto* indices = reinterpret_cast<std::uint32_t*>(kept_.data()) + points.begin;
  const std::size_t found =
      fathom::find_nonzero(input_as<std::int32_t>(field_, points), static_cast<std::uint32_t>(points.begin), indices);
  const std::lock_guard lock(found_mutex_);
  found_[points.begin] = found;
}

/// Orders by strips, whichever was finished first.
void CompactNode::finish() {
  auto* indices = reinterpret_cast<std::uint32_t*>(kept_.data());
  std::size_t count = 0;
  for (const auto& [begin, found] : found_) {
    if (count != begin) std::copy_n(indices + begin, found, indices + count);
    count += found;
  }
  indices_ = {indices, count};
}

void ReturnSwitchNode::run(const RunContext& context) {
  forget(context);
  const auto types = input().returns();
  const auto found = std::find(types.begin(), types.end(), type_);
  if (found == types.end()) {
    fail(RGL_INVALID_PIPELINE, fmt::format("{}: the input has no return of type {}", name(), static_cast<int>(type_)));
  }
  kept_.clear();
  for (std::size_t i = static_cast<std::size_t>(found - types.begin()); i < input().count(); i += types.size()) {
    kept_.push_back(static_cast<std::uint32_t>(i));
  }
  indices_ = kept_;
}

void DownsampleNode::run(const RunContext& context) {
  forget(context);
  fathom::VoxelGrid grid = fathom::downsample(input_as<float>(RGL_FIELD_XYZ_VEC3_F32, 3), leaf_m_);
  kept_ = std::move(grid.nearest);
  indices_ = kept_;
  std::copy(grid.xyz.begin(), grid.xyz.end(), own_.resize_as<float>(RGL_FIELD_XYZ_VEC3_F32, count()));
}

void SpatialMergeNode::validate(const World&) {
  if (inputs_.size() < 2) {
    fail(RGL_INVALID_PIPELINE,
         fmt::format("{} looked for two or more parents of the kind IPointsNode, and has {}", name(), inputs_.size()));
  }
  for (const PointsNode* input : inputs_) {
    for (const rgl_field_t field : fields_) require_field(*input, field, name());
  }
}

bool SpatialMergeNode::has(rgl_field_t field) const {
  return std::find(fields_.begin(), fields_.end(), field) != fields_.end();
}

bool SpatialMergeNode::is_dense() const {
  return std::all_of(inputs_.begin(), inputs_.end(), [](const PointsNode* input) { return input->is_dense(); });
}

void SpatialMergeNode::run(const RunContext&) {
  merged_.forget();
  count_ = 0;
  for (const PointsNode* input : inputs_) count_ += input->count();
  for (const rgl_field_t field : fields_) {
    std::byte* out = merged_.resize(field, count_);
    for (const PointsNode* input : inputs_)
      out = std::copy_n(input->data(field), input->count() * info_of(field).size, out);
  }
}

void TemporalMergeNode::set(const std::vector<rgl_field_t>& fields) {
  std::vector<rgl_field_t> real = real_fields(fields);
  std::map<rgl_field_t, std::vector<std::byte>> merged;
  for (const rgl_field_t field : real) merged[field];
  fields_ = std::move(real), merged_ = std::move(merged);
  count_ = 0;
}

void TemporalMergeNode::run(const RunContext&) {
  // Makes room for all fields first: a lack of memory must not leave fields of different lengths.
  for (const rgl_field_t field : fields_) make_room(merged_.at(field), input().count() * info_of(field).size);
  for (const rgl_field_t field : fields_) {
    const std::byte* more = input().data(field);
    std::vector<std::byte>& all = merged_.at(field);
    all.insert(all.end(), more, more + input().count() * info_of(field).size);
  }
  count_ += input().count();
}

void WritePcdNode::close() {
  if (count() == 0) return;
  const FieldInfo& xyz = info_of(RGL_FIELD_XYZ_VEC3_F32);
  save_pcd(file_, std::array{fathom::CloudProperty{xyz.parts, xyz.type, xyz.size, data(xyz.field)}}, count());
}

void save_pcd(const std::filesystem::path& file, std::span<const fathom::CloudProperty> properties,
              std::size_t points) {
  try {
    fathom::write_pcd(file, properties, points);
  } catch (const fathom::SystemError& error) {
    fail(RGL_INVALID_FILE_PATH, std::string("Invalid file path: ") + error.what());
  }
}

}  // namespace rgl
