// SPDX-License-Identifier: MIT
#pragma once
// Which files a sensor writes.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/simulate/run.hpp>

namespace fathom {

/// All files of a sensor, in the order of its outputs. Throws InputError when two outputs would write the same file,
/// one is no valid OutputFile, or the sensor cannot have it.
std::vector<OutputFile> plan_files(const SensorSetup& setup);

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
