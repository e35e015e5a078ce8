// SPDX-License-Identifier: MIT
#include <fathom/outputs/range_image.hpp>

#include <cstdint>
#include <string>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "picture/painter.hpp"
#include "picture/picture_size.hpp"
#include "sensor/sensor_view.hpp"
#include "simulate/outputs/frame_file.hpp"

namespace fathom {

namespace {

/// The shifts that turn columns from times to directions, [rows].
std::vector<std::int32_t> full_turn_shifts(const SensorModel& model) {
  std::vector<std::int32_t> shifts = column_shifts(model);
  if (shifts.empty()) {
    throw InputError(fmt::format("only the range image of {} can be destaggered", with_column_shifts()));
  }
  return shifts;
}

}  // namespace

ChannelSet RangeImageOutput::needs(const Sensor& sensor) const {
  const ChannelSet angles = {Channel::kAzimuth, Channel::kElevation};
  return make_view(sensor.model).seen_by_angle ? painted_channels(color) | angles : painted_channels(color);
}

std::vector<OutputFile> RangeImageOutput::files(const Sensor& sensor) const {
  using Path = std::filesystem::path;
  const std::string colors(color_variant(color));
  OutputFile file = frame_file(kFile, colors + return_variant(sensor, return_number));
  const std::vector<std::int32_t> shifts = destagger ? full_turn_shifts(sensor.model) : std::vector<std::int32_t>();
  if (make_view(sensor.model).seen_by_angle) {
    file.bytes_at_most = [*this](const FrameShape& /*shape*/, std::uint32_t frames) {
      return frames * png_bytes_at_most(angle_image_size(color, legend), kRgbBytes);
    };
    file.write = [*this](const Path& path, const Frame& frame, const FrameContext& context) {
      with_return(frame, return_number, [&](const Frame& one) {
        write_angle_image(path, one, color, max_range_m.value_or(0.0), {legend, context.entity_names});
      });
    };
    return {file};
  }
  file.bytes_at_most = [*this](const FrameShape& shape, std::uint32_t frames) {
    return frames * png_bytes_at_most(range_image_size(shape.rows, shape.cols, color, legend), kRgbBytes);
  };
  file.write = [*this, shifts](const Path& path, const Frame& frame, const FrameContext& context) {
    with_return(frame, return_number, [&](const Frame& one) {
      write_range_image(path, one, color, max_range_m.value_or(0.0), shifts, {legend, context.entity_names});
    });
  };
  return {file};
}

}  // namespace fathom
