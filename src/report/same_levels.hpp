// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/calibrate/depth_report.hpp>

namespace fathom {

inline constexpr double kUsualLevelsPerM = 1000.0;

/// Throws InputError for an image of whole levels among images of metres, or the other way round.
inline void check_levels(const std::filesystem::path& file, const DepthImage& image, bool has_levels) {
  if (image.has_levels == has_levels) return;
  throw InputError(
      fmt::format("{}: has {}, unlike the images before", file.string(), image.has_levels ? "whole levels" : "metres"));
}

/// Throws InputError where levels of the first image would do nothing: it has metres.
inline void refuse_levels_of_metres(const std::filesystem::path& file, bool has_levels, bool are_given) {
  if (has_levels || !are_given) return;
  throw InputError(fmt::format("{}: levels_per_m is for 16-bit images, and this one has metres", file.string()));
}

}  // namespace fathom
