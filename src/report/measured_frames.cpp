// SPDX-License-Identifier: MIT
// Depth images, clouds and scan logs as measured frames of a scene.

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

#include "base/errors.hpp"
#include "base/text.hpp"
#include "log/scan_lines.hpp"
#include "report/fit_selection.hpp"
#include "report/left_out.hpp"
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

/// Files by the frames in their names, no two of one.
std::vector<FrameFile> by_frame(const std::vector<fs::path>& files) {
  std::vector<FrameFile> frames;
  frames.reserve(files.size());
  for (const fs::path& file : files) frames.push_back({frame_of(file), file});
  std::sort(frames.begin(), frames.end(), [](const FrameFile& a, const FrameFile& b) {
    return a.frame != b.frame ? a.frame < b.frame : a.file < b.file;
  });
  for (std::size_t k = 1; k < frames.size(); ++k) {
    if (frames[k].frame != frames[k - 1].frame) continue;
    throw InputError(
        fmt::format("{}: has the same number as {}", frames[k].file.string(), frames[k - 1].file.filename().string()));
  }
  return frames;
}

enum class Measured { kRun, kImages, kClouds, kLog };

/// An option by its name, and whether it was given.
struct GivenOption {
  std::string_view name;
  bool is_given;
};

/// Refuses what was given for measurements of another kind, which would do nothing.
void check_options(const fs::path& measured, Measured kind, const MeasuredOptions& o) {
  constexpr std::array<std::string_view, 4> kKinds = {"a run", "a folder of depth images", "a folder of clouds",
                                                      "a log"};
  const auto refuse = [&](std::string_view name, std::string_view what, const Message& instead = {}) {
    throw InputError(measured.string(), ": ", Setting{std::string(name)}, " is for ", what, ", and this is ",
                     kKinds[static_cast<std::size_t>(kind)], instead);
  };
  const bool has_files = kind == Measured::kImages || kind == Measured::kClouds;
  if (!has_files && !o.files.empty()) refuse("files", "a folder of depth images or clouds");
  if (kind != Measured::kImages && o.levels_per_m) refuse("levels_per_m", "16-bit images");
  if (kind == Measured::kLog) return;
  const std::array<GivenOption, 5> of_logs = {{{"laser", !o.log.laser.empty()},
                                               {"ray_angle_deg", o.log.ray_angle_deg.has_value()},
                                               {"ray_time_s", o.log.ray_time_s != 0.0},
                                               {"mount", o.log.mount.has_value()},
                                               {"step_m", o.step_m != 0.0}}};
  for (const GivenOption& option : of_logs) {
    if (option.is_given) refuse(option.name, "a log");
  }
  if (o.scans != "all") {
    refuse("scans", "a log", has_files ? Message("; ", Setting{"files"}, " says which of them are taken") : Message());
  }
  if (o.max_range_m) refuse("max_range_m", "a log", "; how far the sensor measures stands in the scene");
}

ChainFrames read_images(const SceneSetup& setup, const fs::path& folder, const MeasuredOptions& options) {
  const std::vector<FrameFile> images = by_frame(depth_images(folder, options.files));
  const double levels_per_m = options.levels_per_m.value_or(kUsualLevelsPerM);
  const bool has_levels = read_depth_image(images.front().file, levels_per_m).has_levels;
  refuse_levels_of_metres(images.front().file, has_levels, options.levels_per_m.has_value());
  ChainFramesOptions how = options.frames;
  how.half_step_m = has_levels ? 0.5 / levels_per_m : 0.0;
  ChainFrameReader reader(setup, images.size(), how);
  for (const auto& [frame, file] : images) {
    const DepthImage image = read_depth_image(file, levels_per_m);
    const PatternShape shape = reader.shape();
    if (image.rows != shape.rows || image.cols != shape.cols) {
      throw InputError(fmt::format("{}: has {} x {} pixels, not {} x {} as the sensor of the scene", file.string(),
                                   image.cols, image.rows, shape.cols, shape.rows));
    }
    check_levels(file, image, has_levels);
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
    throw InputError(Setting{"max_range_m"}, fmt::format(" = {} is not above 0 m", *options.max_range_m));
  }
  if (!(options.step_m >= 0.0 && options.step_m <= 1.0)) {
    throw InputError(Setting{"step_m"}, fmt::format(" = {} is not in [0, 1] m", options.step_m));
  }
}

ChainFrames read_log(const SceneSetup& setup, const fs::path& file, const MeasuredOptions& options) {
  check_log_options(options);
  const ScanLog log = read_scan_log(file, options.log);
  const ScanNumbers scans = choose_scans(log.name, options.scans, log.scans());
  ChainFramesOptions how = options.frames;
  how.half_step_m = 0.5 * options.step_m;
  ChainFrameReader reader(setup, scans.size(), how);
  refuse_own_rays(log, "and the sensor always has the same");
  with_prefix(log.name, [&] { reader.check_azimuths(log.azimuth_rad); });
  const double lost_m = no_return_m(log, options);
  // Else whatever is farther would seem to be lost by chance.
  if (lost_m < reader.max_range_m()) {
    throw InputError(log.name, ": readings end at ", Setting{"max_range_m"},
                     fmt::format(" = {} m, and sensor '{}' measures to {} m: set the max_range_m of the sensor to it",
                                 number_text(lost_m), reader.frames().sensor, number_text(reader.max_range_m())));
  }
  // A log that does not say how far its laser measures may have a code for no return anywhere beyond that.
  const double end_m = std::min(lost_m, ChainFrames::kBeyond * reader.max_range_m());
  std::size_t beyond = 0;
  std::vector<float> range_m;
  for (const std::uint32_t scan : scans) {
    range_m.assign(log.scan(scan).begin(), log.scan(scan).end());
    for (float& range : range_m) {
      beyond += std::isfinite(range) && double{range} >= end_m && double{range} < lost_m ? 1 : 0;
      if (!(double{range} < end_m)) range = std::numeric_limits<float>::quiet_NaN();
    }
    reader.add_scan(scan, range_m, log.pose[scan]);
  }
  ChainFrames frames = reader.frames();
  frames.beyond += beyond;
  for (Message& note : log_notes(log, std::min(lost_m, reader.max_range_m()))) {
    frames.notes.push_back({Severity::kNote, "log", std::move(note)});
  }
  return frames;
}

}  // namespace

ChainFrames read_measured_frames(const SceneSetup& setup, const fs::path& measured, const MeasuredOptions& options) {
  std::error_code error;
  if (!fs::exists(measured, error)) throw InputError(fmt::format("{}: is not there", measured.string()));
  const auto check = [&](Measured kind) { check_options(measured, kind, options); };
  if (!fs::is_directory(measured, error)) {
    check(Measured::kLog);
    return read_log(setup, measured, options);
  }
  if (fs::exists(measured / "summary.json", error)) {
    check(Measured::kRun);
    return read_run_frames(setup, measured, options.frames);
  }
  const std::vector<fs::path> clouds = cloud_files(measured, options.files);
  check(clouds.empty() ? Measured::kImages : Measured::kClouds);
  if (!clouds.empty()) return read_cloud_frames(setup, by_frame(clouds), options.frames);
  return read_images(setup, measured, options);
}

}  // namespace fathom
