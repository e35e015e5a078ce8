// SPDX-License-Identifier: MIT
// Depth images of a folder, read one at a time.

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fnmatch.h>

#include <fathom/files/pictures.hpp>
#include <fathom/frame/reason.hpp>

#include "core/errors.hpp"
#include "core/text/files.hpp"
#include "core/text/formats.hpp"
#include "fit/report/depth_folder.hpp"
#include "io/log/bag_depth.hpp"
#include "io/log/grey_image.hpp"
#include "io/picture/float_image.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;

/// A key that sorts names by their numbers: 10 comes after 9. Each number has its length in front, and no leading
/// zeros.
std::string number_key(const std::string& name) {
  std::string key;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const std::size_t digits = std::min(name.find_first_not_of("0123456789", i), name.size()) - i;
    if (digits == 0) {
      key += name[i];
      continue;
    }
    const std::size_t zeros = std::min(name.find_first_not_of('0', i) - i, digits);
    key += '0', key += static_cast<char>(digits - zeros);
    key += name.substr(i + zeros, digits - zeros);
    i += digits - 1;
  }
  return key;
}

bool before(const std::string& a, const std::string& b) {
  return std::pair(number_key(a), a) < std::pair(number_key(b), b);
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
  std::ranges::sort(listing.files, before);
  std::ranges::sort(listing.folders, before);
  return listing;
}

std::vector<std::string> matching(const std::vector<std::string>& names, const std::string& pattern) {
  std::vector<std::string> found;
  for (const std::string& name : names) {
    if (fnmatch(pattern.c_str(), name.c_str(), FNM_PERIOD) == 0) found.push_back(name);
  }
  return found;
}

/// The names that match the first pattern with any.
std::vector<std::string> first_matching(const std::vector<std::string>& names,
                                        std::initializer_list<const char*> patterns) {
  for (const char* pattern : patterns) {
    if (auto found = matching(names, pattern); !found.empty()) return found;
  }
  return {};
}

std::vector<std::string> chosen(const std::vector<std::string>& names, const std::string& pattern) {
  if (!pattern.empty()) return matching(names, pattern);
  return first_matching(names,
                        {"depth*.npy", "depth*.png", "depth*.pfm", "depth*.exr", "*.npy", "*.png", "*.pfm", "*.exr"});
}

std::vector<fs::path> in_folder(const fs::path& folder, const std::vector<std::string>& names) {
  std::vector<fs::path> files;
  files.reserve(names.size());
  for (const std::string& name : names) files.push_back(folder / name);
  return files;
}

/// In the order of their numbers; may be empty.
std::vector<fs::path> images_named(const fs::path& folder, const std::string& pattern) {
  return in_folder(folder, matching(list(folder).files, pattern));
}

[[noreturn]] void refuse_empty(const fs::path& folder, const std::string& pattern, const Listing& listing) {
  std::string text =
      fmt::format("{}: holds no {}", folder.string(),
                  pattern.empty() ? "depth image, PNG, NPY, PFM or EXR" : fmt::format("file '{}'", pattern));
  for (const std::string& inner : listing.folders) {
    std::error_code unknown;
    if (!fs::is_directory(folder / inner, unknown)) continue;
    if (chosen(list(folder / inner).files, pattern).empty()) continue;
    text += fmt::format("; its folder {} does", inner);
    break;
  }
  throw InputError(text);
}

/// Levels, or metres, as depths.
template <class Values>
void take_depths(const Values& values, double levels_per_m, DepthImage& image) {
  const double unit = image.has_levels ? levels_per_m : 1.0;
  const double most = image.has_levels ? 65534.0 : double{std::numeric_limits<float>::max()};
  for (const double value : values) {
    const bool is_good = value > 0.0 && value <= most;
    image.depth_m.push_back(is_good ? static_cast<float>(value / unit) : std::numeric_limits<float>::quiet_NaN());
  }
}

/// ".png", ".npy", ".pfm" or ".exr": by its extension, or else by its first bytes; empty for other files.
std::string_view kind_of_depths(const fs::path& file) {
  const std::string extension = file.extension().string();
  for (const std::string_view kind : {".png", ".npy", ".pfm", ".exr"}) {
    if (extension == kind) return kind;
  }
  require_readable_file(file);
  std::array<char, 8> bytes = {};
  std::ifstream(file, std::ios::binary).read(bytes.data(), bytes.size());
  const std::string_view head(bytes.data(), bytes.size());
  if (head.starts_with("\x93NUMPY")) return ".npy";
  if (head.starts_with("\x89PNG")) return ".png";
  if (head.starts_with("v/1\x01")) return ".exr";
  return head.starts_with("Pf") ? ".pfm" : "";
}

DepthImage read_levels(const fs::path& file, double levels_per_m) {
  const GreyImage grey = read_png_levels(file, read_file(file), "depths are a grey picture of 16 bits");
  if (grey.white != 65535) throw InputError(fmt::format("{}: has 8 bits or less, depths have 16", file.string()));
  DepthImage image{.rows = grey.rows, .cols = grey.cols, .depth_m = {}, .has_levels = true};
  take_depths(grey.value, levels_per_m, image);
  return image;
}

DepthImage read_array(const fs::path& file, double levels_per_m) {
  const npy::Array array = npy::read(file);
  const bool has_levels = array.type == npy::Type::kUint16;
  if (!has_levels && array.type != npy::Type::kFloat32 && array.type != npy::Type::kFloat64) {
    throw InputError(fmt::format("{}: depths are floats (m) or uint16 (levels)", file.string()));
  }
  const auto& shape = array.shape;
  const bool is_image = shape.size() == 2 || (shape.size() == 3 && shape[2] == 1);
  const auto is_side = [](std::size_t side) { return side >= 1 && side <= kMostMapSide; };
  if (!is_image || !is_side(shape[0]) || !is_side(shape[1])) {
    throw InputError(fmt::format("{}: depths are an array of shape (rows, cols) or (rows, cols, 1), each in [1, {}]",
                                 file.string(), kMostMapSide));
  }
  DepthImage image{.rows = static_cast<std::uint32_t>(shape[0]),
                   .cols = static_cast<std::uint32_t>(shape[1]),
                   .depth_m = {},
                   .has_levels = has_levels};
  std::vector<double> values(shape[0] * shape[1]);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = array.at(i);
  take_depths(values, levels_per_m, image);
  return image;
}

DepthImage depths_of(const FloatImage& map) {
  DepthImage image{
      .rows = map.rows, .cols = map.cols, .depth_m = {}, .big_endian = map.big_endian, .channel = map.channel};
  take_depths(map.value, 1.0, image);
  return image;
}

void check_levels(double levels_per_m) {
  if (levels_per_m >= kLeastLevelsPerM && levels_per_m <= kMostLevelsPerM) return;
  throw InputError(
      fmt::format("levels_per_m = {} is not in [{}, {}] 1/m", levels_per_m, kLeastLevelsPerM, kMostLevelsPerM));
}

/// The depth images of a folder or of a bag, one at a time.
class DepthImages {
 public:
  /// A folder of images may hold bags besides.
  DepthImages(const fs::path& folder, const DepthReport::Options& options) : folder_(folder), options_(options) {
    std::error_code unknown;
    const bool has_files = fs::is_directory(folder, unknown) && !chosen(list(folder).files, options.files).empty();
    if (is_bag(folder) && !has_files) {
      bag_.emplace(folder, options.files);
    } else {
      files_ = depth_images(folder, options.files);
    }
  }

  [[nodiscard]] LeftOutPixels left_out() const { return {folder_, options_.left_out, count()}; }
  [[nodiscard]] std::size_t count() const { return bag_ ? bag_->images() : files_.size(); }
  [[nodiscard]] std::vector<std::string> notes() const { return bag_ ? bag_->notes() : std::vector<std::string>(); }

  /// The files of the images, or of the bag and its folder.
  [[nodiscard]] std::vector<fs::path> files() const {
    if (!bag_) return files_;
    std::vector<fs::path> files = bag_->files();
    std::error_code unknown;
    if (fs::is_directory(folder_, unknown)) files.push_back(folder_);
    return files;
  }

  /// Calls take(image, place) until it returns false. `place` is for messages.
  template <class Take>
  void for_each(Take take) const {
    check_levels(options_.levels_per_m);
    for (const fs::path& file : files_) {
      if (!take(read_depth_image(file, options_.levels_per_m), file.string())) return;
    }
    if (!bag_) return;
    bag_->for_each([&](const BagDepth& depth) {
      DepthImage image{.rows = depth.rows, .cols = depth.cols, .depth_m = {}, .has_levels = depth.has_levels};
      if (depth.has_levels) take_depths(depth.level, options_.levels_per_m, image);
      if (!depth.has_levels) take_depths(depth.depth_m, options_.levels_per_m, image);
      return take(image, depth.place);
    });
  }

 private:
  const fs::path& folder_;
  const DepthReport::Options& options_;
  std::optional<BagDepths> bag_;
  std::vector<fs::path> files_;
};

/// Steps of the images that are not small against the measured deviation.
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
  return within_memory(file, [&] {
    const std::string_view kind = kind_of_depths(file);
    if (kind == ".pfm") return depths_of(read_pfm(file));
    if (kind == ".exr") return depths_of(read_exr(file));
    if (kind == ".npy") return read_array(file, levels_per_m);
    if (kind == ".png") return read_levels(file, levels_per_m);
    throw InputError(fmt::format("{}: is no depth image: neither .png, .npy, .pfm nor .exr", file.string()));
  });
}

DepthImage DepthReader::read(const fs::path& file) {
  DepthImage image = read_depth_image(file, per_m());
  const bool is_first = !has_levels_;
  if (is_first) has_levels_ = image.has_levels;
  if (is_first && levels_per_m_ && !image.has_levels) {
    throw InputError(file.string(), ": ", Setting{"levels_per_m"}, " is for 16-bit images, and this one has metres");
  }
  if (image.has_levels == *has_levels_) return image;
  throw InputError(
      fmt::format("{}: has {}, unlike the images before", file.string(), image.has_levels ? "whole levels" : "metres"));
}

std::vector<fs::path> depth_images(const fs::path& folder, const std::string& pattern) {
  const Listing listing = list(folder);
  std::vector<fs::path> files = in_folder(folder, chosen(listing.files, pattern));
  if (files.empty()) refuse_empty(folder, pattern, listing);
  return files;
}

std::vector<fs::path> depth_images_or_clouds(const fs::path& folder, const std::string& pattern) {
  const std::vector<std::string> names = list(folder).files;
  if (!pattern.empty() || !chosen(names, pattern).empty()) return depth_images(folder, pattern);
  const std::vector<std::string> clouds = first_matching(names, {"*.pcd", "*.ply", "*.bin"});
  return clouds.empty() ? depth_images(folder) : in_folder(folder, clouds);
}

DepthImage first_depth_image(const fs::path& folder, const DepthReport::Options& options) {
  DepthImage first;
  DepthImages(folder, options).for_each([&](const DepthImage& image, const std::string&) {
    first = image;
    return false;
  });
  return first;
}

std::vector<fs::path> depth_folder_inputs(const fs::path& folder, const DepthReport::Options& options) {
  const DepthImages images(folder, options);
  std::vector<fs::path> files = images.files();
  const std::vector<fs::path> more = images.left_out().files();
  files.insert(files.end(), more.begin(), more.end());
  return files;
}

DepthReport::Folder measure_depth_folder(const fs::path& folder, const DepthReport::Options& options) {
  DepthMeter meter(options.meter);
  const DepthImages images(folder, options);
  const LeftOutPixels left_out = images.left_out();
  bool has_levels = false;
  std::size_t done = 0;
  images.for_each([&](const DepthImage& image, const std::string& place) {
    has_levels = has_levels || image.has_levels;
    const std::vector<std::uint8_t> out = left_out.of_image(done, image.rows, image.cols);
    with_prefix(place, [&] { meter.add(image.depth_m, image.rows, image.cols, out); });
    ++done;
    if (options.on_frame) options.on_frame(done, images.count());
    return true;
  });
  DepthReport::Folder report{.name = folder.string(),
                             .measure = meter.result(),
                             .picture = meter.picture(),
                             .left_out_by = left_out_by(options.left_out)};
  if (has_levels) flag_levels(report.measure, options.levels_per_m);
  const std::vector<std::string> notes = images.notes();
  report.measure.flags.insert(report.measure.flags.end(), notes.begin(), notes.end());
  return report;
}

namespace {

constexpr const char* kCleanDepths = "clean_depth*.npy";
constexpr const char* kReasons = "reason*.npy";

GreyImage read_npy_levels(const fs::path& file, const char* what) {
  const npy::Array array = npy::read(file);
  const bool whole = array.type == npy::Type::kUint8 || array.type == npy::Type::kUint16;
  if (!whole || array.shape.size() != 2) {
    throw InputError(fmt::format("{}: {} are an array of uint8 or uint16 of shape (rows, cols)", file.string(), what));
  }
  GreyImage image;
  image.rows = static_cast<std::uint32_t>(array.shape[0]), image.cols = static_cast<std::uint32_t>(array.shape[1]);
  for (std::size_t i = 0; i < array.shape[0] * array.shape[1]; ++i) {
    image.value.push_back(static_cast<std::uint16_t>(array.at(i)));
  }
  return image;
}

GreyImage read_mask(const fs::path& file) {
  return within_memory(file, [&] {
    const std::string bytes = read_file(file);
    if (bytes.starts_with("\x93NUMPY")) return read_npy_levels(file, "masks");
    return read_png_levels(file, bytes, "masks are a grey picture, or an array of NumPy");
  });
}

void check_size(const fs::path& file, std::size_t rows, std::size_t cols, std::uint32_t rows_of_depth,
                std::uint32_t cols_of_depth) {
  if (rows == rows_of_depth && cols == cols_of_depth) return;
  throw InputError(fmt::format("{}: {} x {} pixels, but the depth image has {} x {}", file.string(), cols, rows,
                               cols_of_depth, rows_of_depth));
}

void check_count(const fs::path& folder, const std::string& what, std::size_t found, std::size_t images) {
  if (found == images) return;
  throw InputError(fmt::format("{}: {} {} for {} depth images", folder.string(), found, what, images));
}

std::vector<fs::path> find_truths(const fs::path& folder, const DepthReport::Options::LeftOut& options,
                                  std::size_t images) {
  if (!options.beyond_m && !options.lost_beyond_reach) return {};
  const char* names = options.beyond_m ? kCleanDepths : kReasons;
  if (is_bag(folder) && (!fs::is_directory(folder) || images_named(folder, names).empty())) {
    throw InputError(
        fmt::format("{}: holds no file '{}': a bag has no truth of the simulator", folder.string(), names));
  }
  std::vector<fs::path> files = depth_images(folder, names);
  check_count(folder, fmt::format("files '{}'", names), files.size(), images);
  return files;
}

std::vector<fs::path> find_masks(const fs::path& mask, std::size_t images) {
  if (mask.empty()) return {};
  std::error_code error;
  if (!fs::is_directory(mask, error)) return {mask};
  for (const char* kind : {"*.npy", "*.png"}) {
    std::vector<fs::path> files = images_named(mask, kind);
    if (files.empty()) continue;
    if (files.size() > 1) check_count(mask, fmt::format("masks '{}'", kind), files.size(), images);
    return files;
  }
  throw InputError(fmt::format("{}: holds no mask, PNG or NPY", mask.string()));
}

void check(const DepthReport::Options::LeftOut& o) {
  if (o.beyond_m && !(*o.beyond_m > 0.0 && *o.beyond_m <= DepthMeasure::Options::kMostDepthM)) {
    throw InputError(fmt::format("beyond_m = {} is not in (0, {}] m", *o.beyond_m, DepthMeasure::Options::kMostDepthM));
  }
  if (o.beyond_m && o.lost_beyond_reach) {
    throw InputError("beyond_m and lost_beyond_reach are two ways to say what is beyond reach: give one of them");
  }
}

}  // namespace

LeftOutPixels::LeftOutPixels(const fs::path& folder, const DepthReport::Options::LeftOut& options, std::size_t images)
    : options_(options) {
  check(options);
  truths_ = find_truths(folder, options, images);
  masks_ = find_masks(options.mask, images);
}

std::vector<std::uint8_t> LeftOutPixels::of_image(std::size_t k, std::uint32_t rows, std::uint32_t cols) const {
  if (truths_.empty() && masks_.empty()) return {};
  std::vector<std::uint8_t> out(std::size_t{rows} * cols);
  if (options_.beyond_m) {
    const DepthImage truth = read_depth_image(truths_[k]);
    check_size(truths_[k], truth.rows, truth.cols, rows, cols);
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = double{truth.depth_m[i]} < *options_.beyond_m ? 0 : 1;  // NaN: nothing at all
    }
  } else if (options_.lost_beyond_reach) {
    const GreyImage reasons = read_npy_levels(truths_[k], "reasons");
    check_size(truths_[k], reasons.rows, reasons.cols, rows, cols);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto reason = static_cast<Reason>(reasons.value[i]);
      out[i] = reason == Reason::kMiss || reason == Reason::kAboveMaxRange ? 1 : 0;
    }
  }
  if (masks_.empty()) return out;
  const fs::path& file = masks_[masks_.size() == 1 ? 0 : k];
  const GreyImage mask = read_mask(file);
  check_size(file, mask.rows, mask.cols, rows, cols);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = mask.value[i] != 0 ? 1 : out[i];
  return out;
}

std::vector<fs::path> LeftOutPixels::files() const {
  std::vector<fs::path> all = truths_;
  all.insert(all.end(), masks_.begin(), masks_.end());
  return all;
}

std::string left_out_by(const DepthReport::Options::LeftOut& o) {
  std::string text;
  if (o.beyond_m) text = fmt::format("{:.6g} m or farther by {}", *o.beyond_m, kCleanDepths);
  if (o.lost_beyond_reach) text = fmt::format("miss or above_max_range in {}", kReasons);
  if (!o.mask.empty()) text += (text.empty() ? "" : ", and ") + fmt::format("not 0 in {}", o.mask.string());
  return text;
}

std::vector<fs::path> cloud_files(const fs::path& folder, const std::string& pattern) {
  const std::vector<std::string> names = list(folder).files, taken = pattern.empty() ? names : matching(names, pattern);
  std::vector<std::string> clouds = taken;
  std::erase_if(clouds, [](const std::string& name) { return !name.ends_with(".pcd") && !name.ends_with(".ply"); });
  const bool has_others = pattern.empty() ? !chosen(names, pattern).empty() : clouds.size() < taken.size();
  return has_others ? std::vector<fs::path>() : in_folder(folder, clouds);
}

}  // namespace fathom
