// SPDX-License-Identifier: MIT
// Depth images of a folder, read one at a time.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fnmatch.h>

#include <fathom/base/error.hpp>
#include <fathom/calibrate/depth_report.hpp>
#include <fathom/files/depth.hpp>

#include "base/with_prefix.hpp"
#include "log/bag_depth.hpp"
#include "log/png_levels.hpp"
#include "report/left_out.hpp"
#include "text/npy.hpp"
#include "text/read_file.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The run of digits that starts at `from`, which is moved behind it, without leading zeros.
std::string_view number_at(std::string_view text, std::size_t& from) {
  while (from < text.size() && text[from] == '0') ++from;
  const std::size_t begin = from;
  while (from < text.size() && is_digit(text[from])) ++from;
  return text.substr(begin, from - begin);
}

/// Whether `a` comes before `b`: runs of digits are compared as numbers, of any length.
bool before(std::string_view a, std::string_view b) {
  std::size_t i = 0, k = 0;
  while (i < a.size() && k < b.size()) {
    if (is_digit(a[i]) && is_digit(b[k])) {
      const std::string_view m = number_at(a, i), n = number_at(b, k);
      if (m.size() != n.size()) return m.size() < n.size();
      if (m != n) return m < n;
    } else {
      if (a[i] != b[k]) return a[i] < b[k];
      ++i, ++k;
    }
  }
  if (i < a.size() || k < b.size()) return k < b.size();
  return a < b;  // "1" and "01"
}

struct Listing {
  std::vector<std::string> files, folders;
};

Listing list(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) throw InputError(fmt::format("{}: is no folder", folder.string()));
  Listing listing;
  fs::directory_iterator entries(folder, error);
  if (error) throw InputError(fmt::format("{}: cannot be read: {}", folder.string(), error.message()));
  for (const fs::directory_entry& entry : entries) {
    std::error_code unknown;
    const std::string name = entry.path().filename().string();
    (entry.is_directory(unknown) ? listing.folders : listing.files).push_back(name);
  }
  std::sort(listing.files.begin(), listing.files.end(), before);
  std::sort(listing.folders.begin(), listing.folders.end(), before);
  return listing;
}

std::vector<std::string> matching(const std::vector<std::string>& names, const std::string& pattern) {
  std::vector<std::string> found;
  for (const std::string& name : names) {
    if (fnmatch(pattern.c_str(), name.c_str(), FNM_PERIOD) == 0) found.push_back(name);
  }
  return found;
}

std::vector<std::string> chosen(const std::vector<std::string>& names, const std::string& pattern) {
  if (!pattern.empty()) return matching(names, pattern);
  for (const char* usual : {"depth*.npy", "depth*.png", "*.npy", "*.png"}) {
    if (auto found = matching(names, usual); !found.empty()) return found;
  }
  return {};
}

[[noreturn]] void refuse_empty(const fs::path& folder, const std::string& pattern, const Listing& listing) {
  std::string text = fmt::format("{}: holds no {}", folder.string(),
                                 pattern.empty() ? "depth image, PNG or NPY" : fmt::format("file '{}'", pattern));
  for (const std::string& inner : listing.folders) {
    std::error_code unknown;
    if (!fs::is_directory(folder / inner, unknown)) continue;
    if (chosen(list(folder / inner).files, pattern).empty()) continue;
    text += fmt::format("; its folder {} does", inner);
    break;
  }
  throw InputError(text);
}

constexpr float kHole = std::numeric_limits<float>::quiet_NaN();

float depth_of_level(std::uint16_t level, double levels_per_m) {
  return level == 0 || level == 65535 ? kHole : static_cast<float>(level / levels_per_m);
}

DepthImage read_levels(const fs::path& file, double levels_per_m) {
  const GreyImage grey = read_png_levels(file, read_file(file), "depths are a grey picture of 16 bits");
  if (grey.white != 65535) throw InputError(fmt::format("{}: has 8 bits or less, depths have 16", file.string()));
  DepthImage image{.rows = grey.rows, .cols = grey.cols, .depth_m = {}, .has_levels = true};
  image.depth_m.reserve(grey.value.size());
  for (const std::uint16_t level : grey.value) image.depth_m.push_back(depth_of_level(level, levels_per_m));
  return image;
}

DepthImage read_array(const fs::path& file, double levels_per_m) {
  const npy::Array array = npy::read(file);
  const bool has_levels = array.type == npy::Type::kUint16;
  if (!has_levels && array.type != npy::Type::kFloat32 && array.type != npy::Type::kFloat64) {
    throw InputError(fmt::format("{}: depths are floats (m) or uint16 (levels)", file.string()));
  }
  constexpr std::size_t kMostSide = kMostMapSide;
  const bool is_image = array.shape.size() == 2 || (array.shape.size() == 3 && array.shape[2] == 1);
  if (!is_image || array.shape[0] > kMostSide || array.shape[1] > kMostSide) {
    throw InputError(fmt::format("{}: depths are an array of shape (rows, cols) or (rows, cols, 1), each at most {}",
                                 file.string(), kMostSide));
  }
  DepthImage image{.rows = static_cast<std::uint32_t>(array.shape[0]),
                   .cols = static_cast<std::uint32_t>(array.shape[1]),
                   .depth_m = {},
                   .has_levels = has_levels};
  const std::size_t count = array.shape[0] * array.shape[1];
  image.depth_m.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double value = array.at(i);
    const bool good = value > 0.0 && value <= std::numeric_limits<float>::max();
    image.depth_m.push_back(has_levels ? depth_of_level(static_cast<std::uint16_t>(value), levels_per_m)
                            : good     ? static_cast<float>(value)
                                       : kHole);
  }
  return image;
}

void check_levels(double levels_per_m) {
  if (levels_per_m >= kLeastLevelsPerM && levels_per_m <= kMostLevelsPerM) return;
  throw InputError(
      fmt::format("levels_per_m = {} is not in [{}, {}] 1/m", levels_per_m, kLeastLevelsPerM, kMostLevelsPerM));
}

/// Whether the images are in a bag: a folder of images may hold bags besides.
bool are_in_bag(const fs::path& path, const std::string& pattern) {
  std::error_code unknown;
  return is_bag(path) && (!fs::is_directory(path, unknown) || chosen(list(path).files, pattern).empty());
}

DepthImage image_of(const BagDepth& depth, double levels_per_m) {
  DepthImage image{.rows = depth.rows, .cols = depth.cols, .depth_m = {}, .has_levels = depth.has_levels};
  image.depth_m.reserve(std::size_t{depth.rows} * depth.cols);
  if (depth.has_levels) {
    for (const std::uint16_t level : depth.level) image.depth_m.push_back(depth_of_level(level, levels_per_m));
  } else {
    for (const float m : depth.depth_m) {
      image.depth_m.push_back(m > 0.0F && m <= std::numeric_limits<float>::max() ? m : kHole);
    }
  }
  return image;
}

/// What the steps of the images have to do with the deviation that was measured.
void flag_levels(DepthMeasure& m, double levels_per_m) {
  const double of_steps_m = 1.0 / levels_per_m / std::sqrt(12.0);
  if (!(of_steps_m > 0.3 * m.residual_m)) return;
  m.flags.push_back(
      fmt::format("the images have steps of {:.3g} mm, whose deviation is {:.2g} mm of the {:.2g} mm measured: finer "
                  "ones show the camera's own",
                  1e3 / levels_per_m, 1e3 * of_steps_m, 1e3 * m.residual_m));
}

}  // namespace

DepthImage read_depth_image(const fs::path& file, double levels_per_m) {
  check_levels(levels_per_m);
  const auto is_array = [&] { return read_file(file).starts_with("\x93NUMPY"); };
  return within_memory(file, [&] {
    const std::string extension = file.extension().string();
    const bool array = extension == ".npy" || (extension != ".png" && is_array());
    return array ? read_array(file, levels_per_m) : read_levels(file, levels_per_m);
  });
}

std::vector<fs::path> depth_images(const fs::path& folder, const std::string& pattern) {
  const Listing listing = list(folder);
  std::vector<fs::path> files;
  for (const std::string& name : chosen(listing.files, pattern)) files.push_back(folder / name);
  if (files.empty()) refuse_empty(folder, pattern, listing);
  return files;
}

std::vector<fs::path> images_named(const fs::path& folder, const std::string& pattern) {
  std::vector<fs::path> files;
  for (const std::string& name : matching(list(folder).files, pattern)) files.push_back(folder / name);
  return files;
}

DepthImage first_depth_image(const fs::path& folder, const DepthFolderOptions& options) {
  if (!are_in_bag(folder, options.files)) {
    return read_depth_image(depth_images(folder, options.files).front(), options.levels_per_m);
  }
  check_levels(options.levels_per_m);
  DepthImage first;
  BagDepths(folder, options.files).for_each([&](const BagDepth& depth) {
    first = image_of(depth, options.levels_per_m);
    return false;
  });
  return first;
}

std::vector<fs::path> depth_folder_inputs(const fs::path& folder, const DepthFolderOptions& options) {
  if (are_in_bag(folder, options.files)) {
    const BagDepths bag(folder, options.files);
    std::vector<fs::path> inputs = bag.files();
    std::error_code unknown;
    if (fs::is_directory(folder, unknown)) inputs.push_back(folder);
    const std::vector<fs::path> more = LeftOutPixels(folder, options.left_out, bag.images()).files();
    inputs.insert(inputs.end(), more.begin(), more.end());
    return inputs;
  }
  std::vector<fs::path> files = depth_images(folder, options.files);
  const std::vector<fs::path> more = LeftOutPixels(folder, options.left_out, files.size()).files();
  files.insert(files.end(), more.begin(), more.end());
  return files;
}

DepthReport measure_depth_folder(const fs::path& folder, const DepthFolderOptions& options) {
  DepthMeter meter(options.meter);
  std::vector<std::string> notes;  // of a bag
  bool has_levels = false;
  std::size_t done = 0;
  const auto add = [&](const DepthImage& image, const std::string& place, const LeftOutPixels& left_out,
                       std::size_t images) {
    has_levels = has_levels || image.has_levels;
    const std::vector<std::uint8_t> out = left_out.of_image(done, image.rows, image.cols);
    with_prefix(place, [&] { meter.add(image.depth_m, image.rows, image.cols, out); });
    ++done;
    if (options.on_frame) options.on_frame(done, images);
  };
  if (are_in_bag(folder, options.files)) {
    const BagDepths bag(folder, options.files);
    const LeftOutPixels left_out(folder, options.left_out, bag.images());
    check_levels(options.levels_per_m);
    bag.for_each([&](const BagDepth& depth) {
      add(image_of(depth, options.levels_per_m), depth.place, left_out, bag.images());
      return true;
    });
    notes = bag.notes();
  } else {
    const std::vector<fs::path> files = depth_images(folder, options.files);
    const LeftOutPixels left_out(folder, options.left_out, files.size());
    for (const fs::path& file : files) {
      add(read_depth_image(file, options.levels_per_m), file.string(), left_out, files.size());
    }
  }
  DepthReport report{.name = folder.string(),
                     .measure = meter.result(),
                     .picture = meter.picture(),
                     .left_out_by = left_out_by(options.left_out)};
  if (has_levels) flag_levels(report.measure, options.levels_per_m);
  report.measure.flags.insert(report.measure.flags.end(), notes.begin(), notes.end());
  return report;
}

}  // namespace fathom
