// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/frame/frame.hpp>
#include <fathom/simulate/apply.hpp>

#include "io/log/bag_depth.hpp"
#include "io/message/message_type.hpp"
#include "io/message/sensors.hpp"

namespace fathom {

/// A clean cloud of a file.
struct CleanCloud {
  std::uint32_t rows = 0, cols = 0;  ///< of an organised cloud; else 0
  std::vector<float> x_m, y_m, z_m;
  std::vector<std::uint16_t> ring = {};
  std::vector<float> intensity = {};  ///< shares of the full scale, for weather

  [[nodiscard]] GivenCloud given() const {
    return {.x_m = x_m,
            .y_m = y_m,
            .z_m = z_m,
            .rows = rows,
            .cols = cols,
            .ring = ring,
            .reflectivity = intensity,
            .reflectivity_has_incidence = !intensity.empty()};
  }
};

/// Reads what apply_to_cloud_file() gives this chain. Throws InputError naming the file.
CleanCloud read_clean_cloud(const std::filesystem::path& file, const NoiseChain& chain);

/// Gives a serialised sensor_msgs/msg/PointCloud2 (CDR) the noise of frame `index`. x, y and z change; all other fields
/// stay. A field `ring` goes into GivenCloud. Lost points are NaN in a cloud of several rows, and leave a cloud of one
/// row. Adds to `counts`. Throws InputError for a damaged message, for an x, y or z that is neither float32 nor
/// float64, and as SensorNoise::apply() does.
std::vector<std::byte> apply_to_cloud_message(SensorNoise& noise, std::uint32_t index,
                                              std::span<const std::byte> message, ReasonCounts& counts);

/// Gives the messages of a topic the noise of a sensor.
class MessageNoise {
 public:
  /// Throws InputError for options outside their limits, and as SensorNoise does.
  MessageNoise(Sensor sensor, const MessageNoiseOptions& options);

  /// Whether messages of this type can get noise.
  static bool takes(std::string_view type);
  /// The type of the messages that the sensor itself would publish.
  [[nodiscard]] const MessageType& own_type() const;
  /// The topic of CameraInfo.
  [[nodiscard]] std::string info_topic() const;
  /// Whether messages of this type need a CameraInfo, and set_camera() has not given one.
  [[nodiscard]] bool lacks_camera(std::string_view type) const;

  /// Following images have the intrinsics of this CameraInfo, unless options give a camera. Returns whether they
  /// replace other intrinsics. Throws InputError for a damaged message.
  bool set_camera(std::span<const std::byte> camera_info);

  /// The message with the noise of frame `index`. Throws InputError.
  std::string apply(std::string_view type, std::uint32_t index, std::span<const std::byte> message);

 private:
  std::string apply_to_image(std::uint32_t index, std::span<const std::byte> message);
  std::string apply_to_cloud(std::uint32_t index, std::span<const std::byte> message);
  std::string apply_to_scan(std::uint32_t index, std::span<const std::byte> message);
  void make_noise(const Sensor& sensor);
  /// Prepares the noise for images of this size.
  void fit_camera(std::uint32_t rows, std::uint32_t cols);
  void check_scan() const;

  Sensor sensor_;
  bool is_camera_ = false;
  MessageNoiseOptions options_;
  std::optional<msg::CameraInfo> info_;
  std::optional<SensorNoise> noise_;    // of images, when the first of them has come
  std::optional<std::uint32_t> first_;  // with filters.temporal: the frame with which noise_ began
  std::optional<msg::LaserScan> fan_;   // the rays of a sensor that publishes scans
  Frame frame_;
  msg::Image image_;
  BagDepth depth_;
  msg::LaserScan scan_;
  std::vector<float> clean_m_;
};

}  // namespace fathom
