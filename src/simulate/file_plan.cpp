#include "simulate/file_plan.hpp"

#include <set>
#include <utility>

#include <fmt/format.h>

#include <fathom/error.hpp>

namespace fathom {

namespace {

using Path = std::filesystem::path;

bool is_picture(const SensorOutput& output) {
  return output.kind == OutputKind::kRangeImage || output.kind == OutputKind::kBirdsEyeView;
}

/// "" for a cloud in the sensor frame and a picture coloured by range, so that the plain case has the plain name.
std::string variant_suffix(const SensorOutput& output) {
  if (is_picture(output)) {
    if (output.color == ColorBy::kEntity) return "_entity";
    return output.color == ColorBy::kReason ? "_reason" : "";
  }
  return output.cloud.frame == CloudFrame::kWorld ? "_world" : "";
}

PlannedFile plan_picture(const SensorOutput& output) {
  const ColorBy color = output.color;
  const double max_range_m = output.max_range_m;
  if (output.kind == OutputKind::kRangeImage) {
    return {"range_image" + variant_suffix(output), "png",
            [color, max_range_m](const Path& file, const Frame& frame, const Vec3&) {
              write_range_image(file, frame, color, max_range_m);
            }};
  }
  return {
      "birds_eye" + variant_suffix(output), "png",
      [color, max_range_m, pixels = output.pixels](const Path& file, const Frame& frame, const Vec3& sensor_world_m) {
        write_birds_eye_view(file, frame, color, max_range_m, pixels, sensor_world_m);
      }};
}

PlannedFile plan_cloud(const SensorOutput& output, const std::string& sensor) {
  const CloudOptions cloud = output.cloud;
  const std::string suffix = variant_suffix(output);
  switch (output.kind) {
    case OutputKind::kPly:
      return {"cloud" + suffix, "ply",
              [cloud](const Path& file, const Frame& frame, const Vec3&) { write_ply(file, frame, cloud); }};
    case OutputKind::kPointCloud2: {
      const std::string frame_id = cloud.frame == CloudFrame::kWorld ? "world" : sensor;
      return {"pointcloud2" + suffix, "cdr", [cloud, frame_id](const Path& file, const Frame& frame, const Vec3&) {
                write_pointcloud2(file, frame, frame_id, cloud);
              }};
    }
    default:
      return {"cloud" + suffix, "pcd",
              [cloud](const Path& file, const Frame& frame, const Vec3&) { write_pcd(file, frame, cloud); }};
  }
}

void append_plan(const SensorOutput& output, const std::string& sensor, std::vector<PlannedFile>& files) {
  if (is_picture(output)) return files.push_back(plan_picture(output));
  if (output.kind != OutputKind::kNpy) return files.push_back(plan_cloud(output, sensor));
  for (std::size_t i = 0; i < kChannelCount; ++i) {
    const auto channel = static_cast<Channel>(i);
    if (!output.channels.contains(channel)) continue;
    files.push_back(
        {std::string(to_string(channel)), "npy",
         [channel](const Path& file, const Frame& frame, const Vec3&) { write_npy(file, frame, channel); }});
  }
}

}  // namespace

std::string PlannedFile::name(std::uint32_t frame) const { return fmt::format("{}_{:06}.{}", stem, frame, extension); }

std::vector<PlannedFile> plan_files(const SensorSetup& setup) {
  std::vector<PlannedFile> files;
  for (const SensorOutput& output : setup.outputs) append_plan(output, setup.sensor.name, files);
  std::set<std::string> names;
  for (const PlannedFile& file : files) {
    if (!names.insert(file.name(0)).second) {
      throw InputError(fmt::format("two outputs of '{}' write the same file {}", setup.sensor.name, file.name(0)));
    }
  }
  return files;
}

ChannelSet planned_channels(const SensorSetup& setup) {
  ChannelSet channels = {Channel::kReason};
  for (const SensorOutput& output : setup.outputs) {
    OutputOptions options;
    options.kinds = {output.kind};
    options.cloud = output.cloud;
    options.color = output.color;
    options.npy_channels = output.channels;
    channels = channels | required_channels(options);
  }
  return channels;
}

void check_sensor_name(std::string_view name) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  constexpr std::size_t kLongest = 64;
  if (name.empty() || name.size() > kLongest || name.find_first_not_of(kAllowed) != std::string_view::npos) {
    throw InputError(
        fmt::format("'{}' cannot name a folder: 1 to {} letters, digits, _ and - are allowed", name, kLongest));
  }
}

}  // namespace fathom
