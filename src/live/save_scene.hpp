// SPDX-License-Identifier: MIT
#pragma once
// What the live page writes.

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/simulate/run.hpp>

#include "live/allowance.hpp"

namespace fathom {

/// Limits of what clients may save while one server runs.
class SaveLimits {
 public:
  static constexpr double kPerSecond = 1, kMostAtOnce = 10;
  static constexpr std::size_t kMostFiles = 1000;
  static constexpr std::uintmax_t kMostBytes = std::uintmax_t{4} << 30U;  ///< after which no other file is begun

  /// A file is to be written at `now`. Throws InputError where a limit forbids it.
  void begin(Allowance::TimePoint now);
  /// The file was written.
  void end(const std::filesystem::path& file);

 private:
  Allowance allowance_{kPerSecond, kMostAtOnce};
  std::size_t files_ = 0;
  std::uintmax_t bytes_ = 0;
};

/// A name in `folder` that no file has: STEM_001.pcd, STEM_002.pcd and so on; makes the folder. Throws InputError where
/// `folder` is empty, as nothing is saved then, or `stem` is no plain name, SystemError.
std::filesystem::path free_file(const std::filesystem::path& folder, std::string_view stem, std::string_view extension);

/// Writes a scene file that reads as `scene_file` with `overrides`, but for the noise of the sensors in `turned`, which
/// is as `simulator` has it. Names of files in it become absolute. Comments are lost. Throws InputError where the file
/// that would come out could not be read, SystemError.
void write_scene(const std::filesystem::path& file, const std::filesystem::path& scene_file,
                 const std::vector<std::string>& overrides, const SceneSetup& setup, const Simulator& simulator,
                 const std::set<std::size_t>& turned);

}  // namespace fathom
