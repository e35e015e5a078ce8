#pragma once
// Which files a sensor writes every frame, and how.

#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/run.hpp>

namespace fathom {

/// The channels in which a lost pixel has a value of the user's choice.
inline constexpr std::array<Channel, 4> kLengthChannels = {Channel::kRange, Channel::kCleanRange, Channel::kDepth,
                                                           Channel::kCleanDepth};

/// What writers say in a file besides the frame.
struct FileContext {
  Pose world_from_sensor;
  std::span<const std::string> entity_names;  ///< [entity id]
};

/// One file per frame: <folder>/<stem>_<frame, six digits>.<extension>.
struct PlannedFile {
  std::string stem, extension;
  std::function<void(const std::filesystem::path& file, const Frame& frame, const FileContext& context)> write;

  [[nodiscard]] std::string name(std::uint32_t frame) const;
  /// The names of all frames, a * for the number.
  [[nodiscard]] std::string pattern() const { return stem + "_*." + extension; }
};

/// Throws InputError when two outputs of the sensor would write the same file, or its ranges do not fit into a file.
std::vector<PlannedFile> plan_files(const SensorSetup& setup);

/// Whether a line of the sensor's pixels shows nothing, so that its pictures are drawn by angle.
bool is_seen_by_angle(const SensorModel& model);

/// The channels that the files of a sensor and the counts of the summary need.
ChannelSet planned_channels(const SensorSetup& setup);

/// Throws InputError unless the name can be a folder and a part of a --set path.
void check_sensor_name(std::string_view name);

/// The names of the sensors of a run, each of which is a folder.
class SensorNames {
 public:
  /// Throws InputError when the name is there already, on a file system that does not tell case too.
  void add(const std::string& name);

 private:
  std::map<std::string, std::string> by_lower_case_;
};

}  // namespace fathom
