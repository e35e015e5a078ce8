// SPDX-License-Identifier: MIT
#pragma once
// The properties of a sensor that depend on its kind: its rays, its cameras, and how its frames are treated. Everything
// after this works for all kinds alike.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fathom/noise/sensor_traits.hpp>
#include <fathom/sensor/model.hpp>
#include <fathom/sensor/returns.hpp>

namespace fathom {

/// The motion that the axes of a sensor's frame follow.
enum class AxesFollow : std::uint8_t {
  kBody,     ///< they turn with the sensor
  kHeading,  ///< they turn with it about the vertical only
  kWorld,    ///< they do not turn
};

/// Where the cameras of a stereo camera stand, in the sensor frame.
struct StereoRig {
  Vec3 left_m, right_m;
};
/// Throws InputError for both a baseline and poses, for a reference other than kCenter beside poses, or for one pose
/// without the other.
StereoRig stereo_rig(const StereoCamera& camera);

/// Throws InputError as make_pattern() does, and makes no rays.
void validate(const SensorModel& model);

/// Of a model that validate() accepts. Made from its parameters, without its rays.
struct SensorView {
  PatternShape shape;
  Optics optics;                   ///< of its camera; all 0 without one
  StereoRig cameras = {};          ///< where its two cameras stand; meant where optics.baseline_m is above 0
  bool left_is_reference = false;  ///< the image is that of the left camera, and the right one stands beside it
  AxesFollow axes = AxesFollow::kBody;
  RangePolicy usual_policy = RangePolicy::kKeep;
  double farthest_m = 0.0;     ///< farthest range that any ray measures
  bool one_origin = true;      ///< all rays start at the sensor's origin
  bool timed = false;          ///< rays have times of their own within the frame
  bool rays_vary = false;      ///< from frame to frame
  bool seen_by_angle = false;  ///< rays lie in no rows: a line of its pixels shows nothing
  bool closes = false;         ///< the last column stands next to the first one: a full turn
};
SensorView make_view(const SensorModel& model);

/// Throws InputError for a divergence of a sensor whose rays cannot have one.
void check_divergence(const Divergence& divergence, const SensorView& view);

/// The intrinsics of a camera, in pixels; nothing for other kinds.
std::optional<Intrinsics> lens_of(const SensorModel& model);

/// The rings of its rays, as Frame::ring gives them.
std::set<std::uint32_t> rings_of(const SensorModel& model);

/// [rows]: by how many columns rows move so that a column looks in one direction; empty where no shift does that.
std::vector<std::int32_t> column_shifts(const SensorModel& model);

// Who has such a property, for messages: the kind, and what else it takes.
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

}  // namespace fathom
