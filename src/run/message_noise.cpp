// SPDX-License-Identifier: MIT
#include "run/message_noise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fathom/core/error.hpp>
#include <fathom/files/pictures.hpp>
#include <fathom/simulate/apply.hpp>

#include "io/message/cdr.hpp"
#include "io/picture/painter.hpp"
#include "run/sensor_topics.hpp"
#include "sensor/sensor_view.hpp"

namespace fathom {

namespace {

/// The right camera of a stereo camera has -fx baseline in P.
GivenCamera camera_of(const msg::CameraInfo& info, bool is_stereo) {
  const auto& k = info.k;
  const auto is_finite = [](double v) { return std::isfinite(v); };
  if (!std::ranges::all_of(k, is_finite) || !(k[0] > 0.0 && k[4] > 0.0)) {
    throw InputError(fmt::format("K = [{}] has no finite focal lengths above 0", fmt::join(k, ", ")));
  }
  const double baseline_m = -info.p[3] / info.p[0];
  return {{k[0], k[4], k[2], k[5]}, is_stereo && baseline_m > 0.0 ? baseline_m : 0.0};
}

/// SensorNoise refuses an image that is all NaN, and accepts one of zeros.
void clear_nan(std::vector<float>& clean_m) {
  std::ranges::replace_if(
      clean_m, [](float m) { return std::isnan(m); }, 0.0F);
}

/// 0 where nothing was met. The top level means a hole, as in files.
void take_clean(const BagDepth& depth, double levels_per_m, std::vector<float>& clean_m) {
  clean_m.clear();
  for (const std::uint16_t level : depth.level) {
    clean_m.push_back(level == 65535 ? 0.0F : static_cast<float>(level / levels_per_m));
  }
  clean_m.insert(clean_m.end(), depth.depth_m.begin(), depth.depth_m.end());
  clear_nan(clean_m);
}

/// Replaces the pixels of an image message, whose data begin at `data`.
template <class T>
void put_pixels(const msg::Image& image, std::span<const T> pixels, std::byte* data) {
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    std::array<std::byte, sizeof(T)> bytes{};
    std::memcpy(bytes.data(), &pixels[i], sizeof(T));
    if (image.is_bigendian != 0) std::ranges::reverse(bytes);
    std::memcpy(data + i / image.width * image.step + i % image.width * sizeof(T), bytes.data(), sizeof(T));
  }
}

}  // namespace

void set_camera(Sensor& sensor, const GivenCamera& given, std::uint32_t rows, std::uint32_t cols) {
  DepthCamera* const camera = depth_camera_of(sensor.model);
  auto* const stereo = std::get_if<StereoCamera>(&sensor.model);
  if (camera == nullptr) {
    throw InputError(
        fmt::format("sensor '{}' is a {}: depth images need a depth_camera, a stereo_camera or a tof_camera",
                    sensor.name, sensor_kind(sensor.model)));
  }
  camera->width = cols, camera->height = rows;
  camera->fx = given.lens.fx, camera->fy = given.lens.fy;
  camera->principal_point_px = {given.lens.cx, given.lens.cy};
  camera->horizontal_fov_rad = 0.0;
  camera->focal_length_mm = camera->horizontal_aperture_mm = camera->vertical_aperture_mm = 0.0;
  if (given.baseline_m == 0.0) return;
  if (stereo == nullptr)
    throw InputError(fmt::format("sensor '{}' has no baseline: it is no stereo_camera", sensor.name));
  stereo->baseline_m = given.baseline_m;
  stereo->left_camera.reset(), stereo->right_camera.reset();
}

MessageNoise::MessageNoise(Sensor sensor, const MessageNoiseOptions& options)
    : sensor_(std::move(sensor)), options_(options) {
  if (!(options.levels_per_m >= kLeastLevelsPerM && options.levels_per_m <= kMostLevelsPerM)) {
    throw InputError(Setting{"levels_per_m"}, fmt::format(" = {} is not in [{}, {}] 1/m", options.levels_per_m,
                                                          kLeastLevelsPerM, kMostLevelsPerM));
  }
  is_camera_ = depth_camera_of(sensor_.model) != nullptr;
  if (sensor_.aligned_to) {
    throw InputError(
        fmt::format("sensor '{}': aligned_to changes the shape of images, and messages keep theirs: give "
                    "a scene file with aligned_to: none, or apply the noise to a folder of images",
                    sensor_.name));
  }
  if (options.camera && !is_camera_) {
    throw InputError(fmt::format("sensor '{}' is a {}: a camera is of depth images alone", sensor_.name,
                                 sensor_kind(sensor_.model)));
  }
  frame_ = Frame(is_camera_ ? ChannelSet{Channel::kDepth} : ChannelSet{Channel::kRange, Channel::kReason});
  if (!is_camera_) make_noise(sensor_);
}

void MessageNoise::make_noise(const Sensor& sensor) {
  noise_.emplace(sensor, options_.noise);
  fan_ = scan_constants(sensor.model, noise_->pattern(0), {}, 0.0);
}

bool MessageNoise::takes(std::string_view type) {
  return type == msg::Image::kType.name || type == msg::LaserScan::kType.name || type == msg::PointCloud2::kType.name;
}

const MessageType& MessageNoise::own_type() const {
  if (is_camera_) return msg::Image::kType;
  return fan_ ? msg::LaserScan::kType : msg::PointCloud2::kType;
}

std::string MessageNoise::info_topic() const {
  if (!options_.camera_info.empty()) return options_.camera_info;
  return options_.topic.substr(0, options_.topic.rfind('/') + 1) + "camera_info";
}

bool MessageNoise::lacks_camera(std::string_view type) const {
  return type == msg::Image::kType.name && is_camera_ && !options_.camera && !info_;
}

bool MessageNoise::set_camera(std::span<const std::byte> camera_info) {
  if (options_.camera || !is_camera_) return false;
  msg::CameraInfo info;
  read_message(camera_info, info);
  const bool is_known =
      info_ && info.k == info_->k && info.p == info_->p && info.height == info_->height && info.width == info_->width;
  const bool replaces = info_ && !is_known;
  if (!is_known) info_ = std::move(info), noise_.reset(), first_.reset();
  return replaces;
}

std::string MessageNoise::apply(std::string_view type, std::uint32_t index, std::span<const std::byte> message) {
  if (type == msg::Image::kType.name) return apply_to_image(index, message);
  if (type == msg::PointCloud2::kType.name) return apply_to_cloud(index, message);
  return apply_to_scan(index, message);
}

void MessageNoise::fit_camera(std::uint32_t rows, std::uint32_t cols) {
  if (!noise_ || !is_camera_) {
    if (info_ && (info_->height != rows || info_->width != cols)) {
      throw InputError(fmt::format("has {} x {} pixels, and {} is of {} x {}", cols, rows, info_topic(), info_->width,
                                   info_->height));
    }
    GivenCamera camera = options_.camera.value_or(GivenCamera{});
    if (info_) camera = camera_of(*info_, std::holds_alternative<StereoCamera>(sensor_.model));
    Sensor fitted = sensor_;
    fathom::set_camera(fitted, camera, rows, cols);
    return make_noise(fitted);
  }
  if (noise_->rows() == rows && noise_->cols() == cols) return;
  throw InputError(
      fmt::format("has {} x {} pixels, and the first image {} x {}", cols, rows, noise_->cols(), noise_->rows()));
}

std::string MessageNoise::apply_to_image(std::uint32_t index, std::span<const std::byte> message) {
  depth_.level.clear(), depth_.depth_m.clear();
  read_depths(message, image_, depth_);
  fit_camera(depth_.rows, depth_.cols);
  take_clean(depth_, options_.levels_per_m, clean_m_);
  if (sensor_.filters.temporal && !first_) first_ = index;  // the filter begins with frame 0
  noise_->apply(index - first_.value_or(0), {.depth_m = clean_m_}, frame_);
  std::vector<std::byte> noisy(message.begin(), message.end());
  std::byte* const data = noisy.data() + (image_.data.data() - message.data());
  const std::span<const float> depth_m = frame_.depth_m();
  if (depth_.has_levels) {
    const std::vector<std::uint16_t> levels =
        levels_of(depth_m, {LostValue::kZero, 0.0F}, options_.levels_per_m, OffScale::kLost);
    put_pixels<std::uint16_t>(image_, levels, data);
  } else {
    put_pixels<float>(image_, depth_m, data);
  }
  return {reinterpret_cast<const char*>(noisy.data()), noisy.size()};
}

std::string MessageNoise::apply_to_cloud(std::uint32_t index, std::span<const std::byte> message) {
  if (!noise_) make_noise(sensor_);  // of a camera, which waits for images
  ReasonCounts counts = {};
  const std::vector<std::byte> noisy = apply_to_cloud_message(*noise_, index, message, counts);
  return {reinterpret_cast<const char*>(noisy.data()), noisy.size()};
}

void MessageNoise::check_scan() const {
  if (!fan_) {
    throw InputError(fmt::format("sensor '{}' is a {}: scans need rays that form a level fan", sensor_.name,
                                 sensor_kind(sensor_.model)));
  }
  if (scan_.ranges.size() != noise_->cols()) {
    throw InputError(
        fmt::format("has {} ranges, and sensor '{}' {} rays", scan_.ranges.size(), sensor_.name, noise_->cols()));
  }
  const double step = fan_->angle_increment, steps = static_cast<double>(scan_.ranges.size() - 1);
  const double first = std::remainder(double{scan_.angle_min} - fan_->angle_min, 2 * std::numbers::pi);
  const double last = first + (scan_.angle_increment - step) * steps;
  const double most = 0.5 * std::abs(step);
  if (std::abs(first) <= most && std::abs(last) <= most) return;
  throw InputError(fmt::format("has angles from {} rad in steps of {}, and sensor '{}' from {} in steps of {}",
                               scan_.angle_min, scan_.angle_increment, sensor_.name, fan_->angle_min, step));
}

/// A ray that met nothing keeps its reading, unless the noise gives it a range.
std::string MessageNoise::apply_to_scan(std::uint32_t index, std::span<const std::byte> message) {
  read_message(message, scan_);
  check_scan();
  clean_m_ = scan_.ranges;
  clear_nan(clean_m_);
  noise_->apply(index, {.range_m = clean_m_}, frame_);
  for (std::size_t i = 0; i < scan_.ranges.size(); ++i) {
    if (frame_.reason()[i] != Reason::kMiss) scan_.ranges[i] = scan_range(frame_, i);
  }
  return write_message(scan_);
}

}  // namespace fathom
