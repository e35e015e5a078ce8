// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/names.hpp>
#include <fathom/files/clouds.hpp>
#include <fathom/files/pictures.hpp>
#include <fathom/fit/reports.hpp>
#include <fathom/frame/reason.hpp>
#include <fathom/simulate/apply.hpp>
#include <fathom/simulate/run.hpp>
#include <fathom/simulate/sensor_noise.hpp>

#include "apply.hpp"
#include "apply_messages.hpp"
#include "command_tree.hpp"
#include "commands.hpp"
#include "option_values.hpp"
#include "progress.hpp"
#include "signals.hpp"
#include "text.hpp"

namespace fathom_cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kApplyHelp = R"(
Usage: fathom apply SENSOR (PATH... --out DIR | --bag BAG --topic T --out MCAP | --topic T --publish T) [OPTIONS]
In the examples renders stands for a folder and drive.mcap for a bag of your own.

Examples:
  fathom apply D435 renders --camera 383,383,320,240,0.05 --out noisy
  fathom apply examples/12_table_top/table_top.yaml:camera renders --seed 9 --out noisy --force
  fathom apply VLP-16 scan_0.pcd scan_1.pcd --out noisy
  fathom apply examples/11_drive_bag/drive.yaml:laser --bag drive.mcap --topic /laser/scan --out noisy.mcap
  fathom apply D435 --topic /depth --publish /depth_noisy

SENSOR is a preset of `fathom sensors`, or FILE:NAME, a sensor of a scene file. PATH is a clean file or a folder of
them. Each file gets its noise, its losses and the same name and format under --out. File k is frame k of the sensor.

Depth images are 16-bit PNG (0: nothing was met), NPY (floats in m, or uint16), PFM or EXR (floats in m; channel Z, Y
or R): depths along the optical axis. A lost pixel is 0 in a PNG, and NaN in the others, which get floats in m.

Clouds are PCD, PLY, KITTI's BIN, or NPY with 3 or 4 values for each point. All fields stay, but whole
numbers of 8 bytes in a PCD. A lost point is NaN in a cloud of several rows, and leaves a cloud of one row.
docs/given-frames.md describes what is derived.)";

/// `fathom apply SENSOR PATH...`
struct ApplyOptions : ImageOptions {
  std::vector<fs::path> paths;
  fs::path out;
  std::string files;
  std::optional<std::uint64_t> seed;
  bool still = false, reasons = false, force = false, quiet = false;
  int threads = 0;
  MessageArguments messages;
};

/// Throws InputError if images and options leave something open.
void check_chosen(const fathom::SensorSetup& setup) {
  const std::string& name = setup.sensor.name;
  if (!setup.ranges.empty()) {
    throw fathom::InputError(fmt::format("sensor '{}': a number of it is a range: give a number", name));
  }
  for (const fathom::ChainEntry& entry : setup.sensor.noise) {
    if (entry.by_entity.empty()) continue;
    throw fathom::InputError(
        fmt::format("sensor '{}': {} differs by entity, and given frames have no entities", name, entry.noise.slug()));
  }
}

}  // namespace

ChosenSensor choose_sensor(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return {fathom::preset_sensor("sensor", text)};
  const std::string name = text.substr(colon + 1);
  const fathom::SceneSetup setup = fathom::read_scene_file(text.substr(0, colon));
  std::vector<std::string_view> names;
  for (const fathom::SensorSetup& s : setup.sensors) names.push_back(s.sensor.name);
  const std::optional<std::size_t> found = find_typed(name, names);
  if (!found) {
    throw fathom::InputError(
        fmt::format("{}: has no sensor '{}'{}", text.substr(0, colon), name, nearest_text(name, names)));
  }
  check_chosen(setup.sensors[*found]);
  return {setup.sensors[*found].sensor, setup.file, setup.seed, setup.rate_hz, setup.start_s};
}

namespace {

fathom::GivenCamera given_camera(const fathom::WallSensor::Camera& numbers) {
  return {{numbers.fx_px, numbers.fy_px, numbers.cx_px, numbers.cy_px}, numbers.baseline_m};
}

}  // namespace

void fit_camera(const ImageOptions& options, const fathom::DepthImage& image, fathom::Sensor& sensor) {
  if (options.camera) return fathom::set_camera(sensor, given_camera(*options.camera), image.rows, image.cols);
  const fathom::RayPattern::Shape shape = fathom::pattern_shape(sensor.model);
  if (shape.rows == image.rows && shape.cols == image.cols) return;
  throw fathom::InputError(fmt::format("the images have {} x {} pixels, and sensor '{}' {} x {}: give --camera",
                                       image.cols, image.rows, options.sensor, shape.cols, shape.rows));
}

fathom::DepthImage read_clean(const fs::path& file, const ImageOptions& options) {
  fathom::DepthImage image = fathom::read_depth_image(file, options.levels_per_m);
  std::ranges::replace_if(
      image.depth_m, [](float z) { return std::isnan(z); }, 0.0F);
  return image;
}

std::vector<CLI::Option*> add_image_options(CLI::App& c, ImageOptions& o) {
  CLI::Option& camera = add_parsed(c,
                                   {"--camera", "FX,FY,CX,CY[,BASELINE]",
                                    "focal lengths and principal point of the images in px, and the baseline in m"},
                                   [&o](const std::string& text) { o.camera = parse_camera(text); });
  CLI::Option& levels = add_number(c, {"--levels-per-m", "N", "levels per metre of 16-bit images"},
                                   {fathom::kLeastLevelsPerM, fathom::kMostLevelsPerM, "1/m"}, o.levels_per_m);
  CLI::Option& far = add_number_option(c, {"--far", "M", "far plane of the images: there, nothing was met"},
                                       {1e-6, 1e9, "m"}, [&o](double far_m) { o.far_m = far_m; });
  return {&camera, &levels, &far};
}

namespace {

/// The files that are written for one image: it, and its reasons.
std::vector<fs::path> targets(const ApplyOptions& options, const fs::path& image) {
  std::vector<fs::path> files = {options.out / image.filename()};
  if (options.reasons) files.push_back(options.out / ("reason_" + image.stem().string() + ".npy"));
  return files;
}

std::vector<fs::path> input_files(const ApplyOptions& options) {
  std::vector<fs::path> files;
  for (const fs::path& path : options.paths) {
    std::error_code unknown;
    if (!fs::exists(path, unknown)) throw fathom::InputError(fmt::format("{}: no such file or folder", path.string()));
    if (!fs::is_directory(path, unknown)) {
      files.push_back(path);
      continue;
    }
    const std::vector<fs::path> found = fathom::depth_images_or_clouds(path, options.files);
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

/// Throws InputError for a format that images, or clouds, cannot have.
void check_format(const fs::path& file, bool clouds) {
  std::string extension = file.extension().string();
  if (clouds)
    std::ranges::transform(extension, extension.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::set<std::string_view> images = {".png", ".npy", ".pfm", ".exr"}, points = {".pcd", ".ply", ".npy", ".bin"};
  if ((clouds ? points : images).contains(extension)) return;
  throw fathom::InputError(fmt::format("{}: is {}", file.string(),
                                       clouds ? "no cloud as the first file is: neither .pcd, .ply, .npy nor .bin"
                                              : "no depth image: neither .png, .npy, .pfm nor .exr"));
}

void check_targets(const ApplyOptions& options, const std::vector<fs::path>& files, bool clouds) {
  // The first folder of "new/../file" does not exist yet.
  const auto place_of = [](const fs::path& file) { return fs::weakly_canonical(fs::absolute(file)); };
  std::error_code unknown;
  if (fs::exists(fs::symlink_status(options.out, unknown)) && !fs::is_directory(options.out, unknown)) {
    throw fathom::InputError(fmt::format("{}: exists and is not a folder", options.out.string()));
  }
  std::set<fs::path> taken;
  for (const fs::path& file : files) {
    check_format(file, clouds);
    taken.insert(place_of(file));
  }
  for (const fs::path& file : files) {
    for (const fs::path& target : targets(options, file)) {
      const fs::path place = place_of(target);
      if (!taken.insert(place).second) {
        throw fathom::InputError(fmt::format("{}: is a clean file, or would be written twice", target.string()));
      }
      if (options.force || !fs::exists(place, unknown)) continue;
      throw fathom::InputError(fmt::format("{}: exists already; --force replaces it", target.string()));
    }
  }
}

void check_shape(const fs::path& file, const fathom::DepthImage& image, const fathom::SensorNoise& noise) {
  if (image.rows == noise.rows() && image.cols == noise.cols()) return;
  throw fathom::InputError(fmt::format("{}: has {} x {} pixels, and the first image {} x {}", file.string(), image.cols,
                                       image.rows, noise.cols(), noise.rows()));
}

void write_image(const ApplyOptions& options, const fs::path& image, const fathom::DepthImage& clean,
                 const fathom::Frame& frame) {
  const std::vector<fs::path> files = targets(options, image);
  fs::create_directories(options.out);
  if (image.extension() == ".png") {
    fathom::write_depth_png(files[0], frame, fathom::Channel::kDepth, {fathom::LostValue::kZero, 0.0F},
                            options.levels_per_m, fathom::OffScale::kLost);
  } else if (image.extension() == ".pfm") {
    fathom::write_pfm(files[0], frame, fathom::Channel::kDepth, clean.big_endian);
  } else if (image.extension() == ".exr") {
    fathom::write_exr(files[0], frame, fathom::Channel::kDepth, clean.channel);
  } else {
    fathom::write_npy(files[0], frame, fathom::Channel::kDepth);
  }
  if (options.reasons) fathom::write_npy(files[1], frame, fathom::Channel::kReason);
}

/// Reads image k, and writes it with noise.
void apply_to_image(const ApplyOptions& options, const fs::path& file, std::uint32_t k, fathom::SensorNoise& noise,
                    fathom::Frame& frame) {
  const fathom::DepthImage image = read_clean(file, options);
  check_shape(file, image, noise);
  try {
    noise.apply(k, {.depth_m = image.depth_m}, frame);
  } catch (const fathom::InputError& error) {
    throw fathom::InputError(fmt::format("{}: {}", file.string(), error.what()));
  }
  write_image(options, file, image, frame);
}

/// "noisy: 2 clouds with 57 600 points: 57 012 hit, 588 dropout"
std::string counts_text(const ApplyOptions& options, std::size_t files, bool clouds,
                        const fathom::ReasonCounts& counts) {
  std::uint64_t all = 0;
  std::string text;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    all += counts[k];
    if (counts[k] == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", group_digits(counts[k]), fathom::kReasonNames[k]);
  }
  return fmt::format("{}: {} with {}: {}\n", fathom::printable(options.out.string()),
                     counted(files, clouds ? "cloud" : "image"), counted(all, clouds ? "point" : "pixel"), text);
}

void check_cloud_options(const ApplyOptions& options) {
  if (options.camera) throw fathom::InputError("--camera is of depth images alone, and these are clouds");
  if (options.reasons) throw fathom::InputError("--reasons is of depth images alone, and these are clouds");
}

fathom::SensorNoiseOptions noise_options(const ApplyOptions& options, const ChosenSensor& chosen) {
  return {.seed = options.seed.value_or(chosen.seed),
          .compute = {.threads = options.threads},
          .rate_hz = chosen.rate_hz,
          .start_s = chosen.start_s,
          .far_m = options.far_m,
          .should_stop = &StopSignals::received,
          .still = options.still};
}

void apply_messages(const ApplyOptions& options) {
  const ChosenSensor chosen = choose_sensor(options.sensor);
  const StopSignals signals(Patience::kASecond);
  MessageCommand command = {.out = options.out, .force = options.force, .quiet = options.quiet};
  command.noise.noise = noise_options(options, chosen);
  command.noise.levels_per_m = options.levels_per_m;
  if (options.camera) command.noise.camera = given_camera(*options.camera);
  apply_to_messages(options.messages, chosen.sensor, std::move(command));
}

void apply_to_files(const ApplyOptions& options) {
  const std::vector<fs::path> files = input_files(options);
  const bool clouds = fathom::is_cloud_file(files.front());
  check_targets(options, files, clouds);
  ChosenSensor chosen = choose_sensor(options.sensor);
  if (clouds) {
    check_cloud_options(options);
  } else {
    fit_camera(options, fathom::read_depth_image(files.front(), options.levels_per_m), chosen.sensor);
  }
  const StopSignals signals(Patience::kASecond);
  fathom::SensorNoise noise(chosen.sensor, noise_options(options, chosen));
  fathom::Frame frame({fathom::Channel::kDepth, fathom::Channel::kReason});
  fathom::ReasonCounts counts = {};
  auto display = std::make_optional<TaskDisplay>("applying noise:", options.quiet);
  for (std::size_t k = 0; k < files.size(); ++k) {
    const auto index = static_cast<std::uint32_t>(k);
    if (clouds) {
      fathom::apply_to_cloud_file(noise, index, files[k], targets(options, files[k])[0], counts);
    } else {
      apply_to_image(options, files[k], index, noise, frame);
      const fathom::ReasonCounts more = frame.count_reasons();
      std::ranges::transform(counts, more, counts.begin(), std::plus<>());
    }
    display->show_fraction(static_cast<double>(k + 1) / static_cast<double>(files.size()));
  }
  display.reset();
  if (options.quiet) return;
  print(counts_text(options, files.size(), clouds, counts));
  if (const auto& to = chosen.sensor.aligned_to)
    print(fmt::format("aligned_to: {} x {} pixels\n", to->width, to->height));
}

/// Files, a bag, or two topics.
void check_source(const CLI::App& c, const ApplyOptions& o) {
  const MessageArguments& m = o.messages;
  const bool is_live = m.bag.empty() && !m.topic.empty();
  if (o.paths.empty() && !m.are_given()) fail_usage(c, "PATH, --bag or --topic is required");
  if (is_live && m.publish.empty()) fail_usage(c, "--bag or --publish is required with --topic");
  if (!is_live && o.out.empty()) fail_usage(c, "--out is required");
}

}  // namespace

void add_apply(CLI::App& app) {
  const auto o = std::make_shared<ApplyOptions>();
  CLI::App& c =
      *app.add_subcommand("apply", "Apply the noise of a sensor to depth images and clouds of another renderer");
  begin_section(c, Section::kRequired);
  c.add_option("SENSOR", o->sensor, "preset of `fathom sensors`, or FILE:NAME, a sensor of a scene file")
      ->required()
      ->type_name("SENSOR");
  CLI::Option* const paths =
      c.add_option("PATH", o->paths, "clean depth images or clouds, or folders of them")->type_name("PATH");
  c.add_option("--out", o->out, "folder for the noisy files, or the noisy bag")->type_name("PATH");
  begin_section(c, Section::kInput);
  c.add_option("--files", o->files,
               "names to take from folders, with * and ?; default: depth*.npy, else .png, .pfm or .exr, else all of "
               "one format")
      ->type_name("PATTERN");
  add_image_options(c, *o);
  add_message_options(c, o->messages);
  c.get_option("--topic")->excludes(paths);
  begin_section(c, Section::kModel);
  add_seed(c, o->seed);
  c.add_flag("--still", o->still, "the sensor stands still: errors that follow its motion stay");
  begin_section(c, Section::kOutput);
  c.add_flag("--reasons", o->reasons, "write reason_NAME.npy, too: why each return is missing")->needs(paths);
  add_force(c, o->force, "replace files of an earlier run");
  add_quiet(c, o->quiet);
  begin_section(c, Section::kComputer);
  add_threads(c, o->threads);
  c.footer(kApplyHelp);
  c.final_callback([o, &c] {
    check_source(c, *o);
    o->messages.are_given() ? apply_messages(*o) : apply_to_files(*o);
  });
}

}  // namespace fathom_cli
