#pragma once
// A folder that goes away, and a small valid scene to begin from.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>

namespace fathom::test {

namespace fs = std::filesystem;

/// An empty folder of its own, removed at the end.
class TempFolder {
 public:
  TempFolder() {
    std::string name = (fs::temp_directory_path() / "fathom_simulate_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~TempFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  [[nodiscard]] const fs::path& path() const { return path_; }
  [[nodiscard]] fs::path operator/(const fs::path& name) const { return path_ / name; }

  /// Writes a file into the folder.
  fs::path write(const fs::path& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }

 private:
  fs::path path_;
};

inline std::string read_text(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

/// All files below a folder: name -> bytes.
inline std::map<std::string, std::string> read_folder(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files[entry.path().lexically_relative(folder).string()] = read_text(entry.path());
  }
  return files;
}

/// The text with the first `from` replaced; throws when it is not there, so that no test passes by chance.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("the scene has no '" + from + "'");
  return text.replace(at, from.size(), to);
}

/// The lines are counted on in bad_scene_test.cpp.
inline const std::string kScene = R"(frames: 2
rate_hz: 10
seed: 5
sensors:
  - name: lidar
    preset: VLP-16
    columns: 90
    position_m: [0, 0, 1]
    noise:
      - distance: {stddev_m: 0.01}
    outputs: [pcd, range_image]
  - name: laser
    type: laser_2d
    beams: 45
    min_azimuth_deg: -90
    max_azimuth_deg: 90
    min_range_m: 0.1
    max_range_m: 20
    parent: cart
scene:
  meshes:
    floor: {plane: {size_m: [20, 20]}}
    box: {box: {size_m: [1, 1, 1]}}
  entities:
    - {name: floor, mesh: floor}
    - {name: cart, mesh: box, position_m: [3, 0, 0.5]}
    - {name: crate, mesh: box, position_m: [0, 3, 0.5], parent: cart}
)";

}  // namespace fathom::test
