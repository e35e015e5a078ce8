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

#include <fathom/base/error.hpp>
#include <fathom/files/robot.hpp>

namespace fathom {

/// Most bytes of the XML of a robot or world, all its files together.
inline constexpr std::size_t kMostRobotBytes = std::size_t{1} << 26U;

/// An InputError of a file that is absent or may not be read.
class NotThere final : public InputError {
 public:
  using InputError::InputError;
};

/// Finds what the files of a robot name, and keeps a list of all that were opened.
class RobotFiles {
 public:
  explicit RobotFiles(const RobotFileOptions& options) : options_(options) {}

  /// The file or folder that a URI in `file` means: package:// and model:// as RobotFileOptions says, file://, or a
  /// path relative to the file's folder. Throws NotThere for a file that is absent or outside of
  /// the folders that may be read. Throws InputError for a URI that names no file. Neither message has the place.
  [[nodiscard]] std::filesystem::path find(std::string_view uri, const std::filesystem::path& file) const;

  /// All bytes of a file of XML; counts them, and throws InputError beyond kMostRobotBytes.
  std::string read(const std::filesystem::path& file);

  [[nodiscard]] RobotGeometry geometry() const { return options_.geometry; }
  [[nodiscard]] MissingMeshes missing() const { return options_.missing; }
  std::vector<std::filesystem::path>& opened() { return opened_; }

  /// A line for each mesh that was left out.
  std::vector<std::string>& skipped() { return skipped_; }

  /// Counts a link if it has shapes of the other geometry, which are not read.
  void count_other(bool has_some) { other_links_ += has_some ? 1 : 0; }
  [[nodiscard]] std::size_t other_links() const { return other_links_; }

 private:
  [[nodiscard]] std::filesystem::path find_in_package(std::string_view uri, std::string_view path,
                                                      const std::filesystem::path& file) const;

  [[nodiscard]] std::vector<std::filesystem::path> package_folders(const std::string& name,
                                                                   const std::filesystem::path& file) const;
  [[nodiscard]] std::vector<std::filesystem::path> readable_folders(const std::filesystem::path& file) const;
  void check_readable(std::string_view uri, const std::filesystem::path& found,
                      const std::vector<std::filesystem::path>& folders) const;

  const RobotFileOptions& options_;
  std::vector<std::filesystem::path> opened_;
  std::vector<std::string> skipped_;
  std::size_t bytes_ = 0, other_links_ = 0;
  // Folders of search_paths by their package.xml; nothing until a package is looked up there.
  mutable std::optional<std::map<std::string, std::filesystem::path>> named_;
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
