// SPDX-License-Identifier: MIT
#include "tape/handlers.hpp"

namespace rgl {

namespace {

template <rgl_status_t (*F)(rgl_node_t*, float, float, rgl_axis_t)>
rgl_status_t angular_noise(A a) {
  return with_node(a,
                   [&](rgl_node_t* n) { return F(n, a.value<float>(1), a.value<float>(2), a.value<rgl_axis_t>(3)); });
}

constexpr TapeEntry kRayHandlers[] = {
    {"rgl_node_rays_from_mat3x4f", node_of_array<rgl_mat3x4f, rgl_node_rays_from_mat3x4f>},
    {"rgl_node_rays_set_ring_ids", node_of_array<std::int32_t, rgl_node_rays_set_ring_ids>},
    {"rgl_node_rays_set_range", node_of_array<rgl_vec2f, rgl_node_rays_set_range>},
    {"rgl_node_rays_set_time_offsets", node_of_array<float, rgl_node_rays_set_time_offsets>},
    {"rgl_node_rays_transform", node_of_matrix<rgl_node_rays_transform>},
    {"rgl_node_gaussian_noise_angular_ray", angular_noise<rgl_node_gaussian_noise_angular_ray>},
    {"rgl_node_gaussian_noise_angular_hitpoint", angular_noise<rgl_node_gaussian_noise_angular_hitpoint>},
    {"rgl_node_gaussian_noise_distance",
     [](A a) {
       return with_node(a, [&](rgl_node_t* n) {
         return rgl_node_gaussian_noise_distance(n, a.value<float>(1), a.value<float>(2), a.value<float>(3));
       });
     }},
    {"rgl_node_raytrace",
     [](A a) { return with_node(a, [](rgl_node_t* n) { return rgl_node_raytrace(n, nullptr); }); }},
    {"rgl_node_raytrace_with_distortion",
     [](A a) {
       return with_node(a, [&](rgl_node_t* n) {
         return rgl_node_raytrace_with_distortion(n, nullptr, a.array<rgl_vec3f>(2), a.array<rgl_vec3f>(3));
       });
     }},
    {"rgl_node_raytrace_in_motion",
     [](A a) {
       return with_node(a, [&](rgl_node_t* n) {
         return rgl_node_raytrace_in_motion(n, nullptr, a.array<rgl_vec3f>(2), a.array<rgl_vec3f>(3), a.value<bool>(4));
       });
     }},
    {"rgl_node_raytrace_configure_velocity",
     [](A a) { return rgl_node_raytrace_configure_velocity(a.node(0), a.array<rgl_vec3f>(1), a.array<rgl_vec3f>(2)); }},
    {"rgl_node_raytrace_configure_distortion",
     [](A a) { return rgl_node_raytrace_configure_distortion(a.node(0), a.value<bool>(1)); }},
    {"rgl_node_raytrace_configure_non_hits",
     [](A a) { return rgl_node_raytrace_configure_non_hits(a.node(0), a.value<float>(1), a.value<float>(2)); }},
    {"rgl_node_raytrace_configure_mask",
     [](A a) {
       const auto count = a.value<std::int32_t>(2);
       return rgl_node_raytrace_configure_mask(a.node(0), a.array<std::int8_t>(1, count), count);
     }},
    {"rgl_node_raytrace_configure_beam_divergence",
     [](A a) { return rgl_node_raytrace_configure_beam_divergence(a.node(0), a.value<float>(1), a.value<float>(2)); }},
    {"rgl_node_raytrace_configure_default_intensity",
     [](A a) { return rgl_node_raytrace_configure_default_intensity(a.node(0), a.value<float>(1)); }},
    {"rgl_node_raytrace_configure_return_mode",
     [](A a) { return rgl_node_raytrace_configure_return_mode(a.node(0), a.value<rgl_return_mode_t>(1)); }},
    {"rgl_node_raytrace_configure_reflectivity_alpha",
     [](A a) { return rgl_node_raytrace_configure_reflectivity_alpha(a.node(0), a.value<float>(1)); }},
    {"rgl_node_raytrace_configure_id",
     [](A a) { return rgl_node_raytrace_configure_id(a.node(0), a.value<std::int32_t>(1)); }},
};

}  // namespace

std::span<const TapeEntry> ray_handlers() { return kRayHandlers; }

}  // namespace rgl
