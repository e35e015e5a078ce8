// SPDX-License-Identifier: MIT
#pragma once
// The properties of a sensor that depend on its kind: its rays, its cameras, and how its frames are treated. Later
// steps do not distinguish kinds.

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include <fathom/noise/model.hpp>
#include <fathom/sensor/depth_filters.hpp>
#include <fathom/sensor/kinds.hpp>
#include <fathom/sensor/returns.hpp>

namespace fathom {

/// The motion that the axes of a sensor's frame follow.
enum class AxesFollow : std::uint8_t {
  kBody,     ///< they turn with the sensor
  kHeading,  ///< they turn with it about the vertical only
  kWorld,    ///< they do not turn
};

/// Positions of the cameras of a stereo camera, in the sensor frame.
struct StereoRig {
  Vec3 left_m, right_m;
};
/// Throws InputError for both a baseline and poses, for a reference other than kCenter beside poses, or for one pose
/// without the other.
StereoRig stereo_rig(const StereoCamera& camera);

/// Throws InputError as make_pattern() does, and makes no rays.
void validate(const SensorModel& model);

/// Throws InputError for an angle or separation outside its limits, no return, one that is there twice, or several
/// or second ones of rays that do not diverge.
void validate(const Divergence& divergence, const ReturnChoices& returns);

/// Of a model that validate() accepts. Made from its parameters, without its rays.
struct SensorView {
  RayPattern::Shape shape;
  Optics optics;                   ///< of its camera; all 0 without one
  Intrinsics lens = {};            ///< of a depth or stereo camera
  StereoRig cameras = {};          ///< positions of its two cameras; valid if optics.baseline_m is above 0
  bool left_is_reference = false;  ///< the left camera takes the image, and the right one is beside it
  AxesFollow axes = AxesFollow::kBody;
  RangePolicy usual_policy = RangePolicy::kKeep;
  double farthest_m = 0.0;     ///< farthest range that any ray measures
  bool one_origin = true;      ///< all rays start at the sensor's origin
  bool timed = false;          ///< each ray has its own time within the frame
  bool rays_vary = false;      ///< from frame to frame
  bool seen_by_angle = false;  ///< rays do not lie in rows: a line of pixels is no image
  bool closes = false;         ///< the last column is next to the first one: a full turn
  Divergence divergence = {};  ///< of rays whose sensor gives none
  float falloff_m = 0.0F;      ///< reference of the falloff of a sensor that gives none; 0: none
};
SensorView make_view(const SensorModel& model);

/// Throws InputError for a divergence of a sensor whose rays cannot have one.
void check_divergence(const Divergence& divergence, const SensorView& view);

/// Throws InputError for filters outside their limits, or of a sensor that cannot have them.
void check_filters(const DepthFilters& filters, const std::optional<AlignedCamera>& aligned_to,
                   const SensorModel& model);

/// A depth camera of any kind, or null.
template <class Model>
auto* depth_camera_of(Model& model) {
  using Camera = std::conditional_t<std::is_const_v<Model>, const DepthCamera, DepthCamera>;
  return std::visit(
      [](auto& kind) -> Camera* {
        if constexpr (std::derived_from<std::remove_cvref_t<decltype(kind)>, DepthCamera>) return &kind;
        return nullptr;
      },
      model);
}

/// The rings of its rays, as Frame::ring gives them.
std::set<std::uint32_t> rings_of(const SensorModel& model);

/// [rows]: shift of each row in columns, after which a column looks in one direction; empty if no shift does that.
std::vector<std::int32_t> column_shifts(const SensorModel& model);

// For messages: the kind of sensor that has such a property, and its conditions.
std::string with_two_cameras();
std::string with_column_shifts();
std::string with_rays_in_one_plane();

/// The rays of a frame, into a pattern that already has its arrays: a frame of the same sensor allocates nothing more.
/// The model must have been accepted by validate().
void update_pattern(const SensorModel& model, std::uint32_t frame, RayPattern& pattern);

/// The properties of a sensor that noise models may depend on; `rolling`: whether each ray is cast at its own time;
/// `returns`: of each ray.
SensorTraits make_traits(const SensorView& view, bool rolling, std::size_t returns);

/// The rotation of a sensor whose body is turned by `q`.
Quaternion aligned(AxesFollow axes, const Quaternion& q);

/// One way to give a property that has several: the field that chooses the way if it is not 0, and up to two more
/// fields. In a file the ways exclude each other, and a way in a file replaces another way in a preset.
struct FieldWay {
  std::string_view field;
  std::array<std::string_view, 2> others = {};
};

inline constexpr FieldWay kFocalWays[] = {
    {"fx", {"fy"}}, {"horizontal_fov_rad"}, {"focal_length_mm", {"horizontal_aperture_mm", "vertical_aperture_mm"}}};
inline constexpr FieldWay kRigWays[] = {{"baseline_m", {"reference"}}, {"left_camera", {"right_camera"}}};

/// A list is for the kinds that have all its ways.
inline constexpr std::array<std::span<const FieldWay>, 2> kFieldWays = {kFocalWays, kRigWays};

}  // namespace fathom
