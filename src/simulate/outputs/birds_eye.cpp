// SPDX-License-Identifier: MIT
#include <fathom/outputs/birds_eye.hpp>

#include "picture/painter.hpp"
#include "picture/picture_size.hpp"
#include "simulate/outputs/frame_file.hpp"

namespace fathom {

ChannelSet BirdsEyeOutput::needs(const Sensor& /*sensor*/) const {
  return painted_channels(color) | ChannelSet{Channel::kHitWorld};
}

std::vector<OutputFile> BirdsEyeOutput::files(const Sensor& /*sensor*/) const {
  OutputFile file = frame_file(kFile, color_variant(color));
  file.bytes_at_most = [*this](const FrameShape& /*shape*/, std::uint32_t frames) {
    return frames * png_bytes_at_most(birds_eye_size(pixels, color, legend), kRgbBytes);
  };
  file.write = [*this](const std::filesystem::path& path, const Frame& frame, const FrameContext& context) {
    write_birds_eye_view(path, frame, color, max_range_m.value_or(0.0), pixels, context.world_from_sensor,
                         {legend, context.entity_names});
  };
  return {file};
}

}  // namespace fathom
