// SPDX-License-Identifier: MIT
#include "old_lidar.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "graph/graph.hpp"
#include "nodes/noise_models.hpp"

namespace rgl {

template <class Kind>
std::shared_ptr<Kind> OldLidar::add() {
  auto node = std::make_shared<Kind>();
  // Each hangs on the one before it.
  if (!nodes_.empty()) link(*nodes_.back(), *node);
  owned_.push_back(node);
  nodes_.push_back(node.get());
  return node;
}

OldLidar::OldLidar(const std::vector<fathom::Matrix34>& beams)
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
  rays_->set(beams);
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
  // A turn about -Y by an angle is one about Y by its opposite; the normal part is symmetric.
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
  const std::vector<float> intensity(count(), 100.0F);  // as it always was
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
