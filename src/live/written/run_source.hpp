// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cloud/cloud_message.hpp"
#include "live/written/written_source.hpp"

namespace fathom {

/// The folder of a run, of one sensor of it, or a single cloud. Of each sensor the first kind of files is shown that is
/// there: clouds in its own frame, clouds in the world, channels as arrays.
class RunSource final : public WrittenSource {
 public:
  /// Throws InputError where there is nothing to show.
  explicit RunSource(std::filesystem::path path);

  [[nodiscard]] Timeline timeline() const override { return timeline_; }
  [[nodiscard]] std::vector<LiveTopic> topics() const override;
  [[nodiscard]] nlohmann::ordered_json state() const override;
  void show(std::uint32_t frame, Exchange& exchange) override;

 private:
  struct RunSensor {
    std::string name;
    std::map<std::uint32_t, std::filesystem::path> files;  ///< by frame
    bool is_channels = false;                              ///< the files stand for all channels of their frame
    bool is_in_world = false;
    std::uint32_t rows = 0, cols = 0;  ///< of the first frame

    [[nodiscard]] CloudMessage read(std::uint32_t frame) const;
  };

  void read_summary();
  void add_folder(const std::filesystem::path& folder);
  void add(RunSensor sensor);

  std::filesystem::path path_;
  Timeline timeline_;
  std::vector<RunSensor> sensors_;
  std::vector<std::string> entities_;
  std::string error_;
};

}  // namespace fathom
