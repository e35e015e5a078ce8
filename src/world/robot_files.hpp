// SPDX-License-Identifier: MIT
#pragma once
// Where the files of a robot are, and what of them is not read.

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/files/robot.hpp>

namespace fathom {

/// Most bytes of the XML of a robot or world, all its files together.
inline constexpr std::size_t kMostRobotBytes = std::size_t{1} << 26U;

/// Finds what the files of a robot name, and keeps a list of all that were opened.
class RobotFiles {
 public:
  explicit RobotFiles(const RobotFileOptions& options) : options_(options) {}

  /// The file or folder that a URI in `file` means: package:// and model:// as RobotFileOptions says, file://, or a
  /// path relative to the file's folder. Throws InputError, without the place, where there is no such thing.
  [[nodiscard]] std::filesystem::path find(std::string_view uri, const std::filesystem::path& file) const;

  /// All bytes of a file of XML; counts them, and throws InputError beyond kMostRobotBytes.
  std::string read(const std::filesystem::path& file);

  [[nodiscard]] RobotGeometry geometry() const { return options_.geometry; }
  std::vector<std::filesystem::path>& opened() { return opened_; }

 private:
  [[nodiscard]] std::filesystem::path find_in_package(std::string_view uri, std::string_view path,
                                                      const std::filesystem::path& file) const;

  const RobotFileOptions& options_;
  std::vector<std::filesystem::path> opened_;
  std::size_t bytes_ = 0;
};

/// What a file holds and fathom does not read.
class NotRead {
 public:
  void count(std::string_view element) { ++elements_[std::string(element)]; }
  void add(std::string text) { others_.push_back(std::move(text)); }
  /// "robot.urdf: not read: 2 <sensor>, the mesh ..."; nothing where all was read.
  [[nodiscard]] std::optional<std::string> note(const std::filesystem::path& file) const;

 private:
  std::map<std::string, std::size_t> elements_;
  std::vector<std::string> others_;
};

}  // namespace fathom
