// SPDX-License-Identifier: MIT
#pragma once
// One defect at a time in a valid scene, and the form of its refusal.

#include <ostream>

#include "run/scene_fixture.hpp"

namespace fathom::test {

struct Defect {
  std::string name, from, to;
  std::vector<std::string> message;  ///< all of these must be in it
};

inline void PrintTo(const Defect& defect, std::ostream* out) { *out << defect.name; }

/// "\\n" in a file is a line break, and so on.
inline std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_escape = text[i] == '\\';
    if (is_escape) ++i;
    plain += !is_escape ? text[i] : text.at(i) == 'n' ? '\n' : text[i] == 'r' ? '\r' : '\t';
  }
  return plain;
}

/// The rows of a file of tests/run. Lines of a row begin with these characters:
///
///     Name > parts of the message, split by " | ". "12:33:" as the first one stands for "bad.yaml:12:33:".
///     - a text in the scene, or (all)
///     + another text instead; nothing without this line
///     > more parts of the message
inline std::vector<Defect> read_defects(const std::string& name) {
  std::ifstream file(FATHOM_SOURCE_DIR "/tests/run/" + name);
  std::vector<Defect> defects;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::size_t mark = std::min(line.find("> "), line.size());
    const std::string text = unescaped(line.substr(std::min<std::size_t>(2, line.size())));
    if (line[0] == '-') {
      defects.back().from = text;
    } else if (line[0] == '+') {
      defects.back().to = text;
    } else {
      if (mark > 0) defects.push_back({line.substr(0, line.find(' ')), "", "", {}});
      std::string rest = unescaped(line.substr(std::min(mark + 2, line.size())));
      if (!rest.empty() && std::isdigit(static_cast<unsigned char>(rest[0])) != 0) rest.insert(0, "bad.yaml:");
      for (std::size_t bar = 0; (bar = rest.find(" | ")) != std::string::npos; rest.erase(0, bar + 3)) {
        defects.back().message.push_back(rest.substr(0, bar));
      }
      if (!rest.empty()) defects.back().message.push_back(rest);
    }
  }
  if (defects.empty()) throw std::runtime_error(name + " has no defects");
  for (const Defect& d : defects) {
    if (d.from.empty() || d.message.empty()) throw std::runtime_error(name + ": " + d.name + " is not whole");
  }
  return defects;
}

/// The scene with the defect is refused in one line that names the place once, and nothing is written.
inline void expect_refused(const Defect& defect, const std::string& scene = kScene) {
  const TemporaryFolder folder;
  folder.write("empty.obj", "");
  folder.write("bad_index.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n");
  folder.write("flat.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n");
  folder.write("back.tum", "1 0 0 0 0 0 0 1\n0.5 0 0 0 0 0 0 1\n");
  folder.write("no_rays.csv", "ox,oy,oz,dx,dy,dz\n");
  const auto file = folder.write("bad.yaml", replaced(scene, defect.from == "(all)" ? scene : defect.from, defect.to));
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
      EXPECT_TRUE(contains(message, part));
    }
    const std::size_t place = message.find("bad.yaml:");
    EXPECT_EQ(message.find("bad.yaml:", place + 1), std::string::npos) << message;
  }
  EXPECT_FALSE(std::filesystem::exists(options.out));
}

}  // namespace fathom::test
