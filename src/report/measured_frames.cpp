// SPDX-License-Identifier: MIT
// Depth images and scan logs as measured frames of a scene.

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/beam/log.hpp>
#include <fathom/calibrate/chain_report.hpp>
#include <fathom/calibrate/depth_report.hpp>

#include "base/text.hpp"
#include "base/with_prefix.hpp"
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

/// From where on readings of a log mean that nothing came back.
double no_return_m(const ScanLog& log, const MeasuredOptions& options) {
  if (options.max_range_m) return *options.max_range_m;
  const bool is_carmen = !log.laser.empty() && log.max_range_m > 0.0;
  return is_carmen ? log.max_range_m : std::numeric_limits<double>::infinity();
}

void check_log_options(const MeasuredOptions& options) {
  if (options.log.ray_time_s != 0.0) throw InputError("ray_time_s: the scans of a chain have one pose for all rays");
  if (!(options.max_range_m.value_or(1.0) > 0.0)) {
    throw InputError(fmt::format("max_range_m = {} is not above 0 m", *options.max_range_m));
  }
  if (!(options.step_m >= 0.0 && options.step_m <= 1.0)) {
    throw InputError(fmt::format("step_m = {} is not in [0, 1] m", options.step_m));
  }
}

ChainFrames read_log(const SceneSetup& setup, const fs::path& file, const MeasuredOptions& options) {
  check_log_options(options);
  const ScanLog log = read_scan_log(file, options.log);
  const std::vector<std::uint32_t> scans =
      with_prefix(log.name, [&] { return select_scans(options.scans, log.scans()); });
  ChainFramesOptions how = options.frames;
  how.half_step_m = 0.5 * options.step_m;
  ChainFrameReader reader(setup, scans.size(), how);
  with_prefix(log.name, [&] { reader.check_azimuths(log.azimuth_rad); });
  const double lost_m = no_return_m(log, options);
  // Else whatever is farther would seem to be lost by chance.
  if (lost_m < reader.max_range_m()) {
    throw InputError(
        fmt::format("{}: readings end at max_range_m = {} m, and sensor '{}' measures to {} m: set the "
                    "max_range_m of the sensor to it",
                    log.name, number_text(lost_m), reader.frames().sensor, number_text(reader.max_range_m())));
  }
  std::vector<float> range_m;
  for (const std::uint32_t scan : scans) {
    range_m.assign(log.scan(scan).begin(), log.scan(scan).end());
    for (float& range : range_m) range = double{range} < lost_m ? range : std::numeric_limits<float>::quiet_NaN();
    reader.add_scan(scan, range_m, log.pose[scan]);
  }
  ChainFrames frames = reader.frames();
  frames.notes = log_notes(log, std::min(lost_m, reader.max_range_m()));
  return frames;
}

}  // namespace

ChainFrames read_measured_frames(const SceneSetup& setup, const fs::path& measured, const MeasuredOptions& options) {
  std::error_code error;
  if (!fs::exists(measured, error)) throw InputError(fmt::format("{}: is not there", measured.string()));
  if (!fs::is_directory(measured, error)) return read_log(setup, measured, options);
  const bool is_run = fs::exists(measured / "summary.json", error);
  return is_run ? read_run_frames(setup, measured, options.frames) : read_images(setup, measured, options);
}

}  // namespace fathom
