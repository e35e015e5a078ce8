// SPDX-License-Identifier: MIT
#include "old_lidar.hpp"

#include <algorithm>
#include <cstring>

#include "api/make_node.hpp"
#include "nodes/noise_models.hpp"

using namespace rgl;

namespace {

/// A lidar that is not running, to be changed.
std::shared_ptr<OldLidar> settled(Library& lib, rgl_lidar_t lidar) {
  auto object = lib.lidars.get(lidar);
  lib.settle(object->end());
  return object;
}

/// A lidar whose last run has ended. Before its first run it has no points, as in 0.10.
std::shared_ptr<OldLidar> ended(Library& lib, rgl_lidar_t lidar) {
  auto object = lib.lidars.get(lidar);
  if (object->has_run()) lib.wait_for_result(object->end());
  return object;
}

}  // namespace

rgl_status_t rgl_lidar_create(rgl_lidar_t* out_lidar, const rgl_mat3x4f* ray_transforms, int32_t ray_transforms_count) {
  return guarded([&](Library& lib) {
    RGL_CHECK(out_lidar != nullptr);
    RGL_CHECK(ray_transforms != nullptr);
    RGL_CHECK(ray_transforms_count > 0);
    std::vector<fathom::Matrix34> rays(static_cast<std::size_t>(ray_transforms_count));
    std::memcpy(rays.data(), ray_transforms, rays.size() * sizeof(rgl_mat3x4f));
    const auto object = std::make_shared<OldLidar>(rays);
    *out_lidar = lib.lidars.add(object);
    object->for_each([&](rgl::Node& node) { lib.adopt(node); });
  });
}

rgl_status_t rgl_lidar_destroy(rgl_lidar_t lidar) {
  return guarded([&](Library& lib) {
    RGL_CHECK(lidar != nullptr);
    const auto object = settled(lib, lidar);
    object->for_each([&](rgl::Node& node) { lib.forget(node); });
    lib.lidars.remove(object.get());
  });
}

rgl_status_t rgl_lidar_set_range(rgl_lidar_t lidar, float range) {
  return guarded([&](Library& lib) {
    RGL_CHECK(lidar != nullptr);
    RGL_CHECK(range > 0.0F);
    settled(lib, lidar)->set_range(range);
  });
}

rgl_status_t rgl_lidar_set_pose(rgl_lidar_t lidar, const rgl_mat3x4f* pose) {
  return guarded([&](Library& lib) {
    RGL_CHECK(lidar != nullptr);
    RGL_CHECK(pose != nullptr);
    const auto object = settled(lib, lidar);
    check_invertible(*pose);
    object->set_pose(to_affine(*pose));
  });
}

rgl_status_t rgl_lidar_set_ring_indices(rgl_lidar_t lidar, const int32_t* ring_ids, int32_t ring_ids_count) {
  return guarded([&](Library& lib) {
    RGL_CHECK(lidar != nullptr);
    RGL_CHECK(ring_ids != nullptr);
    RGL_CHECK(ring_ids_count > 0);
    settled(lib, lidar)->set_rings({ring_ids, ring_ids + ring_ids_count});
  });
}

rgl_status_t rgl_lidar_set_post_raycast_transform(rgl_lidar_t lidar, const rgl_mat3x4f* transform) {
  return guarded([&](Library& lib) {
    RGL_CHECK(lidar != nullptr);
    RGL_CHECK(transform != nullptr);
    const auto object = settled(lib, lidar);
    check_finite(*transform);
    object->set_post_transform(to_affine(*transform));
  });
}

rgl_status_t rgl_lidar_set_gaussian_noise_params(rgl_lidar_t lidar, rgl_angular_noise_type_t angular_noise_type,
                                                 float angular_noise_stddev, float angular_noise_mean,
                                                 float distance_noise_stddev_base,
                                                 float distance_noise_stddev_rise_per_meter,
                                                 float distance_noise_mean) {
  return guarded([&](Library& lib) {
    RGL_CHECK(lidar != nullptr);
    RGL_CHECK(angular_noise_type == RGL_ANGULAR_NOISE_TYPE_RAY_BASED ||
              angular_noise_type == RGL_ANGULAR_NOISE_TYPE_HITPOINT_BASED);
    RGL_CHECK(angular_noise_stddev >= 0.0F);
    RGL_CHECK(distance_noise_stddev_base >= 0.0F);
    RGL_CHECK(distance_noise_stddev_rise_per_meter >= 0.0F);
    const fathom::Noise distance =
        distance_noise(distance_noise_mean, distance_noise_stddev_base, distance_noise_stddev_rise_per_meter);
    settled(lib, lidar)
        ->set_noise(angular_noise_type == RGL_ANGULAR_NOISE_TYPE_RAY_BASED, angular_noise_mean, angular_noise_stddev,
                    distance);
  });
}

rgl_status_t rgl_lidar_raytrace_async(rgl_scene_t scene, rgl_lidar_t lidar) {
  return guarded([&](Library& lib) {
    RGL_CHECK(scene == nullptr);
    RGL_CHECK(lidar != nullptr);
    const auto object = lib.lidars.get(lidar);
    lib.run(object->end());
  });
}

rgl_status_t rgl_lidar_get_output_size(rgl_lidar_t lidar, int32_t* out_size) {
  return guarded([&](Library& lib) {
    RGL_CHECK(lidar != nullptr);
    RGL_CHECK(out_size != nullptr);
    const auto object = ended(lib, lidar);
    *out_size = static_cast<std::int32_t>(object->count());
  });
}

rgl_status_t rgl_lidar_get_output_data(rgl_lidar_t lidar, rgl_format_t format, void* out_data) {
  return guarded([&](Library& lib) {
    RGL_CHECK(lidar != nullptr);
    RGL_CHECK(out_data != nullptr);
    RGL_CHECK(format == RGL_FORMAT_XYZ || format == RGL_FORMAT_E2E_PCL12 || format == RGL_FORMAT_E2E_PCL24 ||
              format == RGL_FORMAT_E2E_PCL48);
    const auto object = ended(lib, lidar);
    object->write(format, static_cast<std::byte*>(out_data));
  });
}
