// SPDX-License-Identifier: MIT
// Depth cameras: the intrinsics in their three forms, and the rays.

#include <array>

#include <fathom/math/f64.hpp>

#include "sensor/camera_fields.hpp"
#include "sensor/kinds.hpp"

namespace fathom {

namespace {

constexpr std::array<Field<DepthCamera>, 11> kDepthFields = camera_fields<DepthCamera>();

/// Throws InputError for a focal length, made from the parameter `from`, that no direction can be computed with.
void check_focal(std::string_view name, double px, std::string_view from, double given) {
  if (px >= kLeastFocalPx && px <= kMostFocalPx) return;
  const std::string made = from == name ? "" : fmt::format("{} = {} gives ", from, number_text(given));
  throw InputError(fmt::format("{}{} = {} px of a depth camera is not in [{}, {}] px", made, name, number_text(px),
                               number_text(kLeastFocalPx), number_text(kMostFocalPx)));
}

}  // namespace

std::span<const Field<DepthCamera>> DepthCamera::fields() { return kDepthFields; }

void DepthCamera::check() const { check_camera(kSlug, *this); }

void check_camera(std::string_view kind, const DepthCamera& camera) {
  check_range_limits(kind, camera.min_range_m, camera.max_range_m);
  check_ray_count(kind, "height", camera.height, "width", camera.width);
  static_cast<void>(intrinsics(camera));
}

Intrinsics intrinsics(const DepthCamera& c) {
  const bool by_pixels = c.fx > 0.0, by_view = c.horizontal_fov_rad > 0.0, by_lens = c.focal_length_mm > 0.0;
  if (c.fy > 0.0 && !by_pixels) throw InputError("fy of a depth camera needs fx");
  if (by_lens != (c.horizontal_aperture_mm > 0.0) || (c.vertical_aperture_mm > 0.0 && !by_lens)) {
    throw InputError("focal_length_mm and horizontal_aperture_mm of a depth camera belong together, both above 0");
  }
  if (int{by_pixels} + int{by_view} + int{by_lens} != 1) {
    throw InputError(
        "a depth camera needs its focal length in exactly one way: fx, horizontal_fov_rad, or focal_length_mm with "
        "horizontal_aperture_mm");
  }
  Intrinsics k{};
  k.fx = by_pixels ? c.fx
         : by_view ? c.width / (2.0 * math::tan(c.horizontal_fov_rad / 2.0))
                   : c.width * c.focal_length_mm / c.horizontal_aperture_mm;
  k.fy = c.fy > 0.0                     ? c.fy
         : c.vertical_aperture_mm > 0.0 ? c.height * c.focal_length_mm / c.vertical_aperture_mm
                                        : k.fx;
  if (by_view) check_focal("fx", k.fx, "horizontal_fov_rad", c.horizontal_fov_rad);
  if (by_lens) check_focal("fx", k.fx, "focal_length_mm", c.focal_length_mm);
  if (by_lens) check_focal("fy", k.fy, "focal_length_mm", c.focal_length_mm);
  if (by_pixels) check_focal("fx", k.fx, "fx", c.fx);
  if (by_pixels) check_focal("fy", k.fy, "fy", c.fy);
  const std::array<double, 2> middle = {(c.width - 1.0) / 2.0, (c.height - 1.0) / 2.0};
  const auto [cx, cy] = c.principal_point_px.value_or(middle);
  k.cx = cx, k.cy = cy;
  return k;
}

void describe(const DepthCamera& camera, SensorView& view) {
  const Intrinsics k = intrinsics(camera);
  view.optics = {static_cast<float>(k.fx), static_cast<float>(k.cx), 0.0F};
}

void write_rays(const DepthCamera& camera, std::uint32_t frame, RayPattern& out) {
  const Intrinsics k = intrinsics(camera);
  PinholeCamera pinhole;
  pinhole.fx = k.fx, pinhole.fy = k.fy, pinhole.cx = k.cx, pinhole.cy = k.cy;
  pinhole.width = camera.width, pinhole.height = camera.height;
  pinhole.min_range_m = camera.min_range_m, pinhole.max_range_m = camera.max_range_m;
  write_rays(pinhole, frame, out);
}

}  // namespace fathom
