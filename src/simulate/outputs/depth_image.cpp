// SPDX-License-Identifier: MIT
#include <fathom/outputs/depth_image.hpp>

#include <string>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "base/text.hpp"
#include "message/message.hpp"
#include "sensor/sensor_view.hpp"
#include "simulate/bag/sensor_messages.hpp"
#include "simulate/outputs/frame_file.hpp"
#include "text/whole_file.hpp"

namespace fathom {

std::vector<OutputFile> DepthImageOutput::files(const Sensor& sensor) const {
  constexpr double kFarthestM = 65.535;
  const double farthest_m = make_view(sensor.model).farthest_m;
  if (encoding == DepthEncoding::k16UC1 && !(farthest_m <= kFarthestM)) {
    throw InputError(fmt::format("an image 16UC1 ends at {} m, the sensor at {} m: choose the encoding 32FC1",
                                 number_text(kFarthestM), number_text(farthest_m)));
  }
  OutputFile file = frame_file(kFile, return_variant(sensor, return_number));
  const std::string optical = optical_frame(sensor.name);
  file.bytes_at_most = [](const FrameShape& shape, std::uint32_t frames) {
    return frames * (kHeaderBytes + shape.rays() * sizeof(float));
  };
  file.write = [*this, optical](const std::filesystem::path& path, const Frame& frame, const FrameContext&) {
    with_return(frame, return_number, [&](const Frame& one) {
      write_whole_file(path, write_message(DepthImageMessage(one, optical, encoding).message()));
    });
  };
  return {file};
}

}  // namespace fathom
