// SPDX-License-Identifier: MIT
#pragma once
// The files that the live page saves.

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/simulate/run.hpp>

#include "core/text/yaml.hpp"
#include "live/topic_hub.hpp"

namespace fathom {

/// Limits of what clients may save while one server runs.
class SaveLimits {
 public:
  static constexpr double kPerSecond = 1, kMostAtOnce = 10;
  static constexpr std::size_t kMostFiles = 1000;
  static constexpr std::uintmax_t kMostBytes = std::uintmax_t{4} << 30U;  ///< no other file is begun beyond it

  /// A file will be written at `now`. Throws InputError if a limit forbids it.
  void begin(Allowance::TimePoint now);
  /// The file was written.
  void end(const std::filesystem::path& file);

 private:
  Allowance allowance_{kPerSecond, kMostAtOnce};
  std::size_t files_ = 0;
  std::uintmax_t bytes_ = 0;
};

/// A new name in `folder`: STEM_001.pcd, STEM_002.pcd and so on; makes the folder. Throws InputError if `folder` is
/// empty, because the server saves nothing, or `stem` is no plain name; SystemError.
std::filesystem::path free_file(const std::filesystem::path& folder, std::string_view stem, std::string_view extension);

/// Writes a scene file that reads as `scene_file` with `overrides`, except that the sensors in `turned` have the noise
/// of `simulator`. Names of files in it become absolute. Comments are lost. Throws InputError if the new file would not
/// be readable, SystemError.
void write_scene(const std::filesystem::path& file, const std::filesystem::path& scene_file,
                 const std::vector<std::string>& overrides, const SceneSetup& setup, const Simulator& simulator,
                 const std::set<std::size_t>& turned);

/// A tree as YAML that reads as the same tree.
std::string yaml_text(const YamlValue& root);

}  // namespace fathom
