// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/calibrate/depth_report.hpp>

namespace fathom {

/// Throws InputError for an image of whole levels among images of metres, or the other way round.
inline void check_levels(const std::filesystem::path& file, const DepthImage& image, bool has_levels) {
  if (image.has_levels == has_levels) return;
  throw InputError(
      fmt::format("{}: has {}, unlike the images before", file.string(), image.has_levels ? "whole levels" : "metres"));
}

}  // namespace fathom
