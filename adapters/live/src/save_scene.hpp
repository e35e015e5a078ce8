// SPDX-License-Identifier: MIT
#pragma once
// The files that the live page saves.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fathom/scene/scene.hpp>
#include <fathom/simulate/sensor.hpp>

#include "core/text/yaml.hpp"
#include "live/topic_hub.hpp"

namespace fathom {

/// Limits of the files that clients save during one run of a server.
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

/// The folder for files that clients save.
class SaveFolder {
 public:
  /// Empty: nothing may be saved.
  explicit SaveFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

  [[nodiscard]] bool is_given() const { return !folder_.empty(); }
  /// Lets `write` write a new file, STEM_001.pcd, STEM_002.pcd and so on, and returns its name. Makes the folder.
  /// Throws InputError if there is no folder, a limit forbids it, or `stem` is no plain name; SystemError.
  std::filesystem::path save(std::string_view stem, std::string_view extension,
                             const std::function<void(const std::filesystem::path&)>& write);

 private:
  std::filesystem::path folder_;
  SaveLimits limits_;
};

/// The tree of a scene file with `overrides`. The names of its `inputs` become absolute. Comments are lost.
YamlValue scene_yaml(const std::filesystem::path& scene_file, const std::vector<std::string>& overrides,
                     const std::vector<std::filesystem::path>& inputs);
/// Gives the sensor of this name in the tree the chain of `sensor`. `scene`: for the names of entities.
void set_noise(YamlValue& root, const Sensor& sensor, const Scene& scene);
/// Gives it the size, intrinsics and baseline of `sensor`, if that is a depth or stereo camera.
void set_camera(YamlValue& root, const Sensor& sensor);
/// Throws InputError if the new scene file would not be readable, SystemError.
void write_scene(const std::filesystem::path& file, const YamlValue& root);

/// A tree as YAML that reads as the same tree.
std::string yaml_text(const YamlValue& root);

}  // namespace fathom
