// SPDX-License-Identifier: MIT
// The kinds of output that are pictures.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/files/pictures.hpp>
#include <fathom/simulate/output_kinds.hpp>
#include <fathom/simulate/sensor.hpp>

#include "core/text.hpp"
#include "io/picture/painter.hpp"
#include "io/picture/picture_size.hpp"
#include "run/outputs/frame_file.hpp"
#include "sensor/sensor_view.hpp"

namespace fathom {

namespace {

using PicturePath = std::filesystem::path;

constexpr std::uint32_t kRgbBytes = 3, kGrey16Bytes = 2;

/// The suffix of a picture's stem; empty for the usual colours, so that the plain case has the plain name.
std::string_view color_variant(ColorBy color) {
  switch (color) {
    case ColorBy::kEntity:
      return "_entity";
    case ColorBy::kReason:
      return "_reason";
    case ColorBy::kRange:
      break;
  }
  return "";
}

/// The shifts that turn columns of one time into columns of one direction, [rows]; empty if columns stay.
std::vector<std::int32_t> row_shifts(const RangeImageOutput& output, const SensorModel& model) {
  if (!output.destagger.value_or(true)) return {};
  std::vector<std::int32_t> shifts = column_shifts(model);
  if (output.destagger && shifts.empty()) {
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
  const std::string colors(color_variant(color));
  OutputFile file = frame_file(kFile, colors + return_variant(sensor, return_number));
  const std::vector<std::int32_t> shifts = row_shifts(*this, sensor.model);
  if (make_view(sensor.model).seen_by_angle) {
    file.bytes_at_most = [*this](const OutputFile::Shape& /*shape*/, std::uint32_t frames) {
      return frames * png_bytes_at_most(angle_image_size(color, legend), kRgbBytes);
    };
    file.write = [*this](const PicturePath& path, const Frame& frame, const OutputFile::Context& context) {
      with_return(frame, return_number, [&](const Frame& one) {
        write_angle_image(path, one, color, max_range_m.value_or(0.0), {legend, context.entity_names, theme});
      });
    };
    return {file};
  }
  file.bytes_at_most = [*this](const OutputFile::Shape& shape, std::uint32_t frames) {
    return frames * png_bytes_at_most(range_image_size(shape.rows, shape.cols, color, legend), kRgbBytes);
  };
  file.write = [*this, shifts](const PicturePath& path, const Frame& frame, const OutputFile::Context& context) {
    with_return(frame, return_number, [&](const Frame& one) {
      write_range_image(path, one, color, max_range_m.value_or(0.0), shifts, {legend, context.entity_names, theme});
    });
  };
  return {file};
}

ChannelSet BirdsEyeOutput::needs(const Sensor& /*sensor*/) const {
  return painted_channels(color) | ChannelSet{Channel::kHitWorld};
}

std::vector<OutputFile> BirdsEyeOutput::files(const Sensor& /*sensor*/) const {
  OutputFile file = frame_file(kFile, color_variant(color));
  file.bytes_at_most = [*this](const OutputFile::Shape& /*shape*/, std::uint32_t frames) {
    return frames * png_bytes_at_most(birds_eye_size(pixels, color, legend), kRgbBytes);
  };
  file.write = [*this](const PicturePath& path, const Frame& frame, const OutputFile::Context& context) {
    write_birds_eye_view(path, frame, color, max_range_m.value_or(0.0), pixels, context.world_from_sensor,
                         {legend, context.entity_names, theme});
  };
  return {file};
}

std::vector<OutputFile> DepthPngOutput::files(const Sensor& sensor) const {
  constexpr double kTopLevel = 65535.0;
  const double farthest_m = make_view(sensor.model).farthest_m;
  if (!(farthest_m * per_m <= kTopLevel)) {
    throw InputError(
        fmt::format("a 16-bit picture ends at {} m with {} levels per metre, the sensor at {} m: choose fewer (per_m)",
                    number_text(kTopLevel / per_m), number_text(per_m), number_text(farthest_m)));
  }
  OutputFile file;
  file.stem = std::string(to_string(channel)) + return_variant(sensor, return_number);
  file.extension = "png";
  file.bytes_at_most = [](const OutputFile::Shape& shape, std::uint32_t frames) {
    return frames * png_bytes_at_most({shape.cols, shape.rows}, kGrey16Bytes);
  };
  const LostPolicy policy = {lost, static_cast<float>(farthest_m)};
  file.write = [*this, policy](const PicturePath& path, const Frame& frame, const OutputFile::Context&) {
    with_return(frame, return_number,
                [&](const Frame& one) { write_depth_png(path, one, channel, policy, per_m, OffScale::kLost); });
  };
  return {file};
}

std::vector<OutputFile> ReasonPictureOutput::files(const Sensor& sensor) const {
  OutputFile file = frame_file(kFile, return_variant(sensor, return_number));
  file.bytes_at_most = [*this](const OutputFile::Shape& shape, std::uint32_t frames) {
    return frames * png_bytes_at_most(reason_picture_size(shape.rows, shape.cols, legend), kRgbBytes);
  };
  file.write = [*this](const PicturePath& path, const Frame& frame, const OutputFile::Context&) {
    with_return(frame, return_number, [&](const Frame& one) { write_reason_picture(path, one, legend, theme); });
  };
  return {file};
}

std::vector<OutputFile> CameraSheetOutput::files(const Sensor& sensor) const {
  OutputFile file = frame_file(kFile, return_variant(sensor, return_number));
  file.bytes_at_most = [](const OutputFile::Shape& shape, std::uint32_t frames) {
    return frames * png_bytes_at_most(camera_sheet_size(shape.rows, shape.cols), kRgbBytes);
  };
  file.write = [*this](const PicturePath& path, const Frame& frame, const OutputFile::Context&) {
    with_return(frame, return_number,
                [&](const Frame& one) { write_camera_sheet(path, one, max_range_m.value_or(0.0), theme); });
  };
  return {file};
}

std::vector<OutputFile> LabelPictureOutput::files(const Sensor& sensor) const {
  const std::string variant = return_variant(sensor, return_number);
  if (values == LabelValues::kId) {
    OutputFile file = frame_file(kFile, "_id" + variant);
    file.bytes_at_most = [](const OutputFile::Shape& shape, std::uint32_t frames) {
      return frames * png_bytes_at_most({shape.cols, shape.rows}, kGrey16Bytes);
    };
    file.write = [*this](const PicturePath& path, const Frame& frame, const OutputFile::Context&) {
      with_return(frame, return_number, [&](const Frame& one) { write_label_ids(path, one); });
    };
    return {file};
  }
  OutputFile file = frame_file(kFile, variant);
  file.bytes_at_most = [*this](const OutputFile::Shape& shape, std::uint32_t frames) {
    return frames * png_bytes_at_most(label_picture_size(shape.rows, shape.cols, legend), kRgbBytes);
  };
  file.write = [*this](const PicturePath& path, const Frame& frame, const OutputFile::Context& context) {
    with_return(frame, return_number,
                [&](const Frame& one) { write_label_picture(path, one, context.labels, legend, theme); });
  };
  return {file};
}

}  // namespace fathom
