// SPDX-License-Identifier: MIT
// Range cameras: one ray per pixel.

#include <array>
#include <cmath>

#include <fathom/math/f64.hpp>

#include "sensor/kinds.hpp"

namespace fathom {

namespace {

constexpr std::array<Field<PinholeCamera>, 8> kPinholeCameraFields = {{
    {"fx", "px", &PinholeCamera::fx, kLeastFocalPx, kMostFocalPx, "focal length, horizontal", true},
    {"fy", "px", &PinholeCamera::fy, kLeastFocalPx, kMostFocalPx, "focal length, vertical", true},
    {"cx", "px", &PinholeCamera::cx, -kMostCenterPx, kMostCenterPx,
     "principal point, from the centre of the leftmost pixel", true},
    {"cy", "px", &PinholeCamera::cy, -kMostCenterPx, kMostCenterPx,
     "principal point, from the centre of the topmost pixel", true},
    {"width", "px", &PinholeCamera::width, 1, kMostImageSide, "columns of the image", true},
    {"height", "px", &PinholeCamera::height, 1, kMostImageSide, "rows of the image", true},
    {"min_range_m", "m", &PinholeCamera::min_range_m, 0, kMaxRangeM, "nearest range measured, along the ray"},
    {"max_range_m", "m", &PinholeCamera::max_range_m, 0, kMaxRangeM, "farthest range measured, along the ray"},
}};

}  // namespace

std::span<const Field<PinholeCamera>> PinholeCamera::fields() { return kPinholeCameraFields; }

void PinholeCamera::check() const {
  check_range_limits(kSlug, min_range_m, max_range_m);
  check_ray_count(kSlug, "height", height, "width", width);
}

void describe(const PinholeCamera& camera, SensorView& view) {
  view.optics = {static_cast<float>(camera.fx), static_cast<float>(camera.cx), 0.0F};
}

void write_rays(const PinholeCamera& camera, std::uint32_t /*frame*/, RayPattern& out) {
  start_pattern(out, shape_of(camera), camera.min_range_m, camera.max_range_m);
  for (std::uint32_t v = 0; v < camera.height; ++v) {
    const double down = (v - camera.cy) / camera.fy;
    for (std::uint32_t u = 0; u < camera.width; ++u) {
      const double right = (u - camera.cx) / camera.fx;
      const double scale = 1.0 / std::sqrt(1.0 + right * right + down * down);
      set_direction(out, std::size_t{v} * camera.width + u, scale, -right * scale, -down * scale);
    }
  }
}

PinholeCamera camera_from_fov(std::uint32_t width, std::uint32_t height, double horizontal_fov_rad) {
  check_in_range(PinholeCamera::kSlug, "horizontal_fov_rad", horizontal_fov_rad, 1e-3, kMostFieldOfViewRad, "rad");
  PinholeCamera camera;
  camera.width = width;
  camera.height = height;
  camera.fx = camera.fy = width / (2.0 * math::tan(horizontal_fov_rad / 2.0));
  camera.cx = (width - 1.0) / 2.0;
  camera.cy = (height - 1.0) / 2.0;
  return camera;
}

}  // namespace fathom
