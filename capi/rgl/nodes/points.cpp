// SPDX-License-Identifier: MIT
#include "nodes/points.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "status.hpp"

namespace rgl {

/// The place of the sensor moves with the points.
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

/// The draws are keyed: what comes later has the bits that it would have had in the run.
void PointsNoise::make_up() const {
  const std::lock_guard lock(mutex_);
  if (own_.has(RGL_FIELD_XYZ_VEC3_F32)) return;
  try {
    allocate();
    executor_->parallel_for(PointsNode::strips(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t s = begin; s < end; ++s) apply(PointsNode::strip(s));
    });
  } catch (...) {
    own_.forget();  // the next request makes them
    throw;
  }
}

}  // namespace rgl
