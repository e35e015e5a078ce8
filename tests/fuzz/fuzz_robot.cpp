// SPDX-License-Identifier: MIT
// Robots and worlds, URDF or SDF: a robot whose links have poses, or an InputError of one line.

#include <cstdint>

#include <fathom/files/robot.hpp>

#include "in_memory.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto file = fathom::fuzz::write_input("robot", bytes);
  fathom::fuzz::expect_answer([&] {
    const fathom::Robot robot = fathom::read_robot(file);
    static_cast<void>(fathom::robot_from_links(robot));
    fathom::Scene scene;
    const fathom::PlacedRobot placed(scene, robot);
  });
  return 0;
}
