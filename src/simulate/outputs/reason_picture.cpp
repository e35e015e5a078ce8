// SPDX-License-Identifier: MIT
#include <fathom/outputs/reason_picture.hpp>

#include <fathom/files/pictures.hpp>
#include <fathom/simulate/sensor.hpp>

#include "picture/picture_size.hpp"
#include "simulate/outputs/frame_file.hpp"

namespace fathom {

std::vector<OutputFile> ReasonPictureOutput::files(const Sensor& sensor) const {
  OutputFile file = frame_file(kFile, return_variant(sensor, return_number));
  file.bytes_at_most = [*this](const FrameShape& shape, std::uint32_t frames) {
    return frames * png_bytes_at_most(reason_picture_size(shape.rows, shape.cols, legend), kRgbBytes);
  };
  file.write = [*this](const std::filesystem::path& path, const Frame& frame, const FrameContext&) {
    with_return(frame, return_number, [&](const Frame& one) { write_reason_picture(path, one, legend); });
  };
  return {file};
}

}  // namespace fathom
