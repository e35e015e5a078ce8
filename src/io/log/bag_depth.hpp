// SPDX-License-Identifier: MIT
#pragma once
// Depth images of bags: sensor_msgs/msg/Image as 16UC1, mono16 or 32FC1, and compressedDepth (docs/bags.md).

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace fathom {

struct BagTopic;
struct MessageType;
namespace msg {
struct Image;
}

/// A depth image [rows, cols]: depths in metres, or levels in millimetres or in the camera's own unit.
struct BagDepth {
  std::uint32_t rows = 0, cols = 0;
  bool has_levels = false;
  std::vector<std::uint16_t> level;  ///< if has_levels; 0: a hole
  std::vector<float> depth_m;        ///< otherwise; NaN: a hole
  std::string place;                 ///< "/camera/depth: image 12", for messages
};

/// Whether a path can be a bag: a file, or a folder that holds .mcap or .db3.
bool is_bag(const std::filesystem::path& path);

/// Whether the topic has messages of that type as CDR.
bool carries(const BagTopic& topic, const MessageType& type);

/// Reads an image message, whose memory may be used again, and its depths. Throws InputError for a damaged message, an
/// encoding without depths, and too large sides.
void read_depths(std::span<const std::byte> bytes, msg::Image& image, BagDepth& depth);

/// The depth images of one topic.
class BagDepths {
 public:
  /// Surveys the bag. `topics`: a pattern of names with * and ?; empty for all topics. Throws InputError naming the bag
  /// unless exactly one of these topics has depth images.
  BagDepths(std::filesystem::path bag, const std::string& topics);

  [[nodiscard]] const std::string& topic() const { return topic_; }
  [[nodiscard]] std::size_t images() const { return images_; }
  /// The bag, or the .mcap and .db3 in its folder.
  [[nodiscard]] std::vector<std::filesystem::path> files() const;
  /// Notes on missing and damaged parts of the bag, a line each.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

  /// Calls take(image) for the images in the bag's order until it returns false. Throws InputError naming file, topic
  /// and image for a damaged image. Puts the file in front of an InputError of take().
  void for_each(const std::function<bool(const BagDepth&)>& take) const;

 private:
  std::filesystem::path bag_;
  std::string topic_;
  std::size_t images_ = 0;
  std::vector<std::string> notes_;
};

}  // namespace fathom
