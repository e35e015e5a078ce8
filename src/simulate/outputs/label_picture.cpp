// SPDX-License-Identifier: MIT
#include <fathom/outputs/label_picture.hpp>

#include <string>

#include <fathom/files/pictures.hpp>
#include <fathom/simulate/sensor.hpp>

#include "picture/picture_size.hpp"
#include "simulate/outputs/frame_file.hpp"

namespace fathom {

std::vector<OutputFile> LabelPictureOutput::files(const Sensor& sensor) const {
  const std::string variant = return_variant(sensor, return_number);
  if (values == LabelValues::kId) {
    OutputFile file = frame_file(kFile, "_id" + variant);
    file.bytes_at_most = [](const FrameShape& shape, std::uint32_t frames) {
      return frames * png_bytes_at_most({shape.cols, shape.rows}, kGrey16Bytes);
    };
    file.write = [*this](const std::filesystem::path& path, const Frame& frame, const FrameContext&) {
      with_return(frame, return_number, [&](const Frame& one) { write_label_ids(path, one); });
    };
    return {file};
  }
  OutputFile file = frame_file(kFile, variant);
  file.bytes_at_most = [*this](const FrameShape& shape, std::uint32_t frames) {
    return frames * png_bytes_at_most(label_picture_size(shape.rows, shape.cols, legend), kRgbBytes);
  };
  file.write = [*this](const std::filesystem::path& path, const Frame& frame, const FrameContext& context) {
    with_return(frame, return_number,
                [&](const Frame& one) { write_label_picture(path, one, context.labels, legend); });
  };
  return {file};
}

}  // namespace fathom
