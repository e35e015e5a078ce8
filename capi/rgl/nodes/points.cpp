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

void TransformNode::run(const RunContext& context) {
  fathom::transform_points(transform_, input_as<float>(RGL_FIELD_XYZ_VEC3_F32, 3),
                           own_.resize_as<float>(RGL_FIELD_XYZ_VEC3_F32, count()), context.executor);
}

bool FormatNode::has(rgl_field_t field) const {
  return field == RGL_FIELD_DYNAMIC_FORMAT || std::find(fields_.begin(), fields_.end(), field) != fields_.end();
}

const std::byte* FormatNode::data(rgl_field_t field) const {
  return field == RGL_FIELD_DYNAMIC_FORMAT ? packed_.data() : input().data(field);
}

void FormatNode::run(const RunContext& context) {
  std::vector<fathom::PackedProperty> properties;
  std::size_t offset = 0;
  for (const rgl_field_t field : fields_) {
    const std::size_t size = info_of(field).size;
    if (!is_padding(field)) {
      const Indexed from = input().indexed(field);
      properties.push_back({from.values, from.indices, size, offset});
    }
    offset += size;
  }
  fathom::pack_points(properties, count(), offset, packed_.resize(count() * offset), context.executor);
}

void FromArrayNode::set(const std::byte* points, std::size_t count, const std::vector<rgl_field_t>& fields) {
  own_.clear();
  count_ = count;
  const std::size_t step = rgl::packed_size(fields);
  std::size_t offset = 0;
  for (const rgl_field_t field : fields) {
    const std::size_t size = info_of(field).size;
    if (!is_padding(field)) {
      std::byte* out = own_.resize(field, count);
      for (std::size_t i = 0; i < count; ++i) std::memcpy(out + i * size, points + i * step + offset, size);
    }
    offset += size;
  }
}

void FromArrayNode::validate(const World&) {
  if (!parents.empty()) fail(RGL_INVALID_PIPELINE, fmt::format("{} is a source and can have no parents", name()));
}

void FilterGroundNode::run(const RunContext& context) {
  fathom::find_slopes(input_as<float>(RGL_FIELD_NORMAL_VEC3_F32, 3), up_, double{threshold_rad_},
                      own_.resize_as<std::int32_t>(RGL_FIELD_IS_GROUND_I32, count()), context.executor);
}

void PointsNoise::run(const RunContext& context) {
  const bool has_distance = input().has(RGL_FIELD_DISTANCE_F32);
  fathom::NoisyPoints points;
  points.xyz = input_as<float>(RGL_FIELD_XYZ_VEC3_F32, 3);
  if (has_distance) points.distance_m = input_as<float>(RGL_FIELD_DISTANCE_F32);
  if (context.keep_misses && input().has(RGL_FIELD_IS_HIT_I32))
    points.is_hit = input_as<std::int32_t>(RGL_FIELD_IS_HIT_I32);
  points.out_xyz = own_.resize_as<float>(RGL_FIELD_XYZ_VEC3_F32, count());
  if (has_distance) points.out_distance_m = own_.resize_as<float>(RGL_FIELD_DISTANCE_F32, count());
  points.distance_from_origin = distance_from_origin_;
  fathom::apply_noise(noise_, noise_key(context, noise_.slug()), sensor_from_world(), points, context.executor,
                      context.isa);
}

}  // namespace rgl
