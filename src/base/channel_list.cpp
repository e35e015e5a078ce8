// SPDX-License-Identifier: MIT
#include <fathom/frame/channel_list.hpp>

#include <array>

namespace fathom {

namespace {

constexpr std::array<ChannelInfo, kChannelCount> kChannels = {{
    {Channel::kRange, ElementType::kFloat32, 1, "m", "measured, noise applied; NaN where lost"},
    {Channel::kCleanRange, ElementType::kFloat32, 1, "m",
     "along the noise-free ray, nothing lost; +inf where it meets nothing"},
    {Channel::kHitWorld, ElementType::kFloat32, 3, "m", "the point in the world frame; NaN where lost"},
    {Channel::kHitSensor, ElementType::kFloat32, 3, "m", "the point in the sensor frame; NaN where lost"},
    {Channel::kNormal, ElementType::kFloat32, 3, "",
     "unit normal of the surface struck, world frame, towards the sensor; NaN on a miss"},
    {Channel::kIncidence, ElementType::kFloat32, 1, "rad", "between the reversed ray and the normal; NaN on a miss"},
    {Channel::kEntityId, ElementType::kUint32, 1, "", "what was struck; 4294967295 on a miss"},
    {Channel::kTriangleId, ElementType::kUint32, 1, "", "triangle of its mesh; 4294967295 on a miss"},
    {Channel::kRing, ElementType::kUint16, 1, "", "scan line of the sensor"},
    {Channel::kAzimuth, ElementType::kFloat32, 1, "rad", "of the emitted ray, atan2(y, x) in the sensor frame"},
    {Channel::kElevation, ElementType::kFloat32, 1, "rad", "of the emitted ray, above the x-y plane"},
    {Channel::kTimeOffset, ElementType::kFloat32, 1, "s", "since the start of the frame"},
    {Channel::kIntensity, ElementType::kFloat32, 1, "",
     "of the surface: usually reflectivity times cosine of incidence; 0 on a miss"},
    {Channel::kReason, ElementType::kUint8, 1, "", "why a return is there or missing"},
    {Channel::kDepth, ElementType::kFloat32, 1, "m", "distance to the image plane, noise applied; NaN where lost"},
    {Channel::kCleanDepth, ElementType::kFloat32, 1, "m",
     "the same along the noise-free ray; +inf where it meets nothing"},
    {Channel::kEnergy, ElementType::kFloat32, 1, "", "energy that reaches the cameras, 0 to 1; NaN on a miss"},
    {Channel::kCleanHit, ElementType::kFloat32, 3, "m", "hit point of the noise-free ray, sensor frame; NaN on a miss"},
    {Channel::kLabel, ElementType::kUint32, 1, "", "id of the label of what was struck; 0: none, or a miss"},
}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kChannels.size(); ++i) {
    if (static_cast<std::size_t>(kChannels[i].channel) != i) return false;
  }
  return true;
}
static_assert(in_order());

}  // namespace

std::span<const ChannelInfo> channel_list() { return kChannels; }
const ChannelInfo& channel_info(Channel channel) { return kChannels[static_cast<std::size_t>(channel)]; }

}  // namespace fathom
