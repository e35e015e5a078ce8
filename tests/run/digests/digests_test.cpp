// SPDX-License-Identifier: MIT
// The law of the same bits everywhere: the frames of the shipped examples, and of a scene with features that these
// lack, have the committed digests on every computer. After an intended change of frames, make digests.txt again by the
// command in its first line. If this test fails without such a change, frames differ on this computer.

#include <fathom/frame/digest.hpp>

#include "run/prepare_run.hpp"
#include "run/scene_fixture.hpp"
#include "support/casters.hpp"

namespace fathom {
namespace {

const std::string kSource = FATHOM_SOURCE_DIR;
constexpr std::uint32_t kFrames = 2;

struct SceneDigests {
  std::string scene;
  std::vector<std::string> sensors;  ///< "lidar ced5d5ad4ecf9d55"
};

std::vector<SceneDigests> read_digests() {
  std::ifstream file(kSource + "/tests/run/digests.txt");
  std::vector<SceneDigests> scenes;
  std::string line;
  std::getline(file, line);  // the command
  while (std::getline(file, line)) {
    if (line.ends_with(".yaml")) {
      scenes.push_back({line, {}});
    } else {
      scenes.back().sensors.push_back(line);
    }
  }
  return scenes;
}

/// The digests that a run would print, without its files.
std::vector<std::string> digests_of(const SceneSetup& setup, const Compute& compute) {
  RunOptions options;
  options.frames = kFrames;
  options.compute = compute;
  PreparedRun run = prepare_run(setup, options);
  std::vector<std::string> lines;
  for (const RunSensor& sensor : run.sensors) {
    FrameDigest digest;
    Frame frame(sensor.channels);
    for (std::uint32_t k = 0; k < kFrames; ++k) {
      run.simulator.render(sensor.id, k, frame);
      digest.add(frame);
    }
    lines.push_back(run.simulator.sensor(sensor.id).name + " " + digest.text());
  }
  return lines;
}

// With several threads on every instruction set, and with one on the last.
TEST(Digests, OfExamplesAreTheSameOnEveryComputer) {
  const std::vector<SceneDigests> scenes = read_digests();
  ASSERT_EQ(scenes.size(), 15U);
  for (const SceneDigests& wanted : scenes) {
    const SceneSetup setup = read_scene_file(kSource + "/" + wanted.scene);
    for (const Isa isa : test::usable_isas()) {
      for (const int threads : {1, 4}) {
        if (threads == 1 && isa != test::usable_isas().back()) continue;
        EXPECT_EQ(digests_of(setup, {.threads = threads, .isa = isa}), wanted.sensors)
            << wanted.scene << ", " << to_string(isa) << ", threads: " << threads;
      }
    }
  }
}

// The test simulate_other_libm runs these tests with other_libm.cpp.
TEST(Digests, MeetTheCLibraryThatTheyAreToldOf) {
  volatile const double zero = 0.0;
  EXPECT_EQ(std::cos(zero) != 1.0, std::getenv("FATHOM_OTHER_LIBM") != nullptr);
}

TEST(Digests, AreThoseOfARun) {
  const SceneDigests wanted = read_digests().at(1);
  const test::TemporaryFolder folder;
  RunOptions options;
  options.out = folder / "out";
  options.frames = kFrames;
  options.digest = true;
  const RunResult result = run_scene(read_scene_file(kSource + "/" + wanted.scene), options);
  std::vector<std::string> lines;
  for (const RunResult::Sensor& sensor : result.sensors) lines.push_back(sensor.name + " " + sensor.digest);
  EXPECT_EQ(lines, wanted.sensors);
}

TEST(Digests, AreMadeOnRequestOnly) {
  for (const bool asked : {false, true}) {
    const test::TemporaryFolder folder;
    RunOptions options;
    options.out = folder / "out";
    options.digest = asked;
    const RunResult result = run_scene(read_scene_text(test::kScene, "scene.yaml", {}), options);
    const std::string summary = test::bytes_of(folder / "out/summary.json");
    for (const RunResult::Sensor& sensor : result.sensors) {
      EXPECT_EQ(sensor.digest.size(), asked ? 16U : 0U);
      EXPECT_EQ(summary.find("\"digest\": \"" + sensor.digest + "\"") != std::string::npos, asked) << summary;
    }
  }
}

}  // namespace
}  // namespace fathom
