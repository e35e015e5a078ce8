// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstring>

#include "api/make_node.hpp"
#include "nodes/noise_models.hpp"
#include "nodes/rays.hpp"

using namespace rgl;

rgl_status_t rgl_node_rays_from_mat3x4f(rgl_node_t* node, const rgl_mat3x4f* rays, int32_t ray_count) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    RGL_CHECK(rays != nullptr);
    RGL_CHECK(ray_count > 0);
    make_or_change<RaysFromMatrices>(lib, node, Dirties::kGraph, [&](RaysFromMatrices& source) {
      static_assert(sizeof(fathom::Matrix34) == sizeof(rgl_mat3x4f));
      std::vector<fathom::Matrix34> beams(static_cast<std::size_t>(ray_count));
      std::memcpy(beams.data(), rays, beams.size() * sizeof(rgl_mat3x4f));
      source.set(beams);
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
