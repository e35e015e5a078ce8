// SPDX-License-Identifier: MIT
#include <fathom/outputs/camera_sheet.hpp>

#include <fathom/files/pictures.hpp>
#include <fathom/simulate/sensor.hpp>

#include "picture/picture_size.hpp"
#include "simulate/outputs/frame_file.hpp"

namespace fathom {

std::vector<OutputFile> CameraSheetOutput::files(const Sensor& sensor) const {
  OutputFile file = frame_file(kFile, return_variant(sensor, return_number));
  file.bytes_at_most = [](const FrameShape& shape, std::uint32_t frames) {
    return frames * png_bytes_at_most(camera_sheet_size(shape.rows, shape.cols), kRgbBytes);
  };
  file.write = [*this](const std::filesystem::path& path, const Frame& frame, const FrameContext&) {
    with_return(frame, return_number,
                [&](const Frame& one) { write_camera_sheet(path, one, max_range_m.value_or(0.0)); });
  };
  return {file};
}

}  // namespace fathom
