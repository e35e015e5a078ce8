// SPDX-License-Identifier: MIT
// Cameras: a pinhole camera with a ray through each pixel, depth cameras with their intrinsics in three forms, stereo
// cameras, whose surfaces two cameras must see, and time-of-flight cameras, whose pixels mix ranges.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

#include <fathom/core/f64.hpp>
#include <fathom/sensor/depth_filters.hpp>

#include "sensor/kinds.hpp"

namespace fathom {

namespace {

constexpr std::array<std::string_view, 2> kPrincipalPoint = {"cx", "cy"};

/// The parameters that all depth cameras share.
template <class Camera>
constexpr std::array<Field<Camera>, 11> camera_fields() {
  using Number = double Camera::*;
  using Count = std::uint32_t Camera::*;
  return {{
      {"width", "px", Count(&Camera::width), 1, kMostImageSide, "columns of the image", true},
      {"height", "px", Count(&Camera::height), 1, kMostImageSide, "rows of the image", true},
      {"fx", "px", Number(&Camera::fx), 0, kMostFocalPx, "focal length, horizontal, 0.001 or more; 0: from the others"},
      {"fy", "px", Number(&Camera::fy), 0, kMostFocalPx, "focal length, vertical, 0.001 or more; 0: as fx"},
      {"principal_point_px", "px", PairMember<Camera>{&Camera::principal_point_px, kPrincipalPoint}, -kMostCenterPx,
       kMostCenterPx, "[cx, cy] from the centre of the first pixel; empty: the middle"},
      {"horizontal_fov_rad", "rad", Number(&Camera::horizontal_fov_rad), 0, kMostFieldOfViewRad,
       "field of view instead of fx"},
      {"focal_length_mm", "mm", Number(&Camera::focal_length_mm), 0, 1e4, "focal length instead of fx"},
      {"horizontal_aperture_mm", "mm", Number(&Camera::horizontal_aperture_mm), 0, 1e4,
       "width of the sensor chip, with focal_length_mm"},
      {"vertical_aperture_mm", "mm", Number(&Camera::vertical_aperture_mm), 0, 1e4,
       "height of the sensor chip; 0: square pixels"},
      {"min_range_m", "m", Number(&Camera::min_range_m), 0, kMaxRangeM, "nearest range, along the ray"},
      {"max_range_m", "m", Number(&Camera::max_range_m), 0, kMaxRangeM, "farthest range, along the ray"},
  }};
}

constexpr std::array<Field<PinholeCamera>, 8> kPinholeCameraFields = {{
    {"fx", "px", &PinholeCamera::fx, kLeastFocalPx, kMostFocalPx, "focal length, horizontal", true},
    {"fy", "px", &PinholeCamera::fy, kLeastFocalPx, kMostFocalPx, "focal length, vertical", true},
    {"cx", "px", &PinholeCamera::cx, -kMostCenterPx, kMostCenterPx,
     "principal point, from the centre of the leftmost pixel", true},
    {"cy", "px", &PinholeCamera::cy, -kMostCenterPx, kMostCenterPx,
     "principal point, from the centre of the topmost pixel", true},
    {"width", "px", &PinholeCamera::width, 1, kMostImageSide, "columns of the image", true},
    {"height", "px", &PinholeCamera::height, 1, kMostImageSide, "rows of the image", true},
    {"min_range_m", "m", &PinholeCamera::min_range_m, 0, kMaxRangeM, "nearest range, along the ray"},
    {"max_range_m", "m", &PinholeCamera::max_range_m, 0, kMaxRangeM, "farthest range, along the ray"},
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

PinholeCamera PinholeCamera::from_fov(std::uint32_t width, std::uint32_t height, double horizontal_fov_rad) {
  check_in_range(kSlug, "horizontal_fov_rad", horizontal_fov_rad, 1e-3, kMostFieldOfViewRad, "rad");
  PinholeCamera camera;
  camera.width = width;
  camera.height = height;
  camera.fx = camera.fy = width / (2.0 * math::tan(horizontal_fov_rad / 2.0));
  camera.cx = (width - 1.0) / 2.0;
  camera.cy = (height - 1.0) / 2.0;
  return camera;
}

namespace {

constexpr std::array<Field<DepthCamera>, 11> kDepthFields = camera_fields<DepthCamera>();

/// Throws InputError for a focal length outside its limits, computed from the parameter `from`.
void check_focal(std::string_view name, double px, std::string_view from, double given) {
  if (px >= kLeastFocalPx && px <= kMostFocalPx) return;
  const std::string made = from == name ? "" : fmt::format("{} = {} gives ", from, number_text(given));
  throw InputError(fmt::format("{}{} = {} px of a depth camera is not in [{}, {}] px", made, name, number_text(px),
                               number_text(kLeastFocalPx), number_text(kMostFocalPx)));
}

/// Throws InputError unless the image, the ranges and the focal length fit together. `kind`: its slug.
void check_camera(std::string_view kind, const DepthCamera& camera) {
  check_range_limits(kind, camera.min_range_m, camera.max_range_m);
  check_ray_count(kind, "height", camera.height, "width", camera.width);
  static_cast<void>(intrinsics(camera));
}

}  // namespace

std::span<const Field<DepthCamera>> DepthCamera::fields() { return kDepthFields; }

void DepthCamera::check() const { check_camera(kSlug, *this); }

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
  view.lens = intrinsics(camera);
  view.optics = {static_cast<float>(view.lens.fx), static_cast<float>(view.lens.cx), 0.0F};
}

void write_rays(const DepthCamera& camera, std::uint32_t frame, RayPattern& out) {
  const Intrinsics k = intrinsics(camera);
  PinholeCamera pinhole;
  pinhole.fx = k.fx, pinhole.fy = k.fy, pinhole.cx = k.cx, pinhole.cy = k.cy;
  pinhole.width = camera.width, pinhole.height = camera.height;
  pinhole.min_range_m = camera.min_range_m, pinhole.max_range_m = camera.max_range_m;
  write_rays(pinhole, frame, out);
}

namespace {

constexpr double kMaxCameraM = 100.0;

constexpr std::array<Field<StereoCamera>, 4> kRigFields = {{
    {"baseline_m", "m", &StereoCamera::baseline_m, 0, kMaxCameraM, "distance between the two cameras"},
    {"reference", "left|center|right", choice<&StereoCamera::reference>, 0, 2,
     "position of emitter and image, at a camera or between them"},
    {"left_camera", "m", &StereoCamera::left_camera, -kMaxCameraM, kMaxCameraM,
     "pose of the left camera in the sensor frame, instead of baseline_m"},
    {"right_camera", "m", &StereoCamera::right_camera, -kMaxCameraM, kMaxCameraM,
     "pose of the right camera in the sensor frame, instead of baseline_m"},
}};

constexpr std::array<Field<StereoCamera>, 15> all_stereo_fields() {
  std::array<Field<StereoCamera>, 15> fields = {};
  const auto camera = camera_fields<StereoCamera>();
  for (std::size_t i = 0; i < camera.size(); ++i) fields[i] = camera[i];
  for (std::size_t i = 0; i < kRigFields.size(); ++i) fields[camera.size() + i] = kRigFields[i];
  return fields;
}
constexpr std::array<Field<StereoCamera>, 15> kStereoFields = all_stereo_fields();

}  // namespace

std::span<const Field<StereoCamera>> StereoCamera::fields() { return kStereoFields; }

void StereoCamera::check() const {
  check_camera(kSlug, *this);
  static_cast<void>(stereo_rig(*this));
}

StereoRig stereo_rig(const StereoCamera& c) {
  const bool left_placed = c.left_camera.has_value(), right_placed = c.right_camera.has_value();
  if ((left_placed || right_placed) && c.baseline_m != 0.0) {
    throw InputError("stereo_camera has both baseline_m and poses of its cameras; one is enough");
  }
  if (left_placed != right_placed) {
    throw InputError(fmt::format("stereo_camera has {0}_camera but not {1}_camera; both are needed",
                                 left_placed ? "left" : "right", left_placed ? "right" : "left"));
  }
  if (left_placed && c.reference != CameraReference::kCenter) {
    throw InputError(
        fmt::format("stereo_camera.reference = {} is given with poses of the cameras, which are enough; leave it "
                    "out, or at center",
                    kChoiceWords<CameraReference>[static_cast<std::size_t>(c.reference)]));
  }
  if (left_placed) return {c.left_camera->translation_m, c.right_camera->translation_m};
  // Left of the image is +y of the sensor frame.
  const double left = c.reference == CameraReference::kLeft     ? 0.0
                      : c.reference == CameraReference::kCenter ? c.baseline_m / 2
                                                                : c.baseline_m;
  return {{0, left, 0}, {0, left - c.baseline_m, 0}};
}

void describe(const StereoCamera& camera, SensorView& view) {
  constexpr double kSameM = 1e-6;
  describe(static_cast<const DepthCamera&>(camera), view);
  view.cameras = stereo_rig(camera);
  const double baseline_m = norm(view.cameras.right_m - view.cameras.left_m);
  view.optics.baseline_m = static_cast<float>(baseline_m);
  view.left_is_reference =
      norm(view.cameras.left_m) <= kSameM && norm(view.cameras.right_m - Vec3{0, -baseline_m, 0}) <= kSameM;
}

namespace {

constexpr double kMaxOffsetM = 100.0;

constexpr std::array<Field<AlignedCamera>, 7> kAlignedFields = {{
    {"fx", "px", &AlignedCamera::fx, kLeastFocalPx, kMostFocalPx, "focal length, horizontal", true},
    {"fy", "px", &AlignedCamera::fy, kLeastFocalPx, kMostFocalPx, "focal length, vertical", true},
    {"cx", "px", &AlignedCamera::cx, -kMostCenterPx, kMostCenterPx,
     "principal point, from the centre of the leftmost pixel", true},
    {"cy", "px", &AlignedCamera::cy, -kMostCenterPx, kMostCenterPx,
     "principal point, from the centre of the topmost pixel", true},
    {"width", "px", &AlignedCamera::width, 1, kMostImageSide, "columns of the image", true},
    {"height", "px", &AlignedCamera::height, 1, kMostImageSide, "rows of the image", true},
    {"offset", "m", &AlignedCamera::offset, -kMaxOffsetM, kMaxOffsetM, "pose of the camera in the sensor frame"},
}};

constexpr std::array<Field<TofCamera>, 12> all_tof_fields() {
  std::array<Field<TofCamera>, 12> fields = {};
  const auto camera = camera_fields<TofCamera>();
  for (std::size_t i = 0; i < camera.size(); ++i) fields[i] = camera[i];
  fields.back() = {"footprint_px",
                   "px",
                   &TofCamera::footprint_px,
                   0,
                   10,
                   "width of the area that a pixel sees; 0: a point, with sharp edges"};
  return fields;
}
constexpr std::array<Field<TofCamera>, 12> kTofFields = all_tof_fields();

/// The cone that a pixel sees.
Divergence footprint(const TofCamera& camera) {
  const Intrinsics k = intrinsics(camera);
  const auto pixel_rad = [](double focal_px, double center_px, double pixels) {
    return (math::atan2(pixels - 0.5 - center_px, focal_px) + math::atan2(center_px + 0.5, focal_px)) / pixels;
  };
  return {.horizontal_rad = static_cast<float>(camera.footprint_px * pixel_rad(k.fx, k.cx, camera.width)),
          .vertical_rad = static_cast<float>(camera.footprint_px * pixel_rad(k.fy, k.cy, camera.height)),
          .profile = BeamProfile::kUniform,
          .separation_m = static_cast<float>(kMaxRangeM)};
}

}  // namespace

std::span<const Field<AlignedCamera>> AlignedCamera::fields() { return kAlignedFields; }

void AlignedCamera::check() const { check_ray_count(kSlug, "height", height, "width", width); }

void check_filters(const DepthFilters& filters, const std::optional<AlignedCamera>& aligned_to,
                   const SensorModel& model) {
  if (!filters.any() && !aligned_to) return;
  const auto* const stereo = std::get_if<StereoCamera>(&model);
  if (depth_camera_of(model) == nullptr) {
    throw InputError(fmt::format("{} acts on the images of a depth camera, not of a {}",
                                 filters.any() ? DepthFilters::kSlug : AlignedCamera::kSlug, sensor_kind(model)));
  }
  if ((filters.spatial || filters.temporal) && (stereo == nullptr || !(make_view(model).optics.baseline_m > 0.0F))) {
    throw InputError(fmt::format("filters.{} acts on disparities: it needs {}",
                                 filters.spatial ? DepthFilters::Spatial::kSlug : DepthFilters::Temporal::kSlug,
                                 with_two_cameras()));
  }
  if (filters.spatial) validate(*filters.spatial);
  if (filters.temporal) validate(*filters.temporal);
  if (aligned_to) validate(*aligned_to);
}

std::span<const Field<TofCamera>> TofCamera::fields() { return kTofFields; }

void TofCamera::check() const {
  check_camera(kSlug, *this);
  const Divergence cone = footprint(*this);
  const float widest = std::max(cone.horizontal_rad, cone.vertical_rad);
  if (widest <= static_cast<float>(Divergence::kMostRad)) return;
  throw InputError(fmt::format("{}.footprint_px = {} makes cones of {} rad, above {}", kSlug, number_text(footprint_px),
                               number_text(widest), number_text(Divergence::kMostRad)));
}

void describe(const TofCamera& camera, SensorView& view) {
  constexpr double kLeastReferenceM = 0.01;
  describe(static_cast<const DepthCamera&>(camera), view);
  view.divergence = footprint(camera);
  view.falloff_m = static_cast<float>(std::max(camera.min_range_m, kLeastReferenceM));
}

std::string with_two_cameras() {
  return fmt::format("a {} with baseline_m above 0, or with poses of both", StereoCamera::kSlug);
}

}  // namespace fathom
