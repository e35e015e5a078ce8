// SPDX-License-Identifier: MIT
#pragma once
// SDF files and those that they include, before libsdformat sees them.

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <fathom/files/robot.hpp>

#include "world/robot_files.hpp"
#include "world/xml_tree.hpp"

namespace fathom {

/// A text that libsdformat can open as a file: /proc/self/fd/N. It lives in memory and goes with the object.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view text);
  ~MemoryFile();
  MemoryFile(MemoryFile&& other) noexcept : descriptor_(other.descriptor_) { other.descriptor_ = -1; }
  MemoryFile& operator=(MemoryFile&&) = delete;

  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_ = -1;
};

/// Cuts files down to what fathom reads and puts paths in place of URIs. The files that a file includes become memory
/// files, so that libsdformat, which would look in the working directory, in its own folders and where an environment
/// variable says, finds those that RobotFiles finds. Included files must live as long as libsdformat reads: keep the
/// object.
class SdfPreparation {
 public:
  SdfPreparation(RobotFiles& files, std::vector<std::string>& notes) : files_(files), notes_(notes) {}

  /// The first file. Throws InputError, also when files include each other in a circle or too many times.
  void prepare(XmlDocument& document, const std::filesystem::path& file);

  /// Of an <include> that was prepared: how many models it makes, and the name of its model.
  [[nodiscard]] std::size_t copies_of(pugi::xml_node include) const;
  [[nodiscard]] std::string name_of(pugi::xml_node include) const;

  /// A text of libsdformat with the names of files in place of those of memory files.
  [[nodiscard]] std::string with_names(std::string text) const;

 private:
  struct Included {
    MemoryFile text;
    std::filesystem::path file;
    std::size_t copies;  // of models, when all that it includes is put in its place
    std::string name;    // of its model
  };
  /// The file at hand.
  struct Place {
    XmlDocument& document;
    const std::filesystem::path& file;
    NotRead not_read = {};
    std::size_t copies = 0;  // of models
  };

  std::size_t prepare_file(XmlDocument& document, const std::filesystem::path& file);
  void prepare_world(Place& place, pugi::xml_node world);
  void prepare_model(Place& place, pugi::xml_node model);
  void prepare_link(Place& place, pugi::xml_node link);
  bool prepare_shape(Place& place, pugi::xml_node link, pugi::xml_node shape);
  bool prepare_mesh(Place& place, pugi::xml_node link, pugi::xml_node mesh);
  bool prepare_heights(Place& place, pugi::xml_node link, pugi::xml_node heights);
  void prepare_include(Place& place, pugi::xml_node include);
  static void add_copies(Place& place, pugi::xml_node element, std::size_t copies);
  const Included& included(const Place& place, pugi::xml_node uri);
  [[nodiscard]] const Included* find_included(pugi::xml_node include) const;
  std::filesystem::path model_file(const std::filesystem::path& folder);

  RobotFiles& files_;
  std::vector<std::string>& notes_;
  std::map<std::filesystem::path, std::filesystem::path> models_;  // the files of folders
  std::map<std::filesystem::path, Included> included_;
  std::vector<std::filesystem::path> chain_;  // of the files that include the one at hand
};

}  // namespace fathom
