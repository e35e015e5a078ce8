#include "simulate/file_plan.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <fathom/error.hpp>
#include <fathom/sensor_fields.hpp>

#include "base/text.hpp"

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

/// The shifts of a range image, empty where rows stay.
std::vector<std::int32_t> shifts_of(const SensorOutput& output, const SensorModel& model) {
  if (!output.destagger) return {};
  const auto* lidar = std::get_if<SpinningLidar>(&model);
  // Velodynes fire the whole sequences that fit into a turn, so the last column may end a little short of it.
  if (lidar == nullptr || !(lidar->span_rad + lidar->span_rad / lidar->columns > 2 * kMaxAngleRad)) {
    throw InputError("only the range image of a spinning_lidar that turns once round can be destaggered");
  }
  return destagger_shifts(*lidar);
}

PlannedFile plan_range_image(const SensorOutput& output, const SensorModel& model) {
  const std::string stem = "range_image" + variant_suffix(output);
  const std::vector<std::int32_t> shifts = shifts_of(output, model);
  if (is_seen_by_angle(model)) {
    return {stem, "png", [output](const Path& file, const Frame& frame, const FileContext& context) {
              write_angle_image(file, frame, output.color, output.max_range_m, {output.legend, context.entity_names});
            }};
  }
  return {
      stem, "png", [output, shifts](const Path& file, const Frame& frame, const FileContext& context) {
        write_range_image(file, frame, output.color, output.max_range_m, shifts, {output.legend, context.entity_names});
      }};
}

PlannedFile plan_birds_eye(const SensorOutput& output) {
  return {"birds_eye" + variant_suffix(output), "png",
          [output](const Path& file, const Frame& frame, const FileContext& context) {
            write_birds_eye_view(file, frame, output.color, output.max_range_m, output.pixels,
                                 context.world_from_sensor, {output.legend, context.entity_names});
          }};
}

PlannedFile plan_cloud(const SensorOutput& output, const std::string& sensor) {
  const CloudOptions cloud = output.cloud;
  const std::string suffix = variant_suffix(output);
  switch (output.kind) {
    case OutputKind::kPly:
      return {"cloud" + suffix, "ply",
              [cloud](const Path& file, const Frame& frame, const FileContext&) { write_ply(file, frame, cloud); }};
    case OutputKind::kPointCloud2: {
      const std::string frame_id = cloud.frame == CloudFrame::kWorld ? "world" : sensor;
      return {"pointcloud2" + suffix, "cdr",
              [cloud, frame_id](const Path& file, const Frame& frame, const FileContext&) {
                write_pointcloud2(file, frame, frame_id, cloud);
              }};
    }
    default:
      return {"cloud" + suffix, "pcd",
              [cloud](const Path& file, const Frame& frame, const FileContext&) { write_pcd(file, frame, cloud); }};
  }
}

/// The farthest range of any ray: what LostValue::kMax stands for.
double farthest_m(const SensorModel& model) {
  const std::vector<double> limits = get_sensor_field(model, "max_range_m");
  return *std::max_element(limits.begin(), limits.end());
}

LostPolicy policy_of(const SensorOutput& output, LostValue usual, const SensorModel& model) {
  return {output.lost.value_or(usual), static_cast<float>(farthest_m(model))};
}

/// Ranges within the sensor's limits must fit; what noise or a far surface carries beyond counts as lost.
PlannedFile plan_depth_png(const SensorOutput& output, const SensorModel& model) {
  constexpr double kTopLevel = 65535.0;
  const double farthest = farthest_m(model), per_m = output.per_m;
  if (!(farthest * per_m <= kTopLevel)) {
    throw InputError(
        fmt::format("a 16-bit picture ends at {} m with {} levels per metre, the sensor at {} m: choose fewer (per_m)",
                    number_text(kTopLevel / per_m), number_text(per_m), number_text(farthest)));
  }
  const LostPolicy policy = policy_of(output, LostValue::kZero, model);
  const Channel channel = output.depth;
  return {std::string(to_string(channel)), "png",
          [channel, policy, per_m](const Path& file, const Frame& frame, const FileContext&) {
            write_depth_png(file, frame, channel, policy, per_m, OffScale::kLost);
          }};
}

PlannedFile plan_array(const SensorOutput& output, Channel channel, const SensorModel& model) {
  const bool length = std::find(kLengthChannels.begin(), kLengthChannels.end(), channel) != kLengthChannels.end();
  const std::string stem(to_string(channel));
  if (!output.lost || !length) {
    return {stem, "npy",
            [channel](const Path& file, const Frame& frame, const FileContext&) { write_npy(file, frame, channel); }};
  }
  const LostPolicy policy = policy_of(output, LostValue::kNan, model);
  return {stem, "npy", [channel, policy](const Path& file, const Frame& frame, const FileContext&) {
            write_npy(file, frame, channel, policy);
          }};
}

void append_plan(const SensorOutput& output, const Sensor& sensor, std::vector<PlannedFile>& files) {
  switch (output.kind) {
    case OutputKind::kPcd:
    case OutputKind::kPly:
    case OutputKind::kPointCloud2:
      return files.push_back(plan_cloud(output, sensor.name));
    case OutputKind::kRangeImage:
      return files.push_back(plan_range_image(output, sensor.model));
    case OutputKind::kBirdsEyeView:
      return files.push_back(plan_birds_eye(output));
    case OutputKind::kDepthPng:
      return files.push_back(plan_depth_png(output, sensor.model));
    case OutputKind::kReasonPicture:
      return files.push_back(
          {"reason", "png", [legend = output.legend](const Path& file, const Frame& frame, const FileContext&) {
             write_reason_picture(file, frame, legend);
           }});
    case OutputKind::kCameraSheet:
      return files.push_back(
          {"sheet", "png", [scale_m = output.max_range_m](const Path& file, const Frame& frame, const FileContext&) {
             write_camera_sheet(file, frame, scale_m);
           }});
    case OutputKind::kScanLog:
      return;  // one file of all frames: scan_log_file.hpp
    case OutputKind::kNpy:
      break;
  }
  for (std::size_t i = 0; i < kChannelCount; ++i) {
    const auto channel = static_cast<Channel>(i);
    if (output.channels.contains(channel)) files.push_back(plan_array(output, channel, sensor.model));
  }
}

}  // namespace

bool is_seen_by_angle(const SensorModel& model) {
  if (std::holds_alternative<Rosette>(model)) return true;
  const auto* rays = std::get_if<RayPattern>(&model);
  if (rays == nullptr || rays->rows != 1) return false;
  const auto& z = rays->direction_z;
  return std::any_of(z.begin(), z.end(), [&](float up) { return up != z.front(); });
}

std::string PlannedFile::name(std::uint32_t frame) const { return fmt::format("{}_{:06}.{}", stem, frame, extension); }

std::vector<PlannedFile> plan_files(const SensorSetup& setup) {
  std::vector<PlannedFile> files;
  for (const SensorOutput& output : setup.outputs) append_plan(output, setup.sensor, files);
  std::set<std::string> names;
  const auto logs = std::count_if(setup.outputs.begin(), setup.outputs.end(),
                                  [](const SensorOutput& o) { return o.kind == OutputKind::kScanLog; });
  if (logs > 1) throw InputError(fmt::format("two outputs of '{}' write the same scan log", setup.sensor.name));
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
    options.depth_channel = output.depth;
    options.by_angle = is_seen_by_angle(setup.sensor.model);
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

void SensorNames::add(const std::string& name) {
  const auto [place, fresh] = by_lower_case_.emplace(lower_case(name), name);
  if (fresh) return;
  if (place->second == name) throw InputError(fmt::format("the name '{}' is there twice", name));
  throw InputError(
      fmt::format("the name '{}' differs from '{}' in case only; their folders would be one where file "
                  "names have no case",
                  name, place->second));
}

}  // namespace fathom
