// SPDX-License-Identifier: MIT
#include <fathom/outputs/depth_png.hpp>

#include <string>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/files/depth.hpp>

#include "base/text.hpp"
#include "picture/picture_size.hpp"
#include "sensor/sensor_view.hpp"
#include "simulate/outputs/frame_file.hpp"

namespace fathom {

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
  file.bytes_at_most = [](const FrameShape& shape, std::uint32_t frames) {
    return frames * png_bytes_at_most({shape.cols, shape.rows}, kGrey16Bytes);
  };
  const LostPolicy policy = {lost, static_cast<float>(farthest_m)};
  file.write = [*this, policy](const std::filesystem::path& path, const Frame& frame, const FrameContext&) {
    with_return(frame, return_number,
                [&](const Frame& one) { write_depth_png(path, one, channel, policy, per_m, OffScale::kLost); });
  };
  return {file};
}

}  // namespace fathom
