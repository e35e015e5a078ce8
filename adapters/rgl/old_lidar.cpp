// SPDX-License-Identifier: MIT
#include "old_lidar.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "graph/graph.hpp"
#include "library.hpp"
#include "nodes/points.hpp"

namespace rgl {

template <class Kind>
std::shared_ptr<Kind> OldLidar::add() {
  auto node = std::make_shared<Kind>();
  if (!nodes_.empty()) link(*nodes_.back(), *node);
  owned_.push_back(node);
  nodes_.push_back(node.get());
  return node;
}

OldLidar::OldLidar(const std::vector<fathom::Matrix34>& rays)
    : rays_(add<RaysFromMatrices>()),
      rings_(add<RaysRingIds>()),
      range_(add<RaysRange>()),
      pose_(add<RaysTransform>()),
      ray_noise_(add<RaysAngularNoise>()),
      trace_(add<RaytraceNode>()),
      hit_noise_(add<HitPointNoise>()),
      range_noise_(add<RangeNoise>()),
      compact_(add<CompactNode>()),
      fields_(add<YieldNode>()),
      post_(add<TransformNode>()) {
  rays_->set(rays);
  rings_->set({0});
  range_->set({{0.0F, std::numeric_limits<float>::max()}});
  fields_->set({RGL_FIELD_XYZ_VEC3_F32, RGL_FIELD_DISTANCE_F32, RGL_FIELD_RING_ID_U16, RGL_FIELD_RETURN_TYPE_U8});
}

void OldLidar::set_range(float range_m) {
  range_->set({{0.0F, range_m}});
  range_->dirty = true;
}
void OldLidar::set_pose(const fathom::Affine& world_from_lidar) { pose_->set(world_from_lidar); }
void OldLidar::set_rings(std::vector<std::int32_t> rings) {
  rings_->set(std::move(rings));
  rings_->dirty = true;
}
void OldLidar::set_post_transform(const fathom::Affine& transform) { post_->set(transform); }

void OldLidar::set_noise(bool ray_based, float mean_rad, float stddev_rad, const fathom::Noise& distance) {
  // A turn about -Y by an angle is a turn about Y by its opposite. The normal part is symmetric.
  ray_noise_->set(angular_ray_noise(ray_based ? -mean_rad : 0.0F, ray_based ? stddev_rad : 0.0F, fathom::Axis::kY));
  hit_noise_->set(angular_hit_noise(ray_based ? 0.0F : -mean_rad, ray_based ? 0.0F : stddev_rad, fathom::Axis::kY));
  range_noise_->set(distance);
}

void OldLidar::write(rgl_format_t format, std::byte* out) const {
  if (count() == 0) return;
  const PointsNode& cloud = format == RGL_FORMAT_XYZ ? static_cast<const PointsNode&>(*fields_) : *post_;
  if (format == RGL_FORMAT_XYZ || format == RGL_FORMAT_E2E_PCL12) {
    std::memcpy(out, cloud.data(RGL_FIELD_XYZ_VEC3_F32), count() * 12);
  } else {
    write_packed(format == RGL_FORMAT_E2E_PCL24 ? 24 : 48, out);
  }
}

void OldLidar::write_packed(std::size_t step, std::byte* out) const {
  std::fill_n(out, step * count(), std::byte{0});
  const std::vector<float> intensity(count(), 100.0F);  // constant in RGL 0.10
  const auto put = [&](const std::byte* data, std::size_t size, std::size_t offset) {
    for (std::size_t i = 0; i < count(); ++i) std::memcpy(out + i * step + offset, data + i * size, size);
  };
  put(post_->data(RGL_FIELD_XYZ_VEC3_F32), 12, 0);
  put(reinterpret_cast<const std::byte*>(intensity.data()), 4, 16);
  put(fields_->data(RGL_FIELD_RING_ID_U16), 2, 20);
  if (step < 48) return;
  put(fields_->data(RGL_FIELD_DISTANCE_F32), 4, 28);
  put(fields_->data(RGL_FIELD_RETURN_TYPE_U8), 1, 32);
}

}  // namespace rgl

using namespace rgl;

namespace {

/// The lidar after its run, ready for a change.
std::shared_ptr<OldLidar> settled(Library& lib, rgl_lidar_t lidar) {
  auto object = lib.lidars.get(lidar);
  lib.settle(object->end());
  return object;
}

/// The lidar after its run, ready for reading. Before its first run it has no points, as in 0.10.
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
