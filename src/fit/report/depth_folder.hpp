// SPDX-License-Identifier: MIT
#pragma once
// Folders of depth images and clouds: their files, and which pixels are left out.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fathom/fit/reports.hpp>

namespace fathom {

/// Says of each depth image of a folder which pixels are left out. Reads one image at a time.
class LeftOutPixels {
 public:
  /// Finds the files. Throws InputError for a number outside its limits, for files that are not there, and where there
  /// are not as many of them as depth images, or one mask.
  LeftOutPixels(const std::filesystem::path& folder, const DepthReport::Options::LeftOut& options, std::size_t images);

  /// Of depth image k, [rows, cols]: 1 for a pixel that is left out; empty where nothing is to be. Throws InputError
  /// naming the file that is not of this size, or that is no such image.
  [[nodiscard]] std::vector<std::uint8_t> of_image(std::size_t k, std::uint32_t rows, std::uint32_t cols) const;
  /// All that are read.
  [[nodiscard]] std::vector<std::filesystem::path> files() const;

 private:
  DepthReport::Options::LeftOut options_;
  std::vector<std::filesystem::path> truths_, masks_;
};

/// The pixels that are left out, for people: "10 m or farther by clean_depth*.npy"; may be empty.
std::string left_out_by(const DepthReport::Options::LeftOut& options);

/// Clouds of a folder, PCD and PLY, which the pattern names. Without a pattern all, or empty if the folder has
/// images. Empty if the pattern names other files.
std::vector<std::filesystem::path> cloud_files(const std::filesystem::path& folder, const std::string& pattern);

/// Reads images that all hold whole levels, or all metres.
class DepthReader {
 public:
  /// `levels_per_m`: of 16-bit images; nothing: 1000.
  explicit DepthReader(const std::optional<double>& levels_per_m) : levels_per_m_(levels_per_m) {}

  /// Throws InputError as read_depth_image() does, for levels_per_m of metres, and for images of both kinds.
  DepthImage read(const std::filesystem::path& file);
  /// Half the step of the depths that were read; 0: they are not rounded.
  [[nodiscard]] double half_step_m() const { return has_levels_.value_or(false) ? 0.5 / per_m() : 0.0; }

 private:
  [[nodiscard]] double per_m() const { return levels_per_m_.value_or(1000.0); }

  std::optional<double> levels_per_m_;
  std::optional<bool> has_levels_;  // of the images before
};

/// As depth_images_or_clouds(), of depth images alone.
std::vector<std::filesystem::path> depth_images(const std::filesystem::path& folder, const std::string& pattern = {});

}  // namespace fathom
