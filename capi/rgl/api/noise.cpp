// SPDX-License-Identifier: MIT
#include "api/make_node.hpp"
#include "nodes/noise_models.hpp"
#include "nodes/points.hpp"

using namespace rgl;

rgl_status_t rgl_node_gaussian_noise_angular_hitpoint(rgl_node_t* node, float mean, float st_dev,
                                                      rgl_axis_t rotation_axis) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    RGL_CHECK(st_dev >= 0.0F);
    RGL_CHECK(rotation_axis == RGL_AXIS_X || rotation_axis == RGL_AXIS_Y || rotation_axis == RGL_AXIS_Z);
    const fathom::Noise noise = angular_hit_noise(mean, st_dev, to_axis(rotation_axis));
    make_or_change<HitPointNoise>(lib, node, Dirties::kNode, [&](HitPointNoise& n) { n.set(noise); });
    lib.tape.record("rgl_node_gaussian_noise_angular_hitpoint", *node, mean, st_dev, rotation_axis);
  });
}

rgl_status_t rgl_node_gaussian_noise_distance(rgl_node_t* node, float mean, float st_dev_base,
                                              float st_dev_rise_per_meter) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    RGL_CHECK(st_dev_base >= 0.0F);
    RGL_CHECK(st_dev_rise_per_meter >= 0.0F);
    const fathom::Noise noise = distance_noise(mean, st_dev_base, st_dev_rise_per_meter);
    make_or_change<RangeNoise>(lib, node, Dirties::kNode, [&](RangeNoise& n) { n.set(noise); });
    lib.tape.record("rgl_node_gaussian_noise_distance", *node, mean, st_dev_base, st_dev_rise_per_meter);
  });
}
