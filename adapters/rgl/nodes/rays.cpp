// SPDX-License-Identifier: MIT
#include "nodes/rays.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include <fmt/format.h>

#include "status.hpp"
#include "world.hpp"

namespace rgl {

void RaysFromMatrices::validate(const World&) {
  if (!parents.empty()) fail(RGL_INVALID_PIPELINE, fmt::format("{} is a source and can have no parents", name()));
}

void RaysRingIds::validate(const World&) {
  if (input().ray_count() % rings_.size() == 0) return;
  fail(RGL_INVALID_PIPELINE,
       fmt::format("ring ids doesn't match number of rays: {} rays, {} ring ids", input().ray_count(), rings_.size()));
}

void RaysRange::validate(const World&) {
  if (ranges_.size() == 1 || ranges_.size() == input().ray_count()) return;
  fail(RGL_INVALID_PIPELINE,
       fmt::format("ranges doesn't match number of rays: {} rays, {} ranges", input().ray_count(), ranges_.size()));
}

void RaysTimeOffsets::validate(const World&) {
  if (offsets_ms_.size() == input().ray_count()) return;
  fail(RGL_INVALID_PIPELINE, fmt::format("time offsets doesn't match number of rays: {} rays, {} time offsets",
                                         input().ray_count(), offsets_ms_.size()));
}

/// Invertible transforms may have a product without an inverse: 1e-38 cubed is 0.
void RaysTransform::prepare(World&) {
  cumulative_ = transform_ * input().world_from_sensor();
  if (!fathom::inverse(cumulative_))
    fail(RGL_INVALID_PIPELINE, "TransformRaysNode: with those above it, flattens space");
}

void RaysAngularNoise::prepare_rays(const RunContext& context) {
  input().prepare_rays(context);
  key_ = noise_key(context, noise_.slug());
  isa_ = context.isa;
}

void RaysAngularNoise::load(fathom::PosedRayBlock& block) const {
  input().load(block);
  fathom::apply_noise(noise_, key_, isa_, block);
}

namespace {

/// The fields that points nodes below need. The search ends at nodes of other kinds.
std::vector<rgl_field_t> asked_below(const Node& top) {
  std::vector<rgl_field_t> fields = {RGL_FIELD_XYZ_VEC3_F32};
  std::vector<const Node*> todo = {&top};
  std::unordered_set<const Node*> seen = {&top};
  while (!todo.empty()) {
    const Node* node = todo.back();
    todo.pop_back();
    for (const Node* child : node->children) {
      const auto* points = dynamic_cast<const PointsNode*>(child);
      if (points == nullptr || !seen.insert(child).second) continue;
      for (const rgl_field_t field : points->read()) fields.push_back(field);
      todo.push_back(child);
    }
  }
  return real_fields(fields);
}

fathom::ReturnChoice choice_of(rgl_return_type_t type) {
  switch (type) {
    case RGL_RETURN_TYPE_STRONGEST:
      return fathom::ReturnChoice::kStrongest;
    case RGL_RETURN_TYPE_LAST:
      return fathom::ReturnChoice::kLast;
    case RGL_RETURN_TYPE_SECOND:
      return fathom::ReturnChoice::kSecond;
    case RGL_RETURN_TYPE_SECOND_STRONGEST:
      return fathom::ReturnChoice::kSecondStrongest;
    default:
      return fathom::ReturnChoice::kFirst;
  }
}

/// Fields that the tracer does not fill.
bool follows_later(rgl_field_t field) {
  switch (field) {
    case RGL_FIELD_RAY_IDX_U32:
    case RGL_FIELD_RING_ID_U16:
    case RGL_FIELD_RETURN_TYPE_U8:
    case RGL_FIELD_TIME_STAMP_F64:
    case RGL_FIELD_TIME_STAMP_U32:
    case RGL_FIELD_IS_GROUND_I32:
    case RGL_FIELD_POWER_F32:
    case RGL_FIELD_RCS_F32:
    case RGL_FIELD_NOISE_F32:
    case RGL_FIELD_SNR_F32:
    case RGL_FIELD_INTENSITY_U8:
    case RGL_FIELD_REFLECTIVITY_F32:
      return true;
    default:
      return false;
  }
}

[[noreturn]] void refuse(std::string_view what) { fail(RGL_INVALID_PIPELINE, fmt::format("RaytraceNode: {}", what)); }

void check_mask(std::size_t size, std::uint32_t rays) {
  if (size == 0 || size == rays) return;
  refuse(fmt::format("the mask is for {} rays, there are {}", size, rays));
}

}  // namespace

bool RaytraceNode::has(rgl_field_t field) const {
  return std::find(fields_.begin(), fields_.end(), field) != fields_.end();
}

void RaytraceNode::validate(const World& world) {
  fields_ = asked_below(*this);
  if (has(RGL_FIELD_RING_ID_U16) && rays_->rings().empty()) refuse("requested RING_ID_U16, but there are no ring ids");
  if (has(RGL_FIELD_TIME_STAMP_F64) && !world.now())
    refuse("requested TIME_STAMP_F64, but the scene's time is not set");
  if (settings.distort && rays_->time_offsets_ms().empty()) {
    refuse("requested distortion, but the rays have no time offsets");
  }
  check_mask(settings.mask.size(), rays_->ray_count());
}

/// A refused run may have added fields since the last run.
const std::byte* RaytraceNode::data(rgl_field_t field) const {
  if (std::find(computed_.begin(), computed_.end(), field) == computed_.end()) {
    refuse(fmt::format("no {} yet: it hasn't been run yet with that field", info_of(field).name));
  }
  return store_.data(field);
}

bool RaytraceNode::uses_stale_scene(const World& world) const { return world.is_stale(settings.sensor_id); }

void RaytraceNode::prepare(World& world) {
  caster_ = &world.caster_for(settings.sensor_id);
  active_ = settings;
  computed_ = fields_;
  step_s_ = world.step_s();
}

fathom::Affine RaytraceNode::sensor_from_world() const {
  const auto inverse = fathom::inverse(rays_->world_from_sensor());
  if (!inverse) refuse("the rays' transform flattens space");
  return *inverse;
}

bool RaytraceNode::computes(rgl_field_t field) const {
  if (has(field)) return true;
  const bool reflectivity = has(RGL_FIELD_REFLECTIVITY_F32);
  if (field == RGL_FIELD_INTENSITY_F32) return reflectivity || has(RGL_FIELD_INTENSITY_U8);
  return field == RGL_FIELD_DISTANCE_F32 && reflectivity;
}

fathom::TraceArrays RaytraceNode::allocate() {
  const auto array = [&]<class T>(rgl_field_t field, T*& out) {
    if (computes(field)) out = store_.resize_as<T>(field, count_);
  };
  fathom::TraceArrays out;
  array(RGL_FIELD_XYZ_VEC3_F32, out.xyz);
  array(RGL_FIELD_DISTANCE_F32, out.distance_m);
  array(RGL_FIELD_IS_HIT_I32, out.is_hit);
  array(RGL_FIELD_ENTITY_ID_I32, out.id);
  array(RGL_FIELD_INTENSITY_F32, out.intensity);
  array(RGL_FIELD_LASER_RETRO_F32, out.laser_retro);
  array(RGL_FIELD_AZIMUTH_F32, out.azimuth_rad);
  array(RGL_FIELD_ELEVATION_F32, out.elevation_rad);
  array(RGL_FIELD_NORMAL_VEC3_F32, out.normal);
  array(RGL_FIELD_INCIDENT_ANGLE_F32, out.incidence_rad);
  array(RGL_FIELD_ABSOLUTE_VELOCITY_VEC3_F32, out.absolute_velocity_mps);
  array(RGL_FIELD_RELATIVE_VELOCITY_VEC3_F32, out.relative_velocity_mps);
  array(RGL_FIELD_RADIAL_SPEED_F32, out.radial_speed_mps);
  array(RGL_FIELD_RAY_POSE_MAT3x4_F32, out.world_from_ray);
  for (const rgl_field_t field : fields_) {
    if (follows_later(field)) store_.resize(field, count_);
  }
  return out;
}

void RaytraceNode::begin(const RunContext& context) {
  check_mask(active_.mask.size(), rays_->ray_count());  // it may have changed since the validation
  rays_->prepare_rays(context);
  count_ = std::size_t{rays_->ray_count()} * active_.returns.size();
  offsets_s_.assign(rays_->time_offsets_ms().begin(), rays_->time_offsets_ms().end());
  for (float& t : offsets_s_) t *= 1e-3F;
  choices_.clear();
  for (const rgl_return_type_t type : active_.returns) choices_.push_back(choice_of(type));
  const fathom::PosedRays posed = {.source = *rays_,
                                   .count = rays_->ray_count(),
                                   .grid = rays_->grid(),
                                   .range_m = rays_->ranges(),
                                   .time_offset_s = offsets_s_,
                                   .mask = active_.mask};
  const fathom::TraceSettings trace = {.world_from_sensor = rays_->world_from_sensor(),
                                       .motion = active_.motion,
                                       .distort = active_.distort,
                                       .near_miss_m = active_.near_miss,
                                       .far_miss_m = active_.far_miss,
                                       .divergence_h_rad = active_.divergence_h_rad,
                                       .divergence_v_rad = active_.divergence_v_rad,
                                       .default_intensity = active_.default_intensity,
                                       .intensity_falls_off = context.intensity_falls_off,
                                       .step_s = step_s_,
                                       .isa = context.isa,
                                       .returns = choices_};
  tracer_.emplace(*caster_, posed, trace, allocate());
}

std::size_t RaytraceNode::strips() const { return tracer_->strips(); }

Strip RaytraceNode::strip(std::size_t number) const {
  const fathom::RayStrip rays = tracer_->strip(number);
  return {rays.begin * active_.returns.size(), rays.end * active_.returns.size()};
}

void RaytraceNode::run_strip(std::size_t number, Strip points) {
  tracer_->trace_strip(number);
  fill_from_rays(points);
  fill_from_arrays(points);
}

/// Fills fields that depend on the number of the ray and of the return.
void RaytraceNode::fill_from_rays(Strip points) {
  const std::size_t returns = active_.returns.size();
  const auto fill = [&]<class T>(rgl_field_t field, T, auto value) {
    if (!has(field)) return;
    T* out = store_.data_as<T>(field);
    for (std::size_t i = points.begin; i < points.end; ++i) out[i] = static_cast<T>(value(i / returns, i % returns));
  };
  const auto rings = rays_->rings();
  const auto offsets = rays_->time_offsets_ms();
  const bool stamped = active_.distort && offsets.size() == rays_->ray_count();
  fill(RGL_FIELD_RAY_IDX_U32, std::uint32_t{}, [](std::size_t ray, std::size_t) { return ray; });
  fill(RGL_FIELD_RING_ID_U16, std::uint16_t{}, [&](std::size_t ray, std::size_t) { return rings[ray % rings.size()]; });
  fill(RGL_FIELD_RETURN_TYPE_U8, std::uint8_t{}, [&](std::size_t, std::size_t k) { return active_.returns[k]; });
  fill(RGL_FIELD_TIME_STAMP_F64, double{},
       [&](std::size_t ray, std::size_t) { return stamped ? offsets[ray] * 1e-3F : 0.0F; });
  fill(RGL_FIELD_TIME_STAMP_U32, std::uint32_t{}, [&](std::size_t ray, std::size_t) -> std::uint32_t {
    const float ns = stamped ? offsets[ray] * 1e6F : 0.0F;
    return ns >= 0.0F && ns < 4294967296.0F ? static_cast<std::uint32_t>(ns) : 0;
  });
  for (const rgl_field_t field :
       {RGL_FIELD_IS_GROUND_I32, RGL_FIELD_POWER_F32, RGL_FIELD_RCS_F32, RGL_FIELD_NOISE_F32, RGL_FIELD_SNR_F32}) {
    fill(field, std::uint32_t{}, [](std::size_t, std::size_t) { return 0U; });  // unknown here
  }
}

/// Fills fields that depend on intensity and distance.
void RaytraceNode::fill_from_arrays(Strip points) {
  if (has(RGL_FIELD_INTENSITY_U8)) {
    const auto* intensity = store_.data_as<float>(RGL_FIELD_INTENSITY_F32);
    auto* out = store_.data_as<std::uint8_t>(RGL_FIELD_INTENSITY_U8);
    for (std::size_t i = points.begin; i < points.end; ++i) {
      out[i] = intensity[i] < 255.0F ? static_cast<std::uint8_t>(std::round(intensity[i])) : 255;
    }
  }
  if (has(RGL_FIELD_REFLECTIVITY_F32)) {
    const auto* intensity = store_.data_as<float>(RGL_FIELD_INTENSITY_F32);
    const auto* distance = store_.data_as<float>(RGL_FIELD_DISTANCE_F32);
    auto* out = store_.data_as<float>(RGL_FIELD_REFLECTIVITY_F32);
    for (std::size_t i = points.begin; i < points.end; ++i) {
      out[i] = intensity[i] == 0.0F ? 0.0F : active_.reflectivity_alpha * intensity[i] * distance[i] * distance[i];
    }
  }
}

}  // namespace rgl
