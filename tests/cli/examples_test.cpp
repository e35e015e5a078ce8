// SPDX-License-Identifier: MIT
// Every example of every --help page runs exactly as printed.

#include <fathom/ros/publish.hpp>

#include "beam_files.hpp"

namespace cli_test {
namespace {

/// The first words of the lines under "Subcommands:".
Words commands_in(const std::string& page) {
  Words commands;
  std::istringstream lines(page.substr(std::min(page.size(), page.find("\nSubcommands:\n"))));
  std::string line;
  std::getline(lines, line), std::getline(lines, line);
  while (std::getline(lines, line) && line.rfind("  ", 0) == 0) {
    commands.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  return commands;
}

/// Lines of two blanks and "fathom", with the lines indented more that follow.
void collect_examples(const std::string& page, Words& examples) {
  std::istringstream lines(page);
  bool in_example = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("  fathom ", 0) == 0) {
      examples.push_back(line.substr(9));
      in_example = true;
    } else if (in_example && line.rfind("      ", 0) == 0) {
      examples.back() += line.substr(5);
    } else {
      in_example = false;
    }
  }
}

/// The examples of a page and of those below it.
Words examples_of(const Words& command) {
  Words words = command;
  words.emplace_back("--help");
  const std::string page = run_fathom(words).out;
  Words examples;
  collect_examples(page, examples);
  EXPECT_FALSE(examples.empty()) << page;
  for (const std::string& child : commands_in(page)) {
    words = command;
    words.push_back(child);
    const auto more = examples_of(words);
    examples.insert(examples.end(), more.begin(), more.end());
  }
  return examples;
}

/// A scene of examples/, and what makes it smaller.
struct SmallerScene {
  const char* file;
  std::vector<std::pair<std::string, std::string>> changes;
};

const std::vector<SmallerScene>& smaller_scenes() {
  static const std::vector<SmallerScene> scenes = {
      {"house/house.yaml",
       {{"frames: 10 ", "frames: 3 "},
        {"columns: 2048 ", "columns: 128 "},
        {"width: 640\n    height: 480\n", "width: 160\n    height: 120\n"}}},
      {"06_stereo/stereo.yaml", {{"width: 640 ", "width: 320 "}, {"height: 360\n", "height: 180\n"}}},
      {"12_table_top/table_top.yaml", {{"preset: D435\n", "preset: D435\n    width: 320\n    height: 180\n"}}}};
  return scenes;
}

/// Links to everything in examples/, with smaller scenes for the slow ones.
void make_examples(const std::filesystem::path& folder) {
  for (const auto& example : std::filesystem::directory_iterator(FATHOM_SOURCE_DIR "/examples")) {
    if (!example.is_directory()) continue;
    std::filesystem::create_directories(folder / example.path().filename());
    for (const auto& entry : std::filesystem::directory_iterator(example.path())) {
      std::filesystem::create_symlink(entry.path(), folder / example.path().filename() / entry.path().filename());
    }
  }
  for (const SmallerScene& scene : smaller_scenes()) {
    const std::filesystem::path file = folder / scene.file;
    std::string text = bytes_of(file);
    for (const auto& [from, to] : scene.changes) text = replaced(text, from, to);
    ASSERT_NE(text, "") << scene.file;
    std::filesystem::remove(file);
    write_text(file, text);
  }
}

class Examples : public Beam {
 protected:
  /// What the examples name: an office, a log of it, measured pairs and poses, and the examples of the project.
  void SetUp() override {
    Beam::SetUp();
    ASSERT_NO_FATAL_FAILURE(make_examples(files_ / "examples"));
    write_text(files_ / "office.yaml", room_yaml());
    const Ended log =
        run_fathom({"beam", "sample", "--parameters", files_.parameters(), "--map", files_.map(), "--poses",
                    write_text(files_ / "many.csv", poses_csv(130)), "--out", files_ / "office.log.gz"});
    for (const char* day : {"monday.log.gz", "tuesday.log.gz"}) {
      std::filesystem::copy_file(files_ / "office.log.gz", files_ / day);
    }
    ASSERT_EQ(log.exit_code, 0) << log.err;
    const Ended drive =
        succeed({"simulate", FATHOM_SOURCE_DIR "/examples/11_drive_bag/drive.yaml", "--frames", "40", "--out",
                 files_ / "drive", "--bag", files_ / "drive.mcap", "--set", "sensors.laser.outputs=[pcd]", "--quiet"});
    for (const char* number : {"0", "1"}) {
      std::filesystem::copy_file(files_ / "drive/laser/cloud_00000" + number + ".pcd",
                                 files_ / "scan_" + number + ".pcd");
    }
    const Ended camera = succeed({"simulate", files_ / "examples/12_table_top/table_top.yaml", "--frames", "1", "--out",
                                  files_ / "table", "--quiet"});
    std::filesystem::rename(files_ / "table/camera", files_ / "mycamera");
    std::filesystem::copy(files_ / "mycamera", files_ / "renders");
    write_text(files_ / "expected.csv", "expected_m\n2\n5\ninf\n");
    std::string pairs = "range_m,expected_m\n", pixels = "energy,lost\n";
    for (int i = 0; i < 400; ++i) {
      const double expected_m = 1.0 + 0.02 * i;
      pairs += std::to_string(expected_m + 0.01 * ((i * 7) % 11 - 5)) + "," + std::to_string(expected_m) + "\n";
      pixels += std::to_string(i / 400.0) + (i * 7 % 400 < 300 - i ? ",1\n" : ",0\n");
    }
    write_text(files_ / "pairs.csv", pairs);
    write_text(files_ / "readings.csv", pairs);
    write_text(files_ / "pixels.csv", pixels);
  }
};

bool is_live(const std::string& example) { return example.starts_with("serve ") || example.starts_with("view "); }

bool publishes(const std::string& example) {
  return example.starts_with("publish ") || example.find(" --publish ") != std::string::npos;
}

/// Examples that run until Ctrl-C: as a command that gets it after a second. Empty for all others.
std::string stopped(const std::string& example) {
  const bool serves = is_live(example);
  if (!serves && !publishes(example)) return {};
  return "timeout --preserve-status -s INT 1 \"$FATHOM\" " + example + (serves ? " --port 0" : "");
}

TEST_F(Examples, OfEveryPageRun) {
  std::set<std::string> done;
  for (const std::string& example : examples_of({})) {
    if (!done.insert(example).second) continue;
    const std::string until_stopped = stopped(example);
    const bool is_there = is_live(example) || fathom::has_topics();
    if (!until_stopped.empty() && !is_there) continue;
    const std::string command = until_stopped.empty() ? "\"$FATHOM\" " + example : until_stopped;
    const int code = run_shell(command + " > said 2>&1", std::filesystem::path(files_.map()).parent_path());
    // A program that has not ended a second after Ctrl-C ends with 130: what it waits for may be slow under load.
    EXPECT_TRUE(code == 0 || (code == 130 && !until_stopped.empty())) << code << ": fathom " << example << "\n"
                                                                      << bytes_of(files_ / "said");
  }
  EXPECT_GT(done.size(), 15U);
}

}  // namespace
}  // namespace cli_test
