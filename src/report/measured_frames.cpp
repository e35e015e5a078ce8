// SPDX-License-Identifier: MIT
// Depth images as measured frames of a scene.

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/calibrate/chain_report.hpp>
#include <fathom/calibrate/depth_report.hpp>

#include "text/text_lines.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;

/// The last number in the name of an image.
std::uint32_t frame_of(const fs::path& file) {
  const std::string stem = file.stem().string();
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto end = std::find_if(stem.rbegin(), stem.rend(), is_digit).base();
  const auto begin = std::find_if_not(std::make_reverse_iterator(end), stem.rend(), is_digit).base();
  const auto number = parse_number<std::uint32_t>(std::string_view(stem).substr(
      static_cast<std::size_t>(begin - stem.begin()), static_cast<std::size_t>(end - begin)));
  if (number && *number < kMaxFrames) return *number;
  throw InputError(fmt::format("{}: has no number of a frame, 0 to {}, in its name", file.string(), kMaxFrames - 1));
}

ChainFrames read_images(const SceneSetup& setup, const fs::path& folder, const MeasuredOptions& options) {
  std::vector<std::pair<std::uint32_t, fs::path>> images;
  for (const fs::path& file : depth_images(folder, options.files)) images.emplace_back(frame_of(file), file);
  std::sort(images.begin(), images.end());
  const bool has_levels = read_depth_image(images.front().second, options.levels_per_m).has_levels;
  ChainFramesOptions how = options.frames;
  how.half_step_m = has_levels ? 0.5 / options.levels_per_m : 0.0;
  ChainFrameReader reader(setup, images.size(), how);
  for (std::size_t k = 0; k < images.size(); ++k) {
    const auto& [frame, file] = images[k];
    if (k > 0 && frame == images[k - 1].first) {
      throw InputError(
          fmt::format("{}: has the same number as {}", file.string(), images[k - 1].second.filename().string()));
    }
    const DepthImage image = read_depth_image(file, options.levels_per_m);
    const PatternShape shape = reader.shape();
    if (image.rows != shape.rows || image.cols != shape.cols) {
      throw InputError(fmt::format("{}: has {} x {} pixels, not {} x {} as the sensor of the scene", file.string(),
                                   image.cols, image.rows, shape.cols, shape.rows));
    }
    if (image.has_levels != has_levels) {
      throw InputError(fmt::format("{}: has {}, unlike the images before", file.string(),
                                   image.has_levels ? "whole levels" : "metres"));
    }
    reader.add_depths(frame, image.depth_m);
  }
  return reader.frames();
}

}  // namespace

ChainFrames read_measured_frames(const SceneSetup& setup, const fs::path& folder, const MeasuredOptions& options) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) throw InputError(fmt::format("{}: is not a folder", folder.string()));
  const bool is_run = fs::exists(folder / "summary.json", error);
  return is_run ? read_run_frames(setup, folder, options.frames) : read_images(setup, folder, options);
}

}  // namespace fathom
