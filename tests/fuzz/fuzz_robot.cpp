// SPDX-License-Identifier: MIT
// Robots and worlds: a robot whose links have poses, or an InputError of one line. Of SDF what fathom itself does, up
// to the texts for libsdformat, which takes a tenth of a second for any text.

#include <cstdint>
#include <string>
#include <vector>

#include <fathom/files/robot.hpp>

#include "in_memory.hpp"
#include "io/mesh/xml_document.hpp"
#include "io/world/robot_files.hpp"
#include "io/world/sdf/sdf_preparation.hpp"

namespace {

void read_urdf_input(const std::filesystem::path& file) {
  const fathom::Robot robot = fathom::read_robot(file);
  static_cast<void>(fathom::robot_from_links(robot));
  fathom::Scene scene;
  const fathom::PlacedRobot placed(scene, robot);
}

void prepare_sdf_input(const std::filesystem::path& file) {
  const fathom::RobotFileOptions options;
  fathom::RobotFiles files(options);
  const std::string bytes = files.read(file);
  fathom::XmlDocument document(bytes, file.string());
  std::vector<std::string> notes;
  fathom::SdfPreparation preparation(files, notes);
  preparation.prepare(document, file);
  static_cast<void>(fathom::cut_sdf(document, preparation));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto file = fathom::fuzz::write_input("robot", bytes);
  const bool is_sdf = bytes.find("<sdf") != std::string_view::npos;
  fathom::fuzz::expect_answer([&] { is_sdf ? prepare_sdf_input(file) : read_urdf_input(file); });
  return 0;
}
