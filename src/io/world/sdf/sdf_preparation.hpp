// SPDX-License-Identifier: MIT
#pragma once
// Prepares SDF files and the files that they include for libsdformat.

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <fathom/files/robot.hpp>

#include "io/mesh/xml_document.hpp"
#include "io/world/robot_files.hpp"

namespace fathom {

/// A text in memory that libsdformat can open as a file: /proc/self/fd/N. The file lives as long as the object.
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

/// Cuts files down to the parts that fathom reads, with paths instead of URIs. Included files become memory files.
/// Otherwise libsdformat would search the working directory, its own folders and an environment variable, not the
/// folders of RobotFiles. Keep the object while libsdformat reads: it owns the memory files.
class SdfPreparation {
 public:
  SdfPreparation(RobotFiles& files, std::vector<std::string>& notes) : files_(files), notes_(notes) {}

  /// Prepares the first file. Throws InputError, also if files include each other in a circle or too many times.
  void prepare(XmlDocument& document, const std::filesystem::path& file);

  /// The number of models that a prepared <include> makes, and the name of its model.
  [[nodiscard]] std::size_t copies_of(pugi::xml_node include) const;
  [[nodiscard]] std::string name_of(pugi::xml_node include) const;

  /// A message of libsdformat with the names of files instead of memory files.
  [[nodiscard]] std::string with_names(std::string text) const;

 private:
  struct Included {
    MemoryFile text;
    std::filesystem::path file;
    std::size_t copies;  // models, with all included ones
    std::string name;    // of its model
  };
  /// The current file.
  struct Place {
    XmlDocument& document;
    const std::filesystem::path& file;
    NotRead not_read = {};
    std::size_t copies = 0;  // models
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
  std::map<std::filesystem::path, std::filesystem::path> models_;  // files by folder
  std::map<std::filesystem::path, Included> included_;
  std::vector<std::filesystem::path> chain_;  // files that include the current one
};

// A prepared document is cut into pieces, because libsdformat keeps 2.4 MB of element trees for each model of a text
// until it has read the whole text. Models of a world whose poses name each other belong together and share a piece.

/// The most models in a piece, with nested and included ones.
inline constexpr std::size_t kMostModelsTogether = 500;
/// Unrelated models in a piece. Few, because of memory; not one, because libsdformat reads its description of the
/// format for each piece.
inline constexpr std::size_t kUsualModelsTogether = 16;

struct SdfPiece {
  std::string text;                 ///< a whole SDF document
  std::string scope;                ///< prefix of its models' names
  std::vector<std::size_t> places;  ///< of its models, counted over all worlds
};

/// Throws InputError if more than kMostModelsTogether models belong together, or two models of a world share a name.
std::vector<SdfPiece> cut_sdf(const XmlDocument& document, const SdfPreparation& preparation);

}  // namespace fathom
