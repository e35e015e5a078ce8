// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/base/geometry.hpp>
#include <fathom/simulate/timing.hpp>

#include "cloud/cloud_message.hpp"
#include "live/live_source.hpp"

namespace fathom {

/// The folder of a run, of one sensor of it, or a single cloud. Of each sensor the first kind of files is shown that is
/// there: clouds in its own frame, clouds in the world, channels as arrays. Nothing of it can be turned or saved.
class RunSource final : public LiveSource {
 public:
  /// Throws InputError where there is nothing to show.
  explicit RunSource(std::filesystem::path path);

  [[nodiscard]] Timeline timeline() const override { return timeline_; }
  [[nodiscard]] std::vector<LiveTopic> topics() const override;
  [[nodiscard]] nlohmann::ordered_json state() const override;
  [[nodiscard]] nlohmann::ordered_json knobs() const override;
  [[nodiscard]] std::vector<Parameter> parameters() const override { return {}; }
  void set(const Parameter& parameter) override;
  void show(std::uint32_t frame, Exchange& exchange) override;
  bool reload_if_saved() override { return false; }
  std::vector<std::filesystem::path> save_frame(std::string_view sensor) override;
  std::filesystem::path save_scene() override;

 private:
  struct RunSensor {
    std::string name;
    std::map<std::uint32_t, std::filesystem::path> files;  ///< by frame
    bool is_channels = false;                              ///< the files stand for all channels of their frame
    bool is_in_world = false;
    std::uint32_t rows = 0, cols = 0;   ///< of the first frame
    std::vector<FrameTime> times = {};  ///< of a sensor with a timing, as its frames arrived
    Vec3 origin_m = {};                 ///< subtracted from the points of all frames

    [[nodiscard]] CloudMessage read(std::uint32_t frame) const;
    /// What is shown at a time: of a sensor with a timing the file that arrived last.
    [[nodiscard]] FrameTime shown_at(std::uint32_t frame, double time_s) const;
  };

  void read_summary();
  void read_times(const nlohmann::json& sensors);
  void add_folder(const std::filesystem::path& folder);
  void add(RunSensor sensor);

  std::filesystem::path path_;
  Timeline timeline_;
  std::vector<RunSensor> sensors_;
  std::map<std::string, std::vector<FrameTime>> times_;  // by sensor, in the order of delivery
  std::vector<std::string> entities_;
  std::string error_;
};

}  // namespace fathom
