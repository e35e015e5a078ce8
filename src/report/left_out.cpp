// SPDX-License-Identifier: MIT
#include "report/left_out.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/frame/reason.hpp>

#include "log/bag_depth.hpp"
#include "log/grey_image.hpp"
#include "text/files.hpp"
#include "text/formats.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;

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

std::vector<fs::path> find_truths(const fs::path& folder, const DepthLeftOut& options, std::size_t images) {
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

bool is_cloud(const fs::path& file) { return file.extension() == ".pcd" || file.extension() == ".ply"; }

}  // namespace

void validate(const DepthLeftOut& o) {
  if (o.beyond_m && !(*o.beyond_m > 0.0 && *o.beyond_m <= DepthMeterOptions::kMostDepthM)) {
    throw InputError(fmt::format("beyond_m = {} is not in (0, {}] m", *o.beyond_m, DepthMeterOptions::kMostDepthM));
  }
  if (o.beyond_m && o.lost_beyond_reach) {
    throw InputError("beyond_m and lost_beyond_reach are two ways to say what is beyond reach: give one of them");
  }
}

LeftOutPixels::LeftOutPixels(const fs::path& folder, const DepthLeftOut& options, std::size_t images)
    : options_(options) {
  validate(options);
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

std::string left_out_by(const DepthLeftOut& o) {
  std::string text;
  if (o.beyond_m) text = fmt::format("{:.6g} m or farther by {}", *o.beyond_m, kCleanDepths);
  if (o.lost_beyond_reach) text = fmt::format("miss or above_max_range in {}", kReasons);
  if (!o.mask.empty()) text += (text.empty() ? "" : ", and ") + fmt::format("not 0 in {}", o.mask.string());
  return text;
}

std::vector<fs::path> cloud_files(const fs::path& folder, const std::string& pattern) {
  std::vector<fs::path> clouds;
  std::error_code error;
  if (pattern.empty()) {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
      if (!entry.is_regular_file(error)) continue;
      if (entry.path().extension() == ".png" || entry.path().extension() == ".npy") return {};
      if (is_cloud(entry.path())) clouds.push_back(entry.path());
    }
    return clouds;
  }
  clouds = images_named(folder, pattern);
  const bool are_clouds = std::all_of(clouds.begin(), clouds.end(), is_cloud);
  return are_clouds ? clouds : std::vector<fs::path>();
}

}  // namespace fathom
