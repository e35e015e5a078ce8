// SPDX-License-Identifier: MIT
// What README.md and docs/simulate-a-lidar.md show works as shown.

#include "process.hpp"

namespace cli_test {
namespace {

/// The first scene file that a page shows.
std::string scene_of(const char* name) {
  const std::string page = bytes_of(std::filesystem::path(FATHOM_SOURCE_DIR) / name), fence = "```yaml\n";
  const std::size_t begin = page.find(fence), end = page.find("```", begin + fence.size());
  EXPECT_NE(end, std::string::npos) << name;
  return page.substr(begin + fence.size(), end - begin - fence.size());
}

TEST(Readme, SceneOfTheFirstScreenRunsAndIsShort) {
  const TemporaryFolder folder;
  const std::string text = scene_of("README.md");
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 12);
  succeed({"simulate", write_text(folder / "room.yaml", text), "--out", folder / "room"});
  EXPECT_EQ(files_below(folder / "room/lidar").size(), 30U);
}

/// The table of optional features: its second column by its first.
std::map<std::string, std::string> optional_features() {
  std::istringstream readme(bytes_of(std::filesystem::path(FATHOM_SOURCE_DIR) / "README.md"));
  std::map<std::string, std::string> features;
  bool is_there = false;
  for (std::string line; std::getline(readme, line);) {
    is_there = line == "|---|---|" || (is_there && line.starts_with("| "));
    const std::size_t bar = line.find(" | ");
    if (is_there && bar != std::string::npos) features[line.substr(2, bar - 2)] = line.substr(bar + 3);
  }
  return features;
}

TEST(Readme, FeaturesHaveTheirPackages) {
  const std::string packages = "\n" + bytes_of(std::filesystem::path(FATHOM_SOURCE_DIR) / "packages.txt");
  EXPECT_TRUE(contains(packages, "\nbuild: liburdfdom-dev\n")) << "quickstart has robots from URDF";
  std::size_t optional = 0;
  for (const auto& [feature, how] : optional_features()) {
    if (how.find("quickstart") != std::string::npos) continue;
    std::istringstream names(how.substr(0, how.find(" |")));
    for (std::string name; names >> name; ++optional) {
      std::erase(name, '`');
      EXPECT_TRUE(contains(packages, ": " + name + "\n")) << feature << ": " << name;
    }
  }
  EXPECT_GE(optional, 5U);
}

TEST(Readme, HasFiveHundredWordsAtMost) {
  std::istringstream words(bytes_of(std::filesystem::path(FATHOM_SOURCE_DIR) / "README.md"));
  EXPECT_LE(std::distance(std::istream_iterator<std::string>(words), {}), 500);
}

TEST(Readme, SceneOfTheTourRuns) {
  const TemporaryFolder folder;
  const std::string scene = write_text(folder / "room.yaml", scene_of("docs/simulate-a-lidar.md"));
  succeed({"simulate", scene, "--out", folder / "room"});
  EXPECT_EQ(files_below(folder / "room/lidar").size(), 30U);
  succeed(
      {"simulate", scene, "--out", folder / "room", "--force", "--set", "sensors.lidar.noise.distance.stddev_m=0.2"});
}

TEST(Readme, LinksLeadSomewhere) {
  const std::filesystem::path root(FATHOM_SOURCE_DIR);
  for (const char* page : {"README.md", "SECURITY.md", "docs/tour.md"}) {
    const std::string text = bytes_of(root / page);
    for (std::size_t at = text.find("]("); at != std::string::npos; at = text.find("](", at + 1)) {
      const std::string link = text.substr(at + 2, text.find(')', at) - at - 2),
                        target = link.substr(0, link.find('#'));
      if (target.find(':') != std::string::npos) continue;
      EXPECT_TRUE(std::filesystem::exists((root / page).parent_path() / target)) << page << " links to " << target;
    }
  }
}

TEST(Readme, AllPagesCallTheProgramByOneName) {
  const std::filesystem::path root(FATHOM_SOURCE_DIR);
  const std::string readme = bytes_of(root / "README.md");
  EXPECT_TRUE(contains(readme, "export PATH=$PWD/build/release/bin:$PATH"));
  EXPECT_FALSE(contains(readme, "build/release/bin/fathom simulate"));
  for (const auto& file : files_below(root / "examples")) {
    if (file.extension() != ".md" && file.extension() != ".yaml") continue;
    EXPECT_FALSE(contains(bytes_of(file), "release/bin/fathom")) << file;
  }
}

TEST(Readme, ExamplesAreNumberedAndSayWhatTheyShow) {
  Words numbers;
  for (const auto& entry : std::filesystem::directory_iterator(FATHOM_SOURCE_DIR "/examples")) {
    if (!entry.is_directory()) continue;
    EXPECT_TRUE(std::filesystem::exists(entry.path() / "README.md")) << entry.path();
    const std::string name = entry.path().filename();
    if (name == "house" || name == "mujoco") continue;  // data, and a name that its users look for
    EXPECT_TRUE(name.size() > 3 && std::isdigit(name[0]) != 0 && std::isdigit(name[1]) != 0 && name[2] == '_') << name;
    numbers.push_back(name.substr(0, 2));
  }
  std::sort(numbers.begin(), numbers.end());
  EXPECT_EQ(std::adjacent_find(numbers.begin(), numbers.end()), numbers.end()) << "two examples have one number";
  EXPECT_GE(numbers.size(), 7U);
}

TEST(Readme, TheBeamExampleRunsTwiceAndTakesASeed) {
  const TemporaryFolder folder;
  // BeamLoop runs it in full. Here a program that stops early stands for fathom.
  write_text(folder / "few",
             "#!/bin/sh\n[ \"$1\" != simulate ] || set -- \"$@\" --frames 160\nexec '" FATHOM_CLI "' \"$@\"\n");
  std::filesystem::permissions(folder / "few", std::filesystem::perms::owner_all);
  const std::string script =
      FATHOM_SOURCE_DIR "/examples/07_beam_loop/run.sh out --headings 8 --spacing 1 > /dev/null 2>&1";
  ASSERT_EQ(run_shell("export FATHOM=./few; " + script, folder.path()), 0);
  const std::string first = bytes_of(folder / "out/run/laser/scans.csv");
  ASSERT_EQ(run_shell("export FATHOM=./few; " + script, folder.path()), 0);
  EXPECT_TRUE(bytes_of(folder / "out/run/laser/scans.csv") == first);
  ASSERT_EQ(run_shell("export FATHOM=./few SEED=2; " + script, folder.path()), 0);
  EXPECT_FALSE(bytes_of(folder / "out/run/laser/scans.csv") == first);
}

}  // namespace
}  // namespace cli_test
