// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <fathom/calibrate/depth_report.hpp>

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

/// What is left out, for people: "10 m or farther by clean_depth*.npy"; empty where nothing is.
std::string left_out_by(const DepthLeftOut& options);

/// The files of a folder with names of this pattern, in the order of their numbers; empty where there is none.
std::vector<std::filesystem::path> images_named(const std::filesystem::path& folder, const std::string& pattern);

}  // namespace fathom
