// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "live/written/bag_contents.hpp"
#include "live/written/written_source.hpp"

namespace fathom {

/// A bag, played by the times at which its messages were recorded: clouds as they are, scans and depth images as
/// clouds. Only where messages lie is kept, so that a bag may be larger than memory. Of a torn bag all before the tear
/// is shown.
class BagSource final : public WrittenSource {
 public:
  /// Throws InputError as read_bag_contents() does.
  explicit BagSource(std::filesystem::path bag);

  [[nodiscard]] Timeline timeline() const override { return timeline_; }
  [[nodiscard]] std::vector<LiveTopic> topics() const override;
  [[nodiscard]] nlohmann::ordered_json state() const override;
  void show(std::uint32_t frame, Exchange& exchange) override;

 private:
  void show_topic(const ShownTopic& topic, std::uint32_t frame, std::uint64_t until_ns, Exchange& exchange);
  void show_transforms(std::uint64_t until_ns, Exchange& exchange);
  [[nodiscard]] const msg::CameraInfo* camera_of(const std::string& frame_id) const;

  std::filesystem::path bag_;
  BagContents contents_;
  BagMessages messages_;
  Timeline timeline_;
  std::size_t next_transform_ = 0;                       ///< the first of contents_.transforms that is not in moving_
  std::map<std::string, msg::TransformStamped> moving_;  ///< the newest of each child frame
  std::string error_;
};

}  // namespace fathom
