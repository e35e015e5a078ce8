// SPDX-License-Identifier: MIT
#include "live/written/bag_contents.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>

#include <fathom/base/error.hpp>

#include "message/image.hpp"
#include "message/laser_scan.hpp"
#include "message/message.hpp"
#include "message/point_cloud2.hpp"

namespace fathom {

namespace {

/// "/lidar/points" is what `lidar` measures.
std::string sensor_of(std::string_view topic) {
  constexpr std::array<std::string_view, 4> kEndings = {"/points", "/scan", "/image", "/depth"};
  if (topic.starts_with('/')) topic.remove_prefix(1);
  for (const std::string_view ending : kEndings) {
    if (topic.size() > ending.size() && topic.ends_with(ending))
      return std::string(topic.substr(0, topic.size() - ending.size()));
  }
  return std::string(topic);
}

bool is_before(const BagEntry& a, const BagEntry& b) { return a.time_ns < b.time_ns; }

class ContentsReader {
 public:
  void take(const BagMessage& message) {
    if (message.topic.encoding != "cdr" || refused_.contains(message.topic.name)) return;
    const BagEntry entry = {message.time_ns, message.place};
    if (message.topic.name == "/tf") {
      contents.transforms.push_back(entry);
    } else if (message.topic.name == "/tf_static") {
      take_fixed(message);
    } else if (message.topic.type == msg::CameraInfo::kType.name) {
      take_camera(message);
    } else if (const auto type = shown_type(message.topic.type)) {
      take_shown(message, *type, entry);
    }
  }

  BagContents contents;
  std::map<std::string, ShownTopic> topics;

 private:
  static std::optional<ShownType> shown_type(std::string_view type) {
    if (type == msg::PointCloud2::kType.name) return ShownType::kCloud;
    if (type == msg::LaserScan::kType.name) return ShownType::kScan;
    if (type == msg::Image::kType.name) return ShownType::kDepth;
    return {};
  }

  void take_fixed(const BagMessage& message) {
    msg::TFMessage read;
    read_message(message.bytes, read);
    for (const msg::TransformStamped& transform : read.transforms) {
      auto& fixed = contents.fixed.transforms;
      const auto same = std::find_if(fixed.begin(), fixed.end(), [&](const msg::TransformStamped& other) {
        return other.child_frame_id == transform.child_frame_id;
      });
      if (same == fixed.end()) {
        fixed.push_back(transform);
      } else {
        *same = transform;
      }
    }
  }

  void take_camera(const BagMessage& message) {
    msg::CameraInfo camera;
    read_message(message.bytes, camera);
    contents.cameras.try_emplace(camera.header.frame_id, camera);
  }

  /// The first message of a topic says whether it can be shown: of images, only depths can.
  void take_shown(const BagMessage& message, ShownType type, const BagEntry& entry) {
    auto found = topics.find(message.topic.name);
    if (found == topics.end()) {
      ShownTopic topic{.topic = message.topic.name, .sensor = sensor_of(message.topic.name), .type = type};
      if (!describe(message, topic)) {
        refused_.insert(message.topic.name);
        return;
      }
      found = topics.emplace(message.topic.name, std::move(topic)).first;
    }
    found->second.entries.push_back(entry);
  }

  static bool describe(const BagMessage& message, ShownTopic& topic) {
    const auto set = [&](std::uint32_t rows, std::uint32_t cols, const msg::Header& header) {
      topic.rows = rows, topic.cols = cols, topic.frame_id = header.frame_id;
    };
    if (topic.type == ShownType::kCloud) {
      msg::PointCloud2 cloud;
      read_message(message.bytes, cloud);
      set(cloud.height, cloud.width, cloud.header);
    } else if (topic.type == ShownType::kScan) {
      msg::LaserScan scan;
      read_message(message.bytes, scan);
      set(1, static_cast<std::uint32_t>(scan.ranges.size()), scan.header);
    } else {
      msg::Image image;
      read_message(message.bytes, image);
      if (image.encoding != "32FC1" && image.encoding != "16UC1") return false;
      set(image.height, image.width, image.header);
    }
    return true;
  }

  std::set<std::string> refused_;
};

/// Two topics of one sensor are told apart by their whole names.
void tell_apart(std::vector<ShownTopic>& topics) {
  std::map<std::string, int> counts;
  for (const ShownTopic& topic : topics) ++counts[topic.sensor];
  for (ShownTopic& topic : topics) {
    if (counts[topic.sensor] > 1) topic.sensor = topic.topic.substr(topic.topic.starts_with('/') ? 1 : 0);
  }
}

}  // namespace

BagContents read_bag_contents(const std::filesystem::path& bag) {
  ContentsReader reader;
  std::string tear = read_bag(bag, [&](const BagMessage& message) {
    try {
      reader.take(message);
    } catch (const InputError& error) {
      throw InputError(bag.string() + ": " + message.topic.name + ": " + error.what());
    }
  });
  BagContents contents = std::move(reader.contents);
  contents.tear = std::move(tear);
  for (auto& [name, topic] : reader.topics) contents.topics.push_back(std::move(topic));
  if (contents.topics.empty()) {
    throw InputError(bag.string() + ": holds no PointCloud2, LaserScan or depth Image (32FC1, 16UC1) to show");
  }
  tell_apart(contents.topics);
  std::stable_sort(contents.transforms.begin(), contents.transforms.end(), is_before);
  contents.first_ns = contents.topics[0].entries[0].time_ns;
  for (ShownTopic& topic : contents.topics) {
    std::stable_sort(topic.entries.begin(), topic.entries.end(), is_before);
    contents.first_ns = std::min(contents.first_ns, topic.entries.front().time_ns);
    contents.last_ns = std::max(contents.last_ns, topic.entries.back().time_ns);
  }
  return contents;
}

}  // namespace fathom
