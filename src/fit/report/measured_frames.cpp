// SPDX-License-Identifier: MIT
// Depth images, clouds and scan logs as measured frames of a scene.

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <system_error>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fnmatch.h>

#include <fathom/core/f64.hpp>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "core/text/files.hpp"
#include "core/text/text_lines.hpp"
#include "fit/frames/chain_frames.hpp"
#include "fit/frames/cloud_frames.hpp"
#include "fit/report/depth_folder.hpp"
#include "fit/report/fit_selection.hpp"
#include "fit/wall/wall_work.hpp"
#include "io/log/scan_lines.hpp"

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
  std::ranges::sort(frames, {}, [](const FrameFile& one) { return std::tie(one.frame, one.file); });
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

/// Refuses options for another kind of measurement, which would have no effect.
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
  if (o.max_range_m) refuse("max_range_m", "a log", "; the scene says how far the sensor measures");
}

ChainFrames read_images(const SceneSetup& setup, const fs::path& folder, const MeasuredOptions& options) {
  const std::vector<FrameFile> images = by_frame(depth_images(folder, options.files));
  DepthReader depths(options.levels_per_m);
  static_cast<void>(depths.read(images.front().file));
  ChainFrames::Options how = options.frames;
  how.half_step_m = depths.half_step_m();
  ChainFrameReader reader(setup, images.size(), how);
  for (const auto& [frame, file] : images) {
    const DepthImage image = depths.read(file);
    const RayPattern::Shape shape = reader.shape();
    if (image.rows != shape.rows || image.cols != shape.cols) {
      throw InputError(fmt::format("{}: has {} x {} pixels, not {} x {} as the sensor of the scene", file.string(),
                                   image.cols, image.rows, shape.cols, shape.rows));
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
  ChainFrames::Options how = options.frames;
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
    frames.notes.push_back({Finding::Severity::kNote, "log", std::move(note)});
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

// Frames of a wall out of depth images and scan logs, and distances by tape.

namespace {

WallDistance distance_of(std::string_view name, std::string_view metres, std::string where) {
  const auto number = parse_number<double>(trim(metres));
  if (trim(name).empty() || !number) {
    throw InputError(fmt::format("{}: '{}' and '{}' are not the name of frames and a distance", where, name, metres));
  }
  if (!(*number >= WallFrames::kLeastTapeM && *number <= WallFrames::kMostTapeM)) {
    throw InputError(fmt::format("{}: distance {} is not in [{}, {:g}] m", where, *number, WallFrames::kLeastTapeM,
                                 WallFrames::kMostTapeM));
  }
  return {.frames = std::string(trim(name)), .distance_m = *number, .where = std::move(where)};
}

std::vector<WallDistance> distances_in(const fs::path& file) {
  std::vector<WallDistance> distances;
  for_each_line(read_file(file), [&](std::size_t number, std::string_view line) {
    line = trim(line.substr(0, line.find('#')));
    if (line.empty()) return;
    const std::string where = fmt::format("{}:{}", file.string(), number);
    const std::vector<std::string_view> cells = split_cells(line);
    if (cells.size() != 2) {
      throw InputError(
          fmt::format("{}: has {} cells, not 2: the name of frames and their distance", where, cells.size()));
    }
    distances.push_back(distance_of(cells[0], cells[1], where));
  });
  if (distances.empty()) throw InputError(fmt::format("{}: holds no distance", file.string()));
  return distances;
}

/// FIRST:END of the numbers of frames.
std::optional<std::pair<std::size_t, std::size_t>> range_of(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto first = parse_number<std::uint32_t>(text.substr(0, colon)),
             end = parse_number<std::uint32_t>(text.substr(colon + 1));
  if (!first || !end) return std::nullopt;
  return std::pair{std::size_t{*first}, std::size_t{*end}};
}

/// Of each frame; NaN where missing.
std::vector<double> tape_of(const std::vector<std::string>& names, const std::vector<WallDistance>& distances) {
  if (distances.empty()) return {};
  std::vector<double> tape_m(names.size(), std::numeric_limits<double>::quiet_NaN());
  for (const WallDistance& d : distances) {
    const auto numbers = range_of(d.frames);
    bool any = false;
    for (std::size_t f = 0; f < names.size(); ++f) {
      const std::string file = fs::path(names[f]).filename().string(), stem = fs::path(file).stem().string();
      const auto is_named = [&](const std::string& name) { return fnmatch(d.frames.c_str(), name.c_str(), 0) == 0; };
      if (!(numbers ? f >= numbers->first && f < numbers->second : is_named(file) || is_named(stem))) continue;
      if (!std::isnan(tape_m[f])) {
        throw InputError(fmt::format("{}: {} has the distance {} m already", d.where, file, tape_m[f]));
      }
      tape_m[f] = d.distance_m, any = true;
    }
    if (!any) throw InputError(fmt::format("{}: there is no frame '{}'", d.where, d.frames));
  }
  return tape_m;
}

/// Rays that are not in the sector.
std::vector<std::uint8_t> outside(const std::array<double, 2>& sector_rad, std::span<const double> azimuth_rad,
                                  const std::string& name) {
  const auto& [from, to] = sector_rad;
  std::vector<std::uint8_t> out;
  for (const double azimuth : azimuth_rad) out.push_back(azimuth >= from && azimuth <= to ? 0 : 1);
  if (std::ranges::count(out, 0) != 0) return out;
  throw InputError(fmt::format("{}: no ray lies from {:.6g} to {:.6g} rad", name, from, to));
}

/// Rays of a lidar that are not in the sector.
void leave_out_beside(const std::array<double, 2>& sector_rad, const std::string& name, WallFrames& frames) {
  std::vector<double> azimuth_rad;
  if (frames.turns) {
    azimuth_rad.assign(frames.turns->azimuth_rad.begin(), frames.turns->azimuth_rad.end());
  } else {
    for (const Vec3& d : frames.sensor.lidar->direction) azimuth_rad.push_back(math::atan2(d.y, d.x));
  }
  const std::vector<std::uint8_t> before = std::move(frames.left_out);
  frames.left_out = outside(sector_rad, azimuth_rad, name);
  for (std::size_t i = 0; i < before.size(); ++i) frames.left_out[i] |= before[i];
}

DepthReport::Options::LeftOut left_out_of(const WallInput& options) { return {.mask = options.mask}; }

void take_image(const fs::path& file, const DepthImage& image, WallFrames& frames) {
  WallSensor& sensor = frames.sensor;
  if (frames.names.empty()) sensor.rows = image.rows, sensor.cols = image.cols;
  if (image.rows != sensor.rows || image.cols != sensor.cols) {
    throw InputError(fmt::format("{}: has {} x {} pixels, and {} has {} x {}", file.string(), image.cols, image.rows,
                                 fs::path(frames.names.front()).filename().string(), sensor.cols, sensor.rows));
  }
  frames.names.push_back(file.string());
  frames.measured_m.insert(frames.measured_m.end(), image.depth_m.begin(), image.depth_m.end());
}

}  // namespace

std::vector<WallDistance> wall_distances(const std::string& text_or_file) {
  std::error_code error;
  if (text_or_file.find('=') == std::string::npos || fs::is_regular_file(text_or_file, error)) {
    return distances_in(text_or_file);
  }
  std::vector<WallDistance> distances;
  for (const std::string_view cell : split_cells(text_or_file)) {
    const std::size_t equals = cell.find('=');
    if (equals == std::string_view::npos) {
      throw InputError(fmt::format("distance '{}': is not of the form NAME=METRES", cell));
    }
    distances.push_back(
        distance_of(cell.substr(0, equals), cell.substr(equals + 1), fmt::format("distance '{}'", cell)));
  }
  return distances;
}

std::vector<fs::path> wall_image_inputs(const fs::path& folder, const WallInput& options) {
  std::vector<fs::path> files = depth_images(folder, options.files);
  const std::vector<fs::path> more = LeftOutPixels(folder, left_out_of(options), files.size()).files();
  files.insert(files.end(), more.begin(), more.end());
  return files;
}

WallFrames read_wall_images(const fs::path& folder, const WallInput& options) {
  const std::vector<fs::path> files = depth_images(folder, options.files);
  const LeftOutPixels left_out(folder, left_out_of(options), files.size());
  WallFrames frames;
  frames.sensor.camera = options.sensor.camera, frames.sensor.max_range_m = options.max_range_m.value_or(0.0);
  DepthReader depths(options.levels_per_m);
  for (std::size_t k = 0; k < files.size(); ++k) {
    const DepthImage image = depths.read(files[k]);
    take_image(files[k], image, frames);
    const std::vector<std::uint8_t> out = left_out.of_image(k, image.rows, image.cols);
    frames.left_out.insert(frames.left_out.end(), out.begin(), out.end());
  }
  frames.half_step_m = depths.half_step_m();
  frames.tape_m = tape_of(frames.names, options.distances);
  validate(frames);
  return frames;
}

std::vector<fs::path> wall_cloud_files(const fs::path& folder, const std::string& pattern) {
  std::vector<fs::path> files = cloud_files(folder, pattern);
  std::ranges::sort(files);
  return files;
}

WallFrames read_wall_clouds(const fs::path& folder, const WallInput& options) {
  std::vector<FrameFile> files;
  for (const fs::path& file : wall_cloud_files(folder, options.files)) {
    files.push_back({.frame = static_cast<std::uint32_t>(files.size()), .file = file});
  }
  if (files.empty()) throw InputError(fmt::format("{}: holds no cloud", folder.string()));
  WallFrames frames = read_wall_clouds(files, options.sensor);
  if (options.sector_rad) leave_out_beside(*options.sector_rad, folder.string(), frames);
  frames.tape_m = tape_of(frames.names, options.distances);
  validate(frames);
  return frames;
}

WallFrames wall_frames_of_log(const ScanLog& log, const WallInput& options) {
  validate(log);
  refuse_own_rays(log, "which the fit takes as the same in all");
  WallFrames frames;
  WallSensor& sensor = frames.sensor;
  sensor.rows = 1, sensor.cols = static_cast<std::uint32_t>(log.rays());
  sensor.azimuth_rad = log.azimuth_rad;
  sensor.max_range_m = options.max_range_m.value_or(log.max_range_m);
  if (sensor.max_range_m > 0.0 && !options.max_range_m)
    with_prefix(log.name, [&] { require_max_range(log.max_range_m); });
  for (const std::uint32_t k : choose_scans(log.name, options.scans, log.scans())) {
    frames.measured_m.insert(frames.measured_m.end(), log.scan(k).begin(), log.scan(k).end());
    frames.names.push_back(fmt::format("scan {}", k));
  }
  frames.half_step_m = 0.5 * options.step_m;
  if (options.sector_rad) {
    frames.left_out = outside(*options.sector_rad, log.azimuth_rad, log.name.empty() ? "log" : log.name);
  }
  frames.tape_m = tape_of(frames.names, options.distances);
  with_prefix(log.name, [&] { validate(frames); });
  return frames;
}

}  // namespace fathom
