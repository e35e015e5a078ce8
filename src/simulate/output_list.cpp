#include <fathom/output_list.hpp>

#include <array>

namespace fathom {

namespace {

constexpr std::array<OutputOptionInfo, 3> kCloudOptions = {{
    {"frame", "sensor", "coordinates: sensor or world"},
    {"keep_misses", "false", "whether lost returns stay in their places, as NaN"},
    {"fields", "[intensity, ring, time_offset]", "channels of each point besides x, y, z"},
}};
constexpr std::array<OutputOptionInfo, 2> kNpyOptions = {{
    {"channels", "[range]", "a file for each of these channels"},
    {"lost", "", "in place of lost ranges and depths: zero, nan, inf, max or minus_one"},
}};
constexpr OutputOptionInfo kColor = {"color", "range", "coloured by range, entity or reason"};
constexpr OutputOptionInfo kMaxRange = {"max_range_m", "", "range that gets the last colour, m"};
constexpr OutputOptionInfo kLegend = {"legend", "true", "whether a bar or key of the colours stands below"};
constexpr std::array<OutputOptionInfo, 4> kImageOptions = {{
    kColor,
    kMaxRange,
    {"destagger", "false", "whether columns of a spinning lidar are directions, not times"},
    kLegend,
}};
constexpr std::array<OutputOptionInfo, 4> kAboveOptions = {{
    kColor,
    {"max_range_m", "", "as for range_image; points that are farther are left out, m"},
    {"pixels", "1024", "along the longer side, 64 to 16384"},
    kLegend,
}};
constexpr std::array<OutputOptionInfo, 3> kDepthOptions = {{
    {"channel", "depth", "depth, clean_depth, range or clean_range"},
    {"per_m", "1000", "levels per metre, 1/m"},
    {"lost", "zero", "level of lost pixels: zero, inf or max"},
}};
constexpr std::array<OutputOptionInfo, 1> kReasonOptions = {kLegend}, kSheetOptions = {kMaxRange};

constexpr std::array<OutputInfo, 10> kOutputs = {{
    {OutputKind::kPcd, "pcd", "cloud_000000.pcd", "points, PCD (PCL, Open3D, CloudCompare)", kCloudOptions},
    {OutputKind::kPly, "ply", "cloud_000000.ply", "points, PLY (MeshLab, Blender, CloudCompare)", kCloudOptions},
    {OutputKind::kPointCloud2, "pointcloud2", "pointcloud2_000000.cdr", "points, a serialised PointCloud2 (ROS 2)",
     kCloudOptions},
    {OutputKind::kNpy, "npy", "range_000000.npy", "channels as arrays (NumPy), a file each", kNpyOptions},
    {OutputKind::kRangeImage, "range_image", "range_image_000000.png", "the frame as a picture, a pixel per ray",
     kImageOptions},
    {OutputKind::kBirdsEyeView, "birds_eye", "birds_eye_000000.png", "the points from above", kAboveOptions},
    {OutputKind::kDepthPng, "depth_png", "depth_000000.png", "depths or ranges in 16 bits, per_m levels a metre",
     kDepthOptions},
    {OutputKind::kReasonPicture, "reason_picture", "reason_000000.png", "why each pixel is there or missing",
     kReasonOptions},
    {OutputKind::kCameraSheet, "camera_sheet", "sheet_000000.png", "clean depth, noisy depth, reasons and energy",
     kSheetOptions},
    {OutputKind::kScanLog, "scan_log", "scans.csv",
     "readings and true poses of a planar laser, one file of all frames"},
}};

constexpr std::array<ChannelInfo, kChannelCount> kChannels = {{
    {Channel::kRange, "float32", 1, "m", "measured, noise applied; NaN where lost"},
    {Channel::kCleanRange, "float32", 1, "m", "along the noise-free ray, nothing lost; +inf where it meets nothing"},
    {Channel::kHitWorld, "float32", 3, "m", "the point in the world frame; NaN where lost"},
    {Channel::kHitSensor, "float32", 3, "m", "the point in the sensor frame; NaN where lost"},
    {Channel::kNormal, "float32", 3, "",
     "unit normal of the surface struck, world frame, towards the sensor; NaN on a miss"},
    {Channel::kIncidence, "float32", 1, "rad", "between the reversed ray and the normal; NaN on a miss"},
    {Channel::kEntityId, "uint32", 1, "", "what was struck; 4294967295 on a miss"},
    {Channel::kTriangleId, "uint32", 1, "", "triangle of its mesh; 4294967295 on a miss"},
    {Channel::kRing, "uint16", 1, "", "scan line of the sensor"},
    {Channel::kAzimuth, "float32", 1, "rad", "of the emitted ray, atan2(y, x) in the sensor frame"},
    {Channel::kElevation, "float32", 1, "rad", "of the emitted ray, above the x-y plane"},
    {Channel::kTimeOffset, "float32", 1, "s", "since the start of the frame"},
    {Channel::kIntensity, "float32", 1, "", "reflectivity times cosine of incidence, 0 to 1; 0 on a miss"},
    {Channel::kReason, "uint8", 1, "", "why a return is there or missing"},
    {Channel::kDepth, "float32", 1, "m", "distance to the image plane, noise applied; NaN where lost"},
    {Channel::kCleanDepth, "float32", 1, "m", "the same along the noise-free ray; +inf where it meets nothing"},
    {Channel::kEnergy, "float32", 1, "", "E of stereo_energy, 0 to 1; NaN on a miss"},
    {Channel::kCleanHit, "float32", 3, "m", "hit point of the noise-free ray, sensor frame; NaN on a miss"},
}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kOutputs.size(); ++i) {
    if (static_cast<std::size_t>(kOutputs[i].kind) != i) return false;
  }
  for (std::size_t i = 0; i < kChannels.size(); ++i) {
    if (static_cast<std::size_t>(kChannels[i].channel) != i) return false;
  }
  return true;
}
static_assert(in_order());

}  // namespace

std::span<const OutputInfo> output_list() { return kOutputs; }

std::span<const ChannelInfo> channel_list() { return kChannels; }

unsigned bytes_of(const ChannelInfo& channel) {
  const unsigned size = channel.type == "uint8" ? 1 : channel.type == "uint16" ? 2 : 4;
  return size * channel.planes;
}

}  // namespace fathom
