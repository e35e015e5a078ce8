// SPDX-License-Identifier: MIT
// Rays and raytrace: rows of sections 6.3 and 6.4, and of 0.20 and 0.21.

#include "rgl/tests/functions.hpp"

namespace fathom::test {
namespace {

constexpr std::int32_t kRings[2] = {1, 2};
constexpr rgl_vec2f kRange = {{0, 10}};
constexpr float kOffsets[2] = {1, 2};
constexpr rgl_vec3f kSensorVelocity = {{1, 2, 3}};
constexpr std::int8_t kMask[2] = {1, 0};
constexpr auto kNoAxis = static_cast<rgl_axis_t>(0), kFourthAxis = static_cast<rgl_axis_t>(4);

rgl_status_t range(rgl_node_t* node, float low, float high) {
  const rgl_vec2f limits[2] = {kRange, {{low, high}}};
  return rgl_node_rays_set_range(node, limits, 2);
}

std::vector<Function> rays() {
  const auto from = TAKING(rgl_node_t * n, rgl_node_rays_from_mat3x4f(n, &kIdentity, 1));
  const auto rings = TAKING(rgl_node_t * n, rgl_node_rays_set_ring_ids(n, kRings, 2));
  const auto ranges = TAKING(rgl_node_t * n, rgl_node_rays_set_range(n, &kRange, 1));
  const auto offsets = TAKING(rgl_node_t * n, rgl_node_rays_set_time_offsets(n, kOffsets, 2));
  const auto transform = TAKING(rgl_node_t * n, rgl_node_rays_transform(n, &kIdentity));
  const auto noise = [](Objects&, rgl_node_t* n) {
    // No limits to the mean, and none above to the deviation.
    EXPECT_EQ(rgl_node_gaussian_noise_angular_ray(n, -100, 50, RGL_AXIS_X), RGL_SUCCESS);
    EXPECT_EQ(rgl_node_gaussian_noise_angular_ray(n, 0, 0, RGL_AXIS_Z), RGL_SUCCESS);
    return rgl_node_gaussian_noise_angular_ray(n, 0, 0.1F, RGL_AXIS_Y);
  };
  return {
      Function("rgl_node_rays_from_mat3x4f", made_and_changed(from))
          .makes(from)
          .refuses("rays != nullptr", MAKING(rgl_node_rays_from_mat3x4f(n, nullptr, 1)))
          .refuses("ray_count > 0", MAKING(rgl_node_rays_from_mat3x4f(n, &kIdentity, 0)))
          .refuses("ray_count > 0", MAKING(rgl_node_rays_from_mat3x4f(n, &kIdentity, -1))),
      Function("rgl_node_rays_set_ring_ids", made_and_changed(rings))
          .makes(rings)
          .refuses("ring_ids != nullptr", MAKING(rgl_node_rays_set_ring_ids(n, nullptr, 2)))
          .refuses("ring_ids_count > 0", MAKING(rgl_node_rays_set_ring_ids(n, kRings, 0))),
      Function("rgl_node_rays_set_range", made_and_changed(ranges))
          .makes(ranges)
          .refuses("ranges != nullptr", MAKING(rgl_node_rays_set_range(n, nullptr, 1)))
          .refuses("ranges_count > 0", MAKING(rgl_node_rays_set_range(n, &kRange, 0)))
          .refuses("min >= 0", MAKING(range(n, -1, 2)))
          .refuses("max >= min", MAKING(range(n, 3, 2)))
          .refuses("min >= 0", MAKING(range(n, kNotANumber, 2)))
          .refuses("max >= min", MAKING(range(n, 0, kNotANumber))),
      Function("rgl_node_rays_set_time_offsets", made_and_changed(offsets))
          .makes(offsets)
          .refuses("offsets != nullptr", MAKING(rgl_node_rays_set_time_offsets(n, nullptr, 2)))
          .refuses("offsets_count > 0", MAKING(rgl_node_rays_set_time_offsets(n, kOffsets, 0))),
      Function("rgl_node_rays_transform", made_and_changed(transform))
          .makes(transform)
          .refuses("transform != nullptr", MAKING(rgl_node_rays_transform(n, nullptr)))
          .refuses("max", MAKING(rgl_node_rays_transform(n, &kTorn)))
          .refuses("max", MAKING(rgl_node_rays_transform(n, &kFarOff)))
          .refuses("flattens space", MAKING(rgl_node_rays_transform(n, &kFlat))),
      Function("rgl_node_gaussian_noise_angular_ray", made_and_changed(noise))
          .makes(TAKING(rgl_node_t * n, rgl_node_gaussian_noise_angular_ray(n, 0, 0, RGL_AXIS_X)))
          .refuses("st_dev >= 0", MAKING(rgl_node_gaussian_noise_angular_ray(n, 0, -1, RGL_AXIS_X)))
          .refuses("st_dev >= 0", MAKING(rgl_node_gaussian_noise_angular_ray(n, 0, kNotANumber, RGL_AXIS_X)))
          .refuses("rotation_axis ==", MAKING(rgl_node_gaussian_noise_angular_ray(n, 0, 0, kNoAxis)))
          .refuses("rotation_axis ==", MAKING(rgl_node_gaussian_noise_angular_ray(n, 0, 0, kFourthAxis))),
  };
}

/// A function that configures raytrace nodes, with any handle.
Function configures(const char* name, rgl_status_t (*call)(Objects&, rgl_node_t)) {
  Function f(name, [call](Objects& o) { return call(o, o.trace); });
  f.node("node", call, "RaytraceNode");
  return f;
}

std::vector<Function> raytrace() {
  const auto make = TAKING(rgl_node_t * n, rgl_node_raytrace(n, nullptr));
  const auto divergence = [](float h, float v) {
    return [=](Objects& o) { return rgl_node_raytrace_configure_beam_divergence(o.trace, h, v); };
  };
  const auto mode = [](unsigned word) {
    return [=](Objects& o) {
      return rgl_node_raytrace_configure_return_mode(o.trace, static_cast<rgl_return_mode_t>(word));
    };
  };
  return {
      Function("rgl_node_raytrace", made_and_changed(make))
          .makes(make)
          .refuses("scene == nullptr",
                   [](Objects& o) {
                     rgl_node_t node = nullptr;
                     return rgl_node_raytrace(&node, reinterpret_cast<rgl_scene_t>(o.mesh));
                   }),
      configures("rgl_node_raytrace_configure_velocity",
                 TAKING(rgl_node_t n, rgl_node_raytrace_configure_velocity(n, &kSensorVelocity, &kSensorVelocity)))
          .refuses("linear_velocity != nullptr",
                   CALL(rgl_node_raytrace_configure_velocity(o.trace, nullptr, &kSensorVelocity)))
          .refuses("angular_velocity != nullptr",
                   CALL(rgl_node_raytrace_configure_velocity(o.trace, &kSensorVelocity, nullptr))),
      configures("rgl_node_raytrace_configure_distortion",
                 TAKING(rgl_node_t n, rgl_node_raytrace_configure_distortion(n, true))),
      configures("rgl_node_raytrace_configure_non_hits",
                 TAKING(rgl_node_t n, rgl_node_raytrace_configure_non_hits(n, -1, kNotANumber))),
      configures("rgl_node_raytrace_configure_mask",
                 TAKING(rgl_node_t n, rgl_node_raytrace_configure_mask(n, kMask, 2)))
          .refuses("rays_mask != nullptr", CALL(rgl_node_raytrace_configure_mask(o.trace, nullptr, 2)))
          .refuses("rays_count > 0", CALL(rgl_node_raytrace_configure_mask(o.trace, kMask, 0))),
      configures("rgl_node_raytrace_configure_beam_divergence",
                 [](Objects&, rgl_node_t n) {
                   const rgl_status_t off = rgl_node_raytrace_configure_beam_divergence(n, 0, 0);
                   if (off != RGL_SUCCESS) return off;
                   return rgl_node_raytrace_configure_beam_divergence(n, 0.1F, 0.2F);
                 })
          .refuses("beam_divergence", divergence(1, 0))
          .refuses("beam_divergence", divergence(0, 1))
          .refuses("beam_divergence", divergence(-1, -1))
          .refuses("beam_divergence", divergence(kNotANumber, 1))
          .refuses("beam_divergence", divergence(1, kNotANumber))
          .refuses("beam_divergence", divergence(1, kInfinite)),
      configures("rgl_node_raytrace_configure_default_intensity",
                 TAKING(rgl_node_t n, rgl_node_raytrace_configure_default_intensity(n, 0)))
          .refuses("default_intensity >= 0", CALL(rgl_node_raytrace_configure_default_intensity(o.trace, -1)))
          .refuses("default_intensity >= 0", CALL(rgl_node_raytrace_configure_default_intensity(o.trace, kNotANumber))),
      configures("rgl_node_raytrace_configure_return_mode",
                 TAKING(rgl_node_t n, rgl_node_raytrace_configure_return_mode(n, RGL_RETURN_LAST_STRONGEST)))
          .refuses("return_mode != RGL_RETURN_UNKNOWN", mode(0))
          // RGL takes any word; what names no returns, or returns that do not exist, is refused here.
          .refuses("return_count", mode(0x00000004))
          .refuses("return_count", mode(0xff000004))
          .refuses("return_type", mode(0x01000000))
          .refuses("return_type", mode(0x01000006))
          .refuses("return_type", mode(0x02000001)),
      configures("rgl_node_raytrace_configure_reflectivity_alpha",
                 TAKING(rgl_node_t n, rgl_node_raytrace_configure_reflectivity_alpha(n, 0.2F)))
          .refuses("reflectivity_alpha >= 0",
                   CALL(rgl_node_raytrace_configure_reflectivity_alpha(o.trace, kNotANumber))),
      configures("rgl_node_raytrace_configure_id", TAKING(rgl_node_t n, rgl_node_raytrace_configure_id(n, -3)))
          .refuses("RGL_SENSOR_ID_NONE", CALL(rgl_node_raytrace_configure_id(o.trace, RGL_SENSOR_ID_NONE))),
  };
}

}  // namespace

std::vector<Function> ray_functions() { return joined({rays, raytrace}); }

}  // namespace fathom::test
