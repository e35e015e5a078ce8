// SPDX-License-Identifier: MIT
// `fathom check`, `fathom outputs`, `fathom channels`: what they say is what the library knows, and nothing is written.

#include <fathom/frame/frame.hpp>
#include <fathom/simulate/output.hpp>

#include "process.hpp"

namespace cli_test {
namespace {

class Check : public testing::Test {
 protected:
  TemporaryFolder folder_;
  std::string scene_ = write_text(folder_ / "room.yaml", room_scene());
};

TEST_F(Check, SaysWhatARunWouldDoAndWritesNothing) {
  const Ended text = succeed({"check", scene_, "--frames", "1"});
  for (const char* part : {"1 entity", "1 mesh", "12 triangles", "VLP-16", "16 x 1808", "28 928", "1 frame in 5 files",
                           "lidar/cloud_000000.pcd", "of memory"}) {
    EXPECT_TRUE(contains(text.out, part)) << part << "\n" << text.out;
  }
  const json plan = json::parse(run_fathom({"check", scene_, "--json", "--set", "sensors.lidar.columns=100"}).out);
  EXPECT_EQ(plan["frames"], 2);
  EXPECT_EQ(plan["files"], 9);
  EXPECT_EQ(plan["sensors"][0]["rays_per_frame"], 1600);
  EXPECT_EQ(plan["sensors"][0]["preset"], "VLP-16");
  EXPECT_EQ(files_below(folder_.path()).size(), 1U);
}

TEST_F(Check, CountsWhatIsDrawn) {
  EXPECT_TRUE(contains(run_fathom({"check", scene_}).out, "12 triangles\n"));
  const std::string range = "sensors.lidar.start_azimuth_deg={uniform: [0, 5]}";
  EXPECT_TRUE(contains(run_fathom({"check", scene_, "--set", range}).out, "12 triangles, 1 range\n"));
  EXPECT_EQ(json::parse(run_fathom({"check", scene_, "--json", "--set", range}).out)["ranges"], 1);
}

TEST_F(Check, RefusesWhatARunWouldRefuse) {
  EXPECT_EQ(run_fathom({"check", folder_ / "missing.yaml"}).exit_code, 2);
  EXPECT_TRUE(contains(refusal_of(run_fathom({"check", scene_, "--set", "sensors.lidar.colums=3"})), "columns"));
  const Ended quiet = succeed({"check", scene_, "--quiet"});
  EXPECT_EQ(quiet.out + quiet.err, "");
}

TEST_F(Check, WarnsOfWhatARobotHoldsThatIsNotRead) {
  static_cast<void>(
      write_text(folder_ / "r.urdf",
                 "<robot name='r'><gazebo/><link name='a'><visual><geometry><box size='1 1 1'/></geometry>"
                 "</visual></link></robot>"));
  const std::string scene = write_text(folder_ / "robot.yaml",
                                       "sensors: [{name: laser, preset: RPLIDAR-A2, position_m: [3, 0, 0]}]\n"
                                       "scene: {from: r.urdf}\n");
  const Ended text = run_fathom({"check", scene});
#ifndef FATHOM_URDF
  EXPECT_EQ(text.exit_code, 2);
  EXPECT_TRUE(contains(text.err, "is URDF, and this build of fathom has no urdfdom"));
  return;
#endif
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_EQ(text.err, "fathom: warning: r.urdf: not read: 1 <gazebo>\n");
  const json plan = json::parse(run_fathom({"check", scene, "--json"}).out);
  EXPECT_EQ(plan["warnings"], json::array({"r.urdf: not read: 1 <gazebo>"}));
  const Ended run = succeed({"simulate", scene, "--out", folder_ / "out"});
  EXPECT_TRUE(contains(run.err, "fathom: warning: r.urdf: not read: 1 <gazebo>\n"));
  const Ended many = succeed({"simulate", scene, "--out", folder_ / "many", "--frames", "1", "--episodes", "0:3"});
  const std::size_t said = many.err.find("fathom: warning: r.urdf: not read: 1 <gazebo>\n");
  EXPECT_NE(said, std::string::npos) << many.err;
  EXPECT_EQ(many.err.find("not read", said + 40), std::string::npos) << "once for all runs:\n" << many.err;
}

TEST_F(Check, RefusesAsManyRunsAsSimulateDoes) {
  for (const char* command : {"check", "simulate"}) {
    Words words = {command, scene_, "--frames", "9", "--environments", "0:4000000000", "--episodes", "0:4000000000"};
    if (std::string_view(command) == "simulate") words.insert(words.end(), {"--out", folder_ / "out"});
    EXPECT_TRUE(contains(refusal_of(run_fathom(words)),
                         "4000000000 environments of 4000000000 episodes of 1 blocks are more than 1000000000 units"));
  }
}

TEST(OutputLists, HoldEveryOutputKeyAndChannel) {
  const std::string outputs = run_fathom({"outputs"}).out, channels = run_fathom({"channels"}).out;
  const json all = json::parse(run_fathom({"outputs", "--json"}).out);
  ASSERT_EQ(all.size(), fathom::output_list().size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const fathom::OutputInfo& output = fathom::output_list()[i];
    const std::string word(output.slug);
    EXPECT_TRUE(contains(outputs, word + " ")) << word;
    EXPECT_EQ(all[i]["word"], word);
    EXPECT_EQ(json::parse(run_fathom({"outputs", word, "--json"}).out), all[i]);
    const std::string one = run_fathom({"outputs", word}).out;
    for (const fathom::FieldInfo& option : output.options) {
      EXPECT_TRUE(contains(one, std::string(option.name) + " "));
    }
  }
  const json list = json::parse(run_fathom({"channels", "--json"}).out);
  ASSERT_EQ(list.size(), fathom::channel_list().size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    EXPECT_EQ(list[i]["name"], fathom::channel_list()[i].name());
    EXPECT_EQ(list[i]["unit"], fathom::channel_list()[i].unit);
    EXPECT_TRUE(contains(channels, list[i]["name"].get<std::string>() + " "));
  }
  EXPECT_TRUE(contains(run_fathom({"outputs", "rangeimage"}).out, "range_image:"));
  EXPECT_TRUE(contains(run_fathom({"outputs", "pdc"}).err, "nearest: pcd"));
  EXPECT_TRUE(contains(run_fathom({"channels", "rnage"}).err, "nearest: range"));
}

}  // namespace
}  // namespace cli_test
