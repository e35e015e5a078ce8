// SPDX-License-Identifier: MIT
#pragma once
// Folders of depth images and clouds: which pixels are left out, which files are clouds, and levels that mix with
// metres.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/calibrate/reports.hpp>

namespace fathom {

/// Says of each depth image of a folder which pixels are left out. Reads one image at a time.
class LeftOutPixels {
 public:
  /// Finds the files. Throws InputError for a number outside its limits, for files that are not there, and where there
  /// are not as many of them as depth images, or one mask.
  LeftOutPixels(const std::filesystem::path& folder, const DepthLeftOut& options, std::size_t images);

  /// Of depth image k, [rows, cols]: 1 for a pixel that is left out; empty where nothing is to be. Throws InputError
  /// naming the file that is not of this size, or that is no such image.
  [[nodiscard]] std::vector<std::uint8_t> of_image(std::size_t k, std::uint32_t rows, std::uint32_t cols) const;
  /// All that are read.
  [[nodiscard]] std::vector<std::filesystem::path> files() const;

 private:
  DepthLeftOut options_;
  std::vector<std::filesystem::path> truths_, masks_;
};

/// The pixels that are left out, for people: "10 m or farther by clean_depth*.npy"; may be empty.
std::string left_out_by(const DepthLeftOut& options);

/// The files of a folder with names of this pattern, in the order of their numbers; may be empty.
std::vector<std::filesystem::path> images_named(const std::filesystem::path& folder, const std::string& pattern);

/// Clouds of a folder, PCD and PLY, which the pattern names. Without a pattern all, or nothing if the folder has
/// images. Empty if the pattern names other files.
std::vector<std::filesystem::path> cloud_files(const std::filesystem::path& folder, const std::string& pattern);

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
  throw InputError(file.string(), ": ", Setting{"levels_per_m"}, " is for 16-bit images, and this one has metres");
}

}  // namespace fathom
