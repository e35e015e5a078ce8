// SPDX-License-Identifier: MIT
#include "io/log/bag_depth.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fnmatch.h>

#include <fathom/core/error.hpp>
#include <fathom/core/names.hpp>

#include "core/errors.hpp"
#include "io/bag/read_bag.hpp"
#include "io/log/grey_image.hpp"
#include "io/message/cdr.hpp"
#include "io/message/sensors.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;

bool is_depth_encoding(std::string_view encoding) {
  return encoding == "16UC1" || encoding == "mono16" || encoding == "32FC1";
}

/// Whether the message is an image of depths, damaged or not.
bool shows_depth(const BagMessage& message) {
  try {
    if (carries(message.topic, msg::Image::kType)) {
      msg::Image image;
      read_message(message.bytes, image);
      return is_depth_encoding(image.encoding);
    }
    if (!carries(message.topic, msg::CompressedImage::kType)) return false;
    msg::CompressedImage image;
    CdrReader cdr(message.bytes);
    cdr(image);
    return image.format.find("compressedDepth") != std::string::npos;
  } catch (const InputError&) {
    return false;
  }
}

template <class T>
T pixel_at(const std::byte* at, bool is_bigendian) {
  std::array<std::byte, sizeof(T)> bytes{};
  std::memcpy(bytes.data(), at, bytes.size());
  if (is_bigendian) std::reverse(bytes.begin(), bytes.end());
  T value{};
  std::memcpy(&value, bytes.data(), bytes.size());
  return value;
}

template <class T>
std::vector<T> pixels_of(const msg::Image& image) {
  std::vector<T> pixels;
  pixels.reserve(std::size_t{image.height} * image.width);
  for (std::size_t row = 0; row < image.height; ++row) {
    const std::byte* const begin = image.data.data() + row * image.step;
    for (std::size_t col = 0; col < image.width; ++col) {
      pixels.push_back(pixel_at<T>(begin + col * sizeof(T), image.is_bigendian != 0));
    }
  }
  return pixels;
}

void read_compressed(const BagMessage& message, msg::CompressedImage& image, BagDepth& depth) {
  read_message(message.bytes, image);
  const std::string name(msg::CompressedImage::kType.name);
  const auto packed = with_prefix(name, [&] { return image.depth(); });
  if (!packed)
    throw InputError(fmt::format("has the format '{}', which holds no depths", printable(image.format, 100)));
  const std::string_view png(reinterpret_cast<const char*>(packed->png.data()), packed->png.size());
  check_image_sides(name, packed->cols, packed->rows);
  GreyImage grey = read_png_levels(name, png, "depths are a grey picture of 16 bits");
  depth.rows = grey.rows, depth.cols = grey.cols;
  depth.has_levels = !packed->is_inverse;
  if (depth.has_levels) {
    depth.level = std::move(grey.value);
    return;
  }
  depth.depth_m.clear();
  depth.depth_m.reserve(grey.value.size());
  for (const std::uint16_t level : grey.value) {
    const float over = static_cast<float>(level) - packed->b;
    depth.depth_m.push_back(level != 0 && over > 0.0F ? packed->a / over : std::numeric_limits<float>::quiet_NaN());
  }
}

}  // namespace

void read_depths(std::span<const std::byte> bytes, msg::Image& image, BagDepth& depth) {
  read_message(bytes, image);
  if (!is_depth_encoding(image.encoding)) {
    throw InputError(fmt::format("has the encoding '{}', which holds no depths", printable(image.encoding, 100)));
  }
  check_image_sides(std::string(msg::Image::kType.name), image.width, image.height);
  depth.rows = image.height, depth.cols = image.width;
  depth.has_levels = image.encoding != "32FC1";
  if (depth.has_levels) {
    depth.level = pixels_of<std::uint16_t>(image);
  } else {
    depth.depth_m = pixels_of<float>(image);
  }
}

bool is_bag(const fs::path& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) return true;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) {
    const fs::path extension = entry.path().extension();
    if (extension == ".mcap" || extension == ".db3") return true;
  }
  return false;
}

bool carries(const BagTopic& topic, const MessageType& type) {
  return topic.type == type.name && topic.encoding == "cdr";
}

BagDepths::BagDepths(fs::path bag, const std::string& topics) : bag_(std::move(bag)) {
  std::map<std::string, std::size_t> found;
  std::set<std::string> depths;
  const BagReading reading = read_bag(bag_, [&](const BagMessage& message) {
    const std::string& name = message.topic.name;
    if (!topics.empty() && fnmatch(topics.c_str(), name.c_str(), 0) != 0) return;
    if (!carries(message.topic, msg::Image::kType) && !carries(message.topic, msg::CompressedImage::kType)) return;
    ++found[name];
    if (!depths.contains(name) && shows_depth(message)) depths.insert(name);
  });
  if (depths.empty()) {
    throw InputError(fmt::format("{}: has no depth images{}", bag_.string(),
                                 topics.empty() ? "" : fmt::format(" on a topic '{}'", printable(topics))));
  }
  if (depths.size() > 1) {
    std::string names;
    for (const std::string& name : depths) names += (names.empty() ? "" : ", ") + printable(name);
    throw InputError(fmt::format("{}: has several topics of depth images, choose one of {}", bag_.string(), names));
  }
  topic_ = *depths.begin(), images_ = found[topic_], notes_ = reading.notes();
}

std::vector<fs::path> BagDepths::files() const { return bag_files(bag_); }

void BagDepths::for_each(const std::function<bool(const BagDepth&)>& take) const {
  BagDepth depth;
  msg::Image image;
  msg::CompressedImage compressed;
  std::size_t k = 0;
  bool goes_on = true;
  static_cast<void>(read_bag(bag_, [&](const BagMessage& message) {
    const bool is_image = carries(message.topic, msg::Image::kType);
    if (!goes_on || message.topic.name != topic_) return;
    if (!is_image && !carries(message.topic, msg::CompressedImage::kType)) return;
    depth.place = fmt::format("{}: image {}", printable(topic_), k++);
    with_prefix(depth.place, [&] {  // read_bag() adds the file
      if (is_image) {
        read_depths(message.bytes, image, depth);
      } else {
        read_compressed(message, compressed, depth);
      }
    });
    goes_on = take(depth);
  }));
}

}  // namespace fathom
