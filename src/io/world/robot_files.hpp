// SPDX-License-Identifier: MIT
#pragma once
// The files of a robot: how to find them, and the parts of them that fathom does not read.

#include <cstddef>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/core/error.hpp>
#include <fathom/files/robot.hpp>

#include "io/mesh/xml_document.hpp"

namespace fathom {

/// The most bytes of XML in all files of a robot or world.
inline constexpr std::size_t kMostRobotBytes = std::size_t{1} << 26U;

/// An InputError of a file that is absent or may not be read.
class NotThere final : public InputError {
 public:
  using InputError::InputError;
};

/// Finds the files that a robot's files name, and lists all opened files.
class RobotFiles {
 public:
  explicit RobotFiles(const RobotFileOptions& options) : options_(options) {}

  /// The file or folder of a URI in `file`: package:// and model:// by RobotFileOptions, file://, or a path relative to
  /// the file's folder. Throws NotThere for a file that is absent or outside the readable folders, and InputError for a
  /// URI that names no file. The messages lack the place.
  [[nodiscard]] std::filesystem::path find(std::string_view uri, const std::filesystem::path& file) const;

  /// All bytes of an XML file. Throws InputError if the sum over all files exceeds kMostRobotBytes.
  std::string read(const std::filesystem::path& file);

  [[nodiscard]] RobotFileOptions::Geometry geometry() const { return options_.geometry; }
  [[nodiscard]] RobotFileOptions::MissingMeshes missing() const { return options_.missing; }
  std::vector<std::filesystem::path>& opened() { return opened_; }

  /// A line for each mesh left out.
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
  // Folders of search_paths by the names in their package.xml; absent until the first search.
  mutable std::optional<std::map<std::string, std::filesystem::path>> named_;
};

/// The parts of a file that fathom does not read.
class NotRead {
 public:
  void count(std::string_view element) { ++elements_[std::string(element)]; }
  void add(std::string text) { others_.push_back(std::move(text)); }
  /// "robot.urdf: not read: 2 <sensor>, the mesh ..."; empty if all was read.
  [[nodiscard]] std::optional<std::string> note(const std::filesystem::path& file) const;

 private:
  std::map<std::string, std::size_t> elements_;
  std::vector<std::string> others_;
};

// Libraries see only pruned trees that XmlDocument has checked, so they do not complain about parts that fathom
// ignores.

/// The children of an element to keep, and those to remove silently. Removals of others are counted.
struct KeptElements {
  std::span<const std::string_view> kept, silent;
};

/// Removes the other children.
void prune(pugi::xml_node element, const KeptElements& elements, NotRead& not_read);

/// "link 'arm'", for messages.
std::string described(pugi::xml_node element);

/// The element as text.
std::string xml_text(pugi::xml_node element);

/// The file that an attribute or a text of `place` names. Throws InputError naming the place if it is absent.
std::filesystem::path find_named(const XmlDocument& document, pugi::xml_node place, std::string_view uri,
                                 const RobotFiles& files, const std::filesystem::path& file);
/// The same for the file of a shape. If files.missing() is kSkip, an absent file adds a line to files.skipped() and
/// nothing is returned.
std::optional<std::filesystem::path> find_shape(const XmlDocument& document, pugi::xml_node place, std::string_view uri,
                                                RobotFiles& files, const std::filesystem::path& file);

/// urdfdom and libsdformat report through objects of the whole process, which readers replace. So only one thread may
/// use these libraries at a time.
std::mutex& robot_library_mutex();

}  // namespace fathom
