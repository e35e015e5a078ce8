// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstring>

#include <rgl/api/old.h>

#include "library.hpp"
#include "nodes/points.hpp"
#include "nodes/rays.hpp"

using namespace rgl;

rgl_status_t rgl_node_rays_from_mat3x4f(rgl_node_t* node, const rgl_mat3x4f* rays, int32_t ray_count) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    RGL_CHECK(rays != nullptr);
    RGL_CHECK(ray_count > 0);
    make_or_change<RaysFromMatrices>(lib, node, Dirties::kGraph, [&](RaysFromMatrices& source) {
      static_assert(sizeof(fathom::Matrix34) == sizeof(rgl_mat3x4f));
      std::vector<fathom::Matrix34> sensor_from_ray(static_cast<std::size_t>(ray_count));
      std::memcpy(sensor_from_ray.data(), rays, sensor_from_ray.size() * sizeof(rgl_mat3x4f));
      source.set(sensor_from_ray);
    });
    lib.tape.record("rgl_node_rays_from_mat3x4f", *node, tape_array(rays, ray_count), ray_count);
  });
}

rgl_status_t rgl_node_rays_set_ring_ids(rgl_node_t* node, const int32_t* ring_ids, int32_t ring_ids_count) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    RGL_CHECK(ring_ids != nullptr);
    RGL_CHECK(ring_ids_count > 0);
    make_or_change<RaysRingIds>(lib, node, Dirties::kNode, [&](RaysRingIds& rings) {
      rings.set({ring_ids, ring_ids + ring_ids_count});
    });
    lib.tape.record("rgl_node_rays_set_ring_ids", *node, tape_array(ring_ids, ring_ids_count), ring_ids_count);
  });
}

rgl_status_t rgl_node_rays_set_range(rgl_node_t* node, const rgl_vec2f* ranges, int32_t ranges_count) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    RGL_CHECK(ranges != nullptr);
    RGL_CHECK(ranges_count > 0);
    std::vector<std::array<float, 2>> list;
    for (std::int32_t i = 0; i < ranges_count; ++i) {
      const float min = ranges[i].value[0], max = ranges[i].value[1];
      RGL_CHECK(min >= 0.0F);
      RGL_CHECK(max >= min);
      list.push_back({min, max});
    }
    make_or_change<RaysRange>(lib, node, Dirties::kNode, [&](RaysRange& range) { range.set(std::move(list)); });
    lib.tape.record("rgl_node_rays_set_range", *node, tape_array(ranges, ranges_count), ranges_count);
  });
}

rgl_status_t rgl_node_rays_set_time_offsets(rgl_node_t* node, const float* offsets, int32_t offsets_count) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    RGL_CHECK(offsets != nullptr);
    RGL_CHECK(offsets_count > 0);
    make_or_change<RaysTimeOffsets>(lib, node, Dirties::kNode, [&](RaysTimeOffsets& times) {
      times.set({offsets, offsets + offsets_count});
    });
    lib.tape.record("rgl_node_rays_set_time_offsets", *node, tape_array(offsets, offsets_count), offsets_count);
  });
}

rgl_status_t rgl_node_rays_transform(rgl_node_t* node, const rgl_mat3x4f* transform) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    RGL_CHECK(transform != nullptr);
    check_invertible(*transform);
    make_or_change<RaysTransform>(lib, node, Dirties::kNode, [&](RaysTransform& t) { t.set(to_affine(*transform)); });
    lib.tape.record("rgl_node_rays_transform", *node, tape_array(transform));
  });
}

rgl_status_t rgl_node_gaussian_noise_angular_ray(rgl_node_t* node, float mean, float st_dev, rgl_axis_t rotation_axis) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    RGL_CHECK(st_dev >= 0.0F);
    RGL_CHECK(rotation_axis == RGL_AXIS_X || rotation_axis == RGL_AXIS_Y || rotation_axis == RGL_AXIS_Z);
    const fathom::Noise noise = angular_ray_noise(mean, st_dev, to_axis(rotation_axis));
    make_or_change<RaysAngularNoise>(lib, node, Dirties::kNode, [&](RaysAngularNoise& n) { n.set(noise); });
    lib.tape.record("rgl_node_gaussian_noise_angular_ray", *node, mean, st_dev, rotation_axis);
  });
}

namespace {

/// Changes the settings of a raytrace node. They take effect at its next run. Does not wait for the current one.
template <class Set>
void configure(Library& lib, rgl_node_t node, Set set) {
  set(node_as<RaytraceNode>(lib, node, "RaytraceNode")->settings);
}

fathom::Vec3 to_vec3(const rgl_vec3f& v) { return {v.value[0], v.value[1], v.value[2]}; }

/// The body of the two older functions that make a raytrace node of a moving sensor.
void make_in_motion(Library& lib, rgl_node_t* node, rgl_scene_t scene, const rgl_vec3f* linear_velocity,
                    const rgl_vec3f* angular_velocity, bool distort) {
  RGL_CHECK(node != nullptr);
  RGL_CHECK(scene == nullptr);
  RGL_CHECK(linear_velocity != nullptr);
  RGL_CHECK(angular_velocity != nullptr);
  make_or_change<RaytraceNode>(lib, node, Dirties::kNode, [&](RaytraceNode& trace) {
    trace.settings.motion = {to_vec3(*linear_velocity), to_vec3(*angular_velocity)};
    trace.settings.distort = distort;
    trace.settings.in_motion = true;
  });
}

/// The types of the returns of a mode. Throws INVALID_ARGUMENT for a mode without returns or with unknown types.
std::vector<rgl_return_type_t> returns_of(rgl_return_mode_t return_mode) {
  const auto word = static_cast<std::uint32_t>(return_mode);
  const std::uint32_t return_count = word >> RGL_RETURN_MODE_BIT_SHIFT;
  RGL_CHECK(return_count >= 1 && return_count <= 3);
  std::vector<rgl_return_type_t> types;
  for (std::uint32_t i = 0; i < return_count; ++i) {
    const std::uint32_t return_type = (word >> (RGL_RETURN_TYPE_BIT_SHIFT * i)) & 0xffU;
    RGL_CHECK(return_type >= RGL_RETURN_TYPE_STRONGEST && return_type <= RGL_RETURN_TYPE_SECOND_STRONGEST);
    types.push_back(static_cast<rgl_return_type_t>(return_type));
  }
  return types;
}

}  // namespace

rgl_status_t rgl_node_raytrace(rgl_node_t* node, rgl_scene_t scene) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    RGL_CHECK(scene == nullptr);
    make_or_change<RaytraceNode>(lib, node, Dirties::kNode, [](RaytraceNode& trace) {
      if (!trace.settings.in_motion) return;
      trace.settings.motion = {};
      trace.settings.distort = trace.settings.in_motion = false;
    });
    lib.tape.record("rgl_node_raytrace", *node, scene);
  });
}

rgl_status_t rgl_node_raytrace_with_distortion(rgl_node_t* node, rgl_scene_t scene, const rgl_vec3f* linear_velocity,
                                               const rgl_vec3f* angular_velocity) {
  return guarded([&](Library& lib) {
    make_in_motion(lib, node, scene, linear_velocity, angular_velocity, true);
    lib.tape.record("rgl_node_raytrace_with_distortion", *node, scene, tape_array(linear_velocity),
                    tape_array(angular_velocity));
  });
}

rgl_status_t rgl_node_raytrace_in_motion(rgl_node_t* node, rgl_scene_t scene, const rgl_vec3f* linear_velocity,
                                         const rgl_vec3f* angular_velocity, bool apply_ray_distortion) {
  return guarded([&](Library& lib) {
    make_in_motion(lib, node, scene, linear_velocity, angular_velocity, apply_ray_distortion);
    lib.tape.record("rgl_node_raytrace_in_motion", *node, scene, tape_array(linear_velocity),
                    tape_array(angular_velocity), apply_ray_distortion);
  });
}

rgl_status_t rgl_node_raytrace_configure_velocity(rgl_node_t node, const rgl_vec3f* linear_velocity,
                                                  const rgl_vec3f* angular_velocity) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    RGL_CHECK(linear_velocity != nullptr);
    RGL_CHECK(angular_velocity != nullptr);
    configure(lib, node, [&](RaytraceSettings& s) {
      s.motion = {to_vec3(*linear_velocity), to_vec3(*angular_velocity)};
    });
    lib.tape.record("rgl_node_raytrace_configure_velocity", node, tape_array(linear_velocity),
                    tape_array(angular_velocity));
  });
}

rgl_status_t rgl_node_raytrace_configure_distortion(rgl_node_t node, bool enable) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    configure(lib, node, [&](RaytraceSettings& s) { s.distort = enable; });
    lib.tape.record("rgl_node_raytrace_configure_distortion", node, enable);
  });
}

rgl_status_t rgl_node_raytrace_configure_non_hits(rgl_node_t node, float near_distance, float far_distance) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    configure(lib, node, [&](RaytraceSettings& s) { s.near_miss = near_distance, s.far_miss = far_distance; });
    lib.tape.record("rgl_node_raytrace_configure_non_hits", node, near_distance, far_distance);
  });
}

rgl_status_t rgl_node_raytrace_configure_mask(rgl_node_t node, const int8_t* rays_mask, int32_t rays_count) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    RGL_CHECK(rays_mask != nullptr);
    RGL_CHECK(rays_count > 0);
    configure(lib, node, [&](RaytraceSettings& s) { s.mask.assign(rays_mask, rays_mask + rays_count); });
    lib.tape.record("rgl_node_raytrace_configure_mask", node, tape_array(rays_mask, rays_count), rays_count);
  });
}

rgl_status_t rgl_node_raytrace_configure_beam_divergence(rgl_node_t node, float horizontal_beam_divergence,
                                                         float vertical_beam_divergence) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    RGL_CHECK((horizontal_beam_divergence > 0.0F && vertical_beam_divergence > 0.0F) ||
              (horizontal_beam_divergence == 0.0F && vertical_beam_divergence == 0.0F));
    RGL_CHECK(std::isfinite(horizontal_beam_divergence) && std::isfinite(vertical_beam_divergence));
    configure(lib, node, [&](RaytraceSettings& s) {
      s.divergence_h_rad = horizontal_beam_divergence, s.divergence_v_rad = vertical_beam_divergence;
    });
    lib.tape.record("rgl_node_raytrace_configure_beam_divergence", node, horizontal_beam_divergence,
                    vertical_beam_divergence);
  });
}

rgl_status_t rgl_node_raytrace_configure_default_intensity(rgl_node_t node, float default_intensity) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    RGL_CHECK(default_intensity >= 0.0F);
    configure(lib, node, [&](RaytraceSettings& s) { s.default_intensity = default_intensity; });
    lib.tape.record("rgl_node_raytrace_configure_default_intensity", node, default_intensity);
  });
}

rgl_status_t rgl_node_raytrace_configure_return_mode(rgl_node_t node, rgl_return_mode_t return_mode) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    RGL_CHECK(return_mode != RGL_RETURN_UNKNOWN);
    configure(lib, node, [&](RaytraceSettings& s) { s.returns = returns_of(return_mode); });
    lib.tape.record("rgl_node_raytrace_configure_return_mode", node, return_mode);
  });
}

rgl_status_t rgl_node_raytrace_configure_reflectivity_alpha(rgl_node_t node, float reflectivity_alpha) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    RGL_CHECK(reflectivity_alpha >= 0.0F);
    configure(lib, node, [&](RaytraceSettings& s) { s.reflectivity_alpha = reflectivity_alpha; });
    lib.tape.record("rgl_node_raytrace_configure_reflectivity_alpha", node, reflectivity_alpha);
  });
}

rgl_status_t rgl_node_raytrace_configure_id(rgl_node_t node, int32_t id) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    RGL_CHECK(id != RGL_SENSOR_ID_NONE);
    configure(lib, node, [&](RaytraceSettings& s) { s.sensor_id = id; });
    lib.tape.record("rgl_node_raytrace_configure_id", node, id);
  });
}
