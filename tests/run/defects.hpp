// SPDX-License-Identifier: MIT
#pragma once
// One defect at a time in a valid scene, and the form of its refusal.

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <fathom/core/error.hpp>
#include <fathom/simulate/run.hpp>

#include "run/scene_fixture.hpp"

namespace fathom::test {

struct Defect {
  std::string name, from, to;
  std::vector<std::string> message;  ///< all of these must be in it
};

inline void PrintTo(const Defect& defect, std::ostream* out) { *out << defect.name; }

/// The scene with the defect is refused in one line that names the place once, and nothing is written.
inline void expect_refused(const Defect& defect, const std::string& scene = kScene) {
  const TemporaryFolder folder;
  folder.write("empty.obj", "");
  folder.write("bad_index.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n");
  folder.write("flat.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n");
  folder.write("back.tum", "1 0 0 0 0 0 0 1\n0.5 0 0 0 0 0 0 1\n");
  folder.write("no_rays.csv", "ox,oy,oz,dx,dy,dz\n");
  const auto file = folder.write("bad.yaml", replaced(scene, defect.from, defect.to));
  RunOptions options;
  options.out = folder / "out";
  try {
    run_scene(read_scene_file(file), options);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_EQ(message.rfind(folder.path().string(), 0), 0U) << message;
    for (const std::string& part : defect.message) {
      EXPECT_NE(message.find(part), std::string::npos) << "'" << part << "' is not in: " << message;
    }
    const std::size_t place = message.find("bad.yaml:");
    EXPECT_EQ(message.find("bad.yaml:", place + 1), std::string::npos) << message;
  }
  EXPECT_FALSE(std::filesystem::exists(options.out));
}

}  // namespace fathom::test
