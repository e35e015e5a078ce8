// SPDX-License-Identifier: MIT
#include "io/world/robot_fixture.hpp"

namespace fathom::test {
namespace {

class Urdf : public RobotFixture {
 protected:
  void SetUp() override {
    if (!kHasUrdf) GTEST_SKIP() << "this build has no urdfdom";
    RobotFixture::SetUp();
  }
  void TearDown() override {
    if (kHasUrdf) RobotFixture::TearDown();
  }
};

/// Two links of 1 m and 0.5 m in a plane, and a tool without shape at the end.
const std::string kArm = R"(<?xml version="1.0"?>
<robot name="arm">
  <link name="base"><visual><geometry><box size="0.2 0.2 0.1"/></geometry></visual>
    <collision><geometry><sphere radius="0.3"/></geometry></collision></link>
  <link name="upper"><visual><origin xyz="0.5 0 0"/><geometry><box size="1 0.1 0.1"/></geometry></visual></link>
  <link name="lower"><visual><geometry><cylinder radius="0.1" length="0.5"/></geometry></visual></link>
  <link name="tool"/>
  <joint name="shoulder" type="revolute"><origin xyz="0 0 0.2"/><parent link="base"/><child link="upper"/>
    <axis xyz="0 0 2"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
  <joint name="elbow" type="continuous"><origin xyz="1 0 0"/><parent link="upper"/><child link="lower"/>
    <axis xyz="0 0 1"/></joint>
  <joint name="flange" type="fixed"><origin xyz="0.5 0 0" rpy="0 0 1.5707963267948966"/><parent link="lower"/>
    <child link="tool"/></joint>
</robot>
)";

std::string changed(const std::string& from, const std::string& to) {
  std::string text = kArm;
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("no '" + from + "'");
  return text.replace(at, from.size(), to);
}

TEST_F(Urdf, TwoLinksFollowTheirClosedForm) {
  const Robot robot = read_robot(write("arm.urdf", kArm));
  EXPECT_EQ(robot.name, "arm");
  ASSERT_EQ(robot.links.size(), 4U);
  EXPECT_TRUE(robot.notes.empty());
  for (const double a : {-2.0, -0.7, 0.0, 1.3}) {
    for (const double b : {-5.0, 0.0, 0.4, 2.0}) {
      const JointPositions joints = {{"shoulder", a}, {"elbow", b}};
      const Vec3 elbow = {std::cos(a), std::sin(a), 0.2};
      expect_pose(link_pose(robot, "lower", joints), {elbow, from_roll_pitch_yaw(0, 0, a + b)});
      expect_pose(link_pose(robot, "tool", joints), {elbow + 0.5 * Vec3{std::cos(a + b), std::sin(a + b), 0},
                                                     from_roll_pitch_yaw(0, 0, a + b + std::numbers::pi / 2)});
    }
  }
  EXPECT_EQ(input_error([&] {
              link_pose(robot, "tool", {{"shoulder", 2.5}});
            }),
            "joint 'shoulder' = 2.5 is not in [-2, 2] rad");
}

TEST_F(Urdf, ShapesStandWhereTheyAreInTheirLinks) {
  const Robot robot = read_robot(write("arm.urdf", kArm));
  const Robot::Link& upper = robot.links[link_index(robot, "upper")];
  ASSERT_TRUE(upper.mesh);
  float low = 9, high = -9;
  for (const auto& v : robot.meshes[*upper.mesh].vertices_m) low = std::min(low, v[0]), high = std::max(high, v[0]);
  EXPECT_FLOAT_EQ(low, 0);
  EXPECT_FLOAT_EQ(high, 1);
  EXPECT_FALSE(robot.links[link_index(robot, "tool")].mesh);
}

TEST_F(Urdf, VisualAndCollisionAreTwoRobots) {
  const auto file = write("arm.urdf", kArm);
  const Robot seen = read_robot(file), solid = read_robot(file, {.geometry = RobotFileOptions::Geometry::kCollision});
  EXPECT_EQ(seen.meshes.size(), 3U);
  ASSERT_EQ(solid.meshes.size(), 1U);
  EXPECT_EQ(solid.meshes[0].vertices_m, make_sphere(0.3).vertices_m);
  EXPECT_TRUE(solid.links[0].mesh);
  EXPECT_FALSE(solid.links[1].mesh);
}

std::string with_mesh(const std::string& uri, const std::string& more = "") {
  return "<robot name='r'><link name='a'><visual><geometry><mesh filename='" + uri + "' " + more +
         "/></geometry></visual></link></robot>";
}

TEST_F(Urdf, MeshesAreFoundInPackages) {
  write("ws/src/my_robot/package.xml", "<package><name>my_robot</name></package>");
  write("ws/src/my_robot/meshes/part.stl", kStl);
  const auto file = write("ws/src/my_robot/urdf/r.urdf", with_mesh("package://my_robot/meshes/part.stl"));
  const Robot robot = read_robot(file);
  ASSERT_EQ(robot.meshes.size(), 1U);
  EXPECT_EQ(robot.meshes[0].triangles.size(), 4U);
  ASSERT_EQ(robot.files.size(), 2U);
  EXPECT_EQ(robot.files[1].filename(), "part.stl");
  write("ws/src/other/package.xml", "<package><name>other</name></package>");
  const auto beside = write("ws/src/other/urdf/r.urdf", with_mesh("package://my_robot/meshes/part.stl"));
  EXPECT_EQ(read_robot(beside).meshes.size(), 1U) << "a neighbour of the package that the file lies in";

  const std::string elsewhere = with_mesh("package://my_robot/meshes/part.stl");
  EXPECT_EQ(
      refusal("r.urdf", elsewhere),
      "r.urdf:1:50: <mesh>: 'package://my_robot/meshes/part.stl': the package 'my_robot' is not found; say where it "
      "is (packages, search_paths)");
  EXPECT_EQ(refusal("r.urdf", elsewhere, {.packages = {{"my_robot", folder_ / "ws/src/my_robot"}}}), "");
  EXPECT_EQ(refusal("r.urdf", elsewhere, {.search_paths = {folder_ / "ws", folder_ / "ws/src"}}), "");
  EXPECT_EQ(refusal("r.urdf", elsewhere, {.packages = {{"my_robot", folder_ / "ws"}}}),
            "r.urdf:1:50: <mesh>: 'package://my_robot/meshes/part.stl': no such file: ws/meshes/part.stl");
  EXPECT_EQ(refusal("ws/r.urdf", with_mesh("src/my_robot/meshes/part.stl")), "");
  EXPECT_EQ(refusal("r.urdf", with_mesh("file://" + (folder_ / "ws/src/my_robot/meshes/part.stl").string())), "");
  EXPECT_EQ(refusal("r.urdf", with_mesh("part.stl")), "r.urdf:1:50: <mesh>: 'part.stl': no such file: part.stl");
  EXPECT_EQ(
      refusal("r.urdf", with_mesh("https://example.org/part.stl")),
      "r.urdf:1:50: <mesh>: 'https://example.org/part.stl' is no file of this computer; fetch it and name the copy");
}

TEST_F(Urdf, MeshesFarFromTheirLinkKeepAnOrigin) {
  write("far.obj", "v 512743.125 5403547.5 0\nv 512744.125 5403547.5 0\nv 512743.125 5403549.5 0\nf 1 2 3\n");
  const Robot robot =
      read_robot(write("r.urdf",
                       "<robot name='r'><link name='a'><visual><origin xyz='-0.125 0 1'/><geometry>"
                       "<mesh filename='far.obj' scale='1 0.5 2'/></geometry></visual><visual><geometry>"
                       "<mesh filename='far.obj' scale='1 0.5 2'/></geometry></visual></link></robot>"));
  ASSERT_EQ(robot.meshes.size(), 1U);
  const Mesh& mesh = robot.meshes[0];
  ASSERT_EQ(mesh.vertices_m.size(), 6U);
  EXPECT_GT(norm(mesh.origin_m), 2e6);
  const std::vector<Vec3> due = {{512743, 2701773.75, 1},     {512744, 2701773.75, 1},     {512743, 2701774.75, 1},
                                 {512743.125, 2701773.75, 0}, {512744.125, 2701773.75, 0}, {512743.125, 2701774.75, 0}};
  for (std::size_t i = 0; i < due.size(); ++i) {
    const auto& v = mesh.vertices_m[i];
    EXPECT_LT(norm(mesh.origin_m + Vec3{v[0], v[1], v[2]} - due[i]), 1e-6) << i;
  }
}

// The folder of a package may have another name than its package.xml says.
TEST_F(Urdf, PackagesHaveTheNamesThatTheirManifestsSay) {
  write("ws/robot-description/package.xml", "<package><name>robot_description</name></package>");
  write("ws/robot-description/meshes/part.stl", kStl);
  const std::string text = with_mesh("package://robot_description/meshes/part.stl");
  EXPECT_EQ(refusal("ws/robot-description/urdf/r.urdf", text), "");
  EXPECT_EQ(refusal("ws/robot-description/urdf/r.urdf", with_mesh("package:///meshes/part.stl")), "");
  EXPECT_TRUE(contains(refusal("r.urdf", text), "the package 'robot_description' is not found"));
  EXPECT_EQ(refusal("r.urdf", text, {.search_paths = {folder_ / "ws"}}), "");
  EXPECT_EQ(refusal("r.urdf", text, {.search_paths = {folder_ / "ws/robot-description"}}), "");
  write("ws/robot-description/package.xml", "<package><name>robot_desc");
  EXPECT_TRUE(contains(refusal("ws/robot-description/urdf/r.urdf", text), "is not found"));
}

// A file of a stranger opens what lies in its package or its folder, and in what its user names.
TEST_F(Urdf, OpensNothingOutsideOfItsFolders) {
  write("secret/part.stl", kStl);
  write("robot/meshes/part.stl", kStl);
  write("robot/package.xml", "<package><name>robot</name></package>");
  const auto out = [&](const std::string& uri, const RobotFileOptions& options = {}) {
    return refusal("robot/urdf/r.urdf", with_mesh(uri), options);
  };
  const std::string leads = " leads out of robot; name a folder that holds it (search_paths)";
  EXPECT_EQ(out("../meshes/part.stl"), "") << "its package";
  EXPECT_EQ(out("../../secret/part.stl"), "robot/urdf/r.urdf:1:50: <mesh>: '../../secret/part.stl'" + leads);
  EXPECT_TRUE(contains(out("../../secret/gone.stl"), leads)) << "whether it is there is not told";
  EXPECT_TRUE(contains(out((folder_ / "secret/part.stl").string()), "leads out"));
  EXPECT_TRUE(contains(out("file://" + (folder_ / "secret/part.stl").string()), "leads out"));
  EXPECT_TRUE(contains(out("package://robot/../secret/part.stl"), "leads out"));
  EXPECT_TRUE(contains(out("package://../secret/part.stl"), "names no package"));
  EXPECT_TRUE(contains(out("package://secret/part.stl"), "is not found"));
  EXPECT_TRUE(contains(out("package:///../secret/part.stl"), "leads out"));
  EXPECT_EQ(out("../../secret/part.stl", {.search_paths = {folder_ / "secret"}}), "");
  EXPECT_EQ(out("package://secret/part.stl", {.search_paths = {folder_.path()}}), "");
  std::filesystem::create_symlink(folder_ / "secret/part.stl", folder_ / "robot/urdf/link.stl");
  std::filesystem::create_symlink(folder_ / "robot/meshes/part.stl", folder_ / "robot/urdf/own.stl");
  EXPECT_TRUE(contains(out("link.stl"), "leads out"));
  EXPECT_EQ(out("own.stl"), "");
}

TEST_F(Urdf, MeshesThatAreMissingCanBeLeftOut) {
  const auto file =
      write("r.urdf",
            "<robot name='r'><link name='a'><visual><geometry><mesh filename='gone.stl'/></geometry></visual>"
            "\n<visual><geometry><mesh filename='package://none/b.stl'/></geometry></visual>"
            "<visual><geometry><box size='1 1 1'/></geometry></visual></link></robot>");
  EXPECT_TRUE(contains(input_error([&] { read_robot(file); }), "no such file"));
  const Robot robot = read_robot(file, {.missing = RobotFileOptions::MissingMeshes::kSkip});
  ASSERT_EQ(robot.meshes.size(), 1U);
  EXPECT_EQ(robot.meshes[0].triangles.size(), 12U);
  ASSERT_EQ(robot.notes.size(), 2U);
  EXPECT_TRUE(contains(robot.notes[0], "r.urdf:1:50: <mesh>: 'gone.stl': no such file: "));
  EXPECT_TRUE(contains(robot.notes[0], "gone.stl; it is left out"));
  EXPECT_TRUE(contains(robot.notes[1], "r.urdf:2:19: <mesh>: 'package://none/b.stl': the package 'none' is not found"));
  const Robot outside =
      read_robot(write("x.urdf", with_mesh("../gone.stl")), {.missing = RobotFileOptions::MissingMeshes::kSkip});
  ASSERT_EQ(outside.notes.size(), 1U);
  EXPECT_TRUE(contains(outside.notes[0], "leads out of"));
}

TEST_F(Urdf, ShapesOfTheOtherKindAloneAreNoted) {
  const std::string box = "<geometry><box size='1 1 1'/></geometry>";
  const std::string solid = "<robot name='r'><link name='a'><collision>" + box + "</collision></link></robot>";
  const auto file = write("r.urdf", solid);
  EXPECT_EQ(read_robot(file).notes,
            std::vector<std::string>{
                "r.urdf: no link has a visual shape, and 1 has one for collision: give geometry: collision"});
  EXPECT_TRUE(read_robot(file, {.geometry = RobotFileOptions::Geometry::kCollision}).notes.empty());
}

TEST_F(Urdf, AJointThatFollowsNobodyStaysAtZero) {
  const Robot robot =
      read_robot(write("arm.urdf", changed("<axis xyz=\"0 0 1\"/>", "<axis xyz=\"0 0 1\"/><mimic joint='ghost'/>")));
  ASSERT_EQ(robot.notes.size(), 1U);
  EXPECT_TRUE(contains(robot.notes[0], "joint 'elbow' follows joint 'ghost', which is not there"));
  expect_pose(link_pose(robot, "lower"), {{1, 0, 0.2}, {}});
}

// urdfdom knows no lines.
TEST_F(Urdf, ErrorsNameLineAndElement) {
  const auto error = [&](const std::string& from, const std::string& to) {
    return refusal("r.urdf", changed(from, to));
  };
  EXPECT_EQ(error("xyz=\"0 0 0.2\"", "xyz=\"0 0\""), "r.urdf:8:42: <origin>: xyz = '0 0' is not 3 finite numbers");
  EXPECT_EQ(error("0.2 0.2 0.1", "0.2,0.2,0.1"), "r.urdf:3:39: <box>: size = '0.2,0.2,0.1' is not 3 finite numbers");
  EXPECT_EQ(error("<link name=\"tool\"/>", "<link nmae=\"tool\"/>"), "r.urdf:7:3: <link>: has no name");
  EXPECT_EQ(error("name=\"elbow\" ", ""), "r.urdf:10:3: <joint>: has no name");
  EXPECT_EQ(error(" type=\"continuous\"", ""), "r.urdf:10:3: <joint>: has no type");
  EXPECT_EQ(error("<parent link=\"upper\"/>", "<parent/>"), "r.urdf:10:62: <parent>: has no link");
  EXPECT_EQ(error("length=\"0.5\"", ""), "r.urdf:6:40: <cylinder>: has no length");
  const std::string effort = error("effort=\"1\"", "effort=\"much\"");
  EXPECT_EQ(effort.find("r.urdf:9:"), 0U) << effort;
  EXPECT_TRUE(contains(effort, "<limit>: effort = 'much' is not 1 finite number"));
  EXPECT_EQ(error("<link name=\"tool\"/>", "<link name=\"base\"/>").find("r.urdf:7:3: <link>: "), 0U);
  EXPECT_EQ(error("type=\"continuous\"", "type=\"wobbly\"").find("r.urdf:10:3: <joint>: "), 0U);
  write("part.stl", kStl);
  EXPECT_EQ(refusal("r.urdf", with_mesh("part.stl", "scale='2'")),
            "r.urdf:1:50: <mesh>: scale = '2' is not 3 finite numbers");
}

TEST_F(Urdf, MirroredMeshesKeepTheirFacesOutwards) {
  write("part.stl", kStl);
  const auto volume = [&](const std::string& scale) {
    const Robot robot = read_robot(write("r.urdf", with_mesh("part.stl", "scale='" + scale + "'")));
    double sum = 0;
    for (const auto& t : robot.meshes[0].triangles) {
      const auto at = [&](std::size_t k) {
        const auto& v = robot.meshes[0].vertices_m[t[k]];
        return Vec3{v[0], v[1], v[2]};
      };
      sum += dot(at(0), cross(at(1), at(2))) / 6;
    }
    return sum;
  };
  EXPECT_NEAR(volume("1 1 1"), 1.0 / 6, 1e-6);
  EXPECT_NEAR(volume("2 -3 1"), 1, 1e-6);
  EXPECT_NEAR(volume("-0.5 -1 1"), 1.0 / 12, 1e-6);
  EXPECT_EQ(refusal("r.urdf", with_mesh("part.stl", "scale='1 0 1'")),
            "r.urdf: link 'a': scale = 0 is not in [1e-6, 1e6] or its negative");
}

TEST_F(Urdf, LinksOfTheSameShapeShareAMesh) {
  std::string text = "<robot name='r'><link name='a'/>";
  for (const char* name : {"b", "c", "d"}) {
    text +=
        std::string("<link name='") + name + "'><visual><geometry><sphere radius='0.3'/></geometry></visual></link>";
    text += std::string("<joint name='to_") + name + "' type='fixed'><parent link='a'/><child link='" + name +
            "'/></joint>";
  }
  EXPECT_EQ(read_robot(write("r.urdf", text + "</robot>")).meshes.size(), 1U);
}

TEST_F(Urdf, JointsFollowOthers) {
  const Robot robot = read_robot(write(
      "arm.urdf",
      changed("<axis xyz=\"0 0 1\"/>", "<axis xyz=\"0 0 1\"/><mimic joint='shoulder' multiplier='-2' offset='0.1'/>")));
  expect_pose(link_pose(robot, "lower", {{"shoulder", 0.3}}),
              {{std::cos(0.3), std::sin(0.3), 0.2}, from_roll_pitch_yaw(0, 0, 0.3 - 0.6 + 0.1)});
}

TEST_F(Urdf, NamesAllThatItDoesNotRead) {
  write("part.usd", "#usda");
  const Robot robot = read_robot(write("r.urdf", R"(<robot name="r">
    <gazebo/><gazebo reference="a"><sensor type="ray"/></gazebo><transmission name="t"/>
    <link name="a"><inertial><mass value="1"/></inertial><sensor/>
      <visual><geometry><mesh filename="part.usd"/></geometry></visual>
      <visual><geometry><capsule radius="1" length="2"/></geometry></visual>
      <visual><geometry><box size="1 1 1"/></geometry><material name="undefined"/></visual></link></robot>)"));
  EXPECT_EQ(robot.notes, (std::vector<std::string>{"r.urdf: not read: 2 <gazebo>, 1 <sensor>, 1 <transmission>, mesh "
                                                   "part.usd of link 'a', shape <capsule> of link 'a'"}));
  ASSERT_EQ(robot.meshes.size(), 1U);
  EXPECT_EQ(robot.meshes[0].triangles.size(), 12U);
}

TEST_F(Urdf, RefusesWhatIsDamagedInOneLine) {
  EXPECT_EQ(refusal("r.urdf", "<robot name='r'>"), "r.urdf:1:16: not XML: Start-end tags mismatch");
  EXPECT_EQ(refusal("r.urdf", "<robot name='r'/>"), "r.urdf:1:1: <robot>: No link elements found in urdf file");
  EXPECT_EQ(refusal("r.urdf", "<robot name='r' xmlns:xacro='x'><xacro:macro/></robot>"),
            "r.urdf:1:33: <xacro:macro>: is xacro; run 'xacro' on the file and give what it writes");
  EXPECT_EQ(refusal("r.urdf", "<house/>"), "r.urdf:1:1: <house>: is neither URDF (<robot>) nor SDF (<sdf>)");
  EXPECT_EQ(refusal("r.urdf", "<mujoco/>"), "r.urdf:1:1: <mujoco>: is MJCF (MuJoCo), not URDF or SDF");
  EXPECT_TRUE(
      contains(refusal("r.urdf", changed("0.2 0.2 0.1", "0.2 -0.2 0.1")), "r.urdf: link 'base': box.size_m.y = -0.2"));
  EXPECT_TRUE(contains(refusal("r.urdf", changed("0 0 2", "0 0 0")), "joint 'shoulder': its axis is 0 0 0"));
  EXPECT_NE(refusal("r.urdf", changed("0 0 0.2", "0 0 nan")), "");
  EXPECT_NE(refusal("r.urdf", changed("0 0 0.2", "0 0 1e999")), "");
  EXPECT_NE(refusal("r.urdf", changed("0 0 0.2", "0 0 1e300")), "");
  EXPECT_NE(refusal("r.urdf", changed("0 0 0.2", "0 0")), "");
  EXPECT_NE(refusal("r.urdf", changed("<parent link=\"base\"/>", "<parent link=\"nobody\"/>")), "");
  EXPECT_TRUE(contains(refusal("r.urdf", changed("<parent link=\"base\"/>", "<parent link=\"tool\"/>")),
                       "hangs on itself, in a circle of joints"));
  EXPECT_TRUE(contains(refusal("r.urdf", changed("<parent link=\"base\"/>", "<parent link=\"upper\"/>")),
                       "link 'upper' hangs on itself"));
  EXPECT_TRUE(contains(refusal("r.urdf", changed("<child link=\"tool\"/>", "<child link=\"upper\"/>")),
                       "leads to link 'upper', which hangs on another joint"));
  EXPECT_NE(refusal("r.urdf", changed("<link name=\"tool\"/>", "<link name=\"base\"/>")), "") << "twice";
  EXPECT_NE(refusal("r.urdf", changed("<link name=\"tool\"/>", "<link/>")), "");
  EXPECT_NE(refusal("r.urdf", changed("revolute", "wobbly")), "");
  EXPECT_NE(refusal("missing/../r.urdf", kArm), "no") << "only so that the folder is there";
  EXPECT_EQ(input_error([&] { read_robot(folder_ / "none.urdf"); }),
            (folder_ / "none.urdf").string() + ": no such file");
}

TEST_F(Urdf, RefusesBombs) {
  const std::string bomb =
      "<!DOCTYPE robot [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;&a;'>]>" + kArm.substr(kArm.find("<robot"));
  EXPECT_EQ(refusal("r.urdf", bomb), "r.urdf:1:11: a document type with declarations is not understood");
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<link>";
  for (int i = 0; i < 100'000; ++i) deep += "</link>";
  EXPECT_TRUE(contains(refusal("r.urdf", "<robot name='r'>" + deep + "</robot>"), "nested 257 deep, the limit is 256"));
  const auto large = write("r.urdf", kArm);
  std::filesystem::resize_file(large, (std::uintmax_t{1} << 26U) + 1);
  EXPECT_TRUE(contains(input_error([&] { read_robot(large); }), "have more than 67108864 bytes"));
}

TEST_F(Urdf, TreesMayBeWideButNotTooDeep) {
  const auto tree = [](int links, auto parent) {
    std::string text = "<robot name='r'><link name='l0'/>";
    for (int i = 1; i < links; ++i) {
      const std::string n = std::to_string(i), up = std::to_string(parent(i));
      text += "<link name='l" + n + "'/><joint name='j" + n + "' type='fixed'><parent link='l" + up +
              "'/><child link='l" + n + "'/></joint>";
    }
    return text + "</robot>";
  };
  EXPECT_EQ(read_robot(write("r.urdf", tree(1001, [](int i) { return i - 1; }))).links.size(), 1001U);
  EXPECT_EQ(read_robot(write("r.urdf", tree(3000, [](int i) { return i / 2; }))).links.size(), 3000U);
  EXPECT_TRUE(contains(refusal("r.urdf", tree(20'000, [](int i) { return i - 1; })), "more than 1000 joints in a row"));
}

// urdfdom leaves such a link without its shapes and only logs why.
TEST_F(Urdf, ShapesWhoseNumbersAreNoneAreRefused) {
  const auto robot = [](const std::string& origin, const std::string& size) {
    return "<robot name='r'><link name='a'><visual><origin xyz='" + origin + "'/><geometry><box size='" + size +
           "'/></geometry></visual></link></robot>";
  };
  EXPECT_EQ(read_robot(write("r.urdf", robot("0 0 0", "1 1 1"))).meshes.size(), 1U);
  for (const char* size : {"1 inf 1", "1 nan 1", "1 1", "1,1,1", "", "a b c"}) {
    const std::string text = refusal("r.urdf", robot("0 0 0", size));
    EXPECT_TRUE(contains(text, "r.urdf:1:71: <box>: ")) << size << ": " << text;
    EXPECT_EQ(text.find('\n'), std::string::npos);
  }
  EXPECT_NE(refusal("r.urdf", robot("nan 0 0", "1 1 1")), "");
}

TEST_F(Urdf, AnyCutIsReadOrRefused) {
  for (std::size_t size = 0; size < kArm.size(); size += 7) {
    EXPECT_NE(refusal("r.urdf", kArm.substr(0, size)), "") << size;
  }
}

TEST(UrdfWithoutItsLibrary, IsRefused) {
  if (kHasUrdf) GTEST_SKIP() << "this build has urdfdom";
  const TemporaryFolder folder;
  const auto file = folder.write("arm.urdf", kArm);
  EXPECT_EQ(
      input_error([&] { read_robot(file); }),
      file.string() + ": is URDF, and this build of fathom has no urdfdom: install liburdfdom-dev and build it again");
}

}  // namespace
}  // namespace fathom::test
