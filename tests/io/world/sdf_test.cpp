// SPDX-License-Identifier: MIT
#include "io/world/robot_fixture.hpp"

namespace fathom::test {
namespace {

class Sdf : public RobotFixture {
 protected:
  void SetUp() override {
    if (!kHasSdf) GTEST_SKIP() << "this build has no libsdformat";
    RobotFixture::SetUp();
  }
  void TearDown() override {
    if (kHasSdf) RobotFixture::TearDown();
  }

  /// models/<name>/model.config and model.sdf
  void write_model(const std::string& name, const std::string& sdf) const {
    write("models/" + name + "/model.config",
          "<model><sdf version='1.5'>old.sdf</sdf><sdf version='1.10'>model.sdf</sdf></model>");
    write("models/" + name + "/model.sdf", sdf);
  }
  RobotFileOptions in_models() const { return {.search_paths = {folder_ / "models"}}; }
};

std::string world_of(const std::string& inside) {
  return "<?xml version='1.0'?>\n<sdf version='1.9'><world name='w'>\n" + inside + "\n</world></sdf>\n";
}

std::string shape_link(const std::string& name, const std::string& geometry, const std::string& more = "") {
  return "<link name='" + name + "'>" + more + "<visual name='v'><geometry>" + geometry + "</geometry></visual></link>";
}

const std::string kBox = "<box><size>1 2 3</size></box>";

TEST_F(Sdf, PosesAreRelativeToWhatTheyName) {
  const Robot robot =
      read_robot(write("w.sdf", world_of(R"(
    <frame name='corner'><pose>10 0 0 0 0 1.5707963267948966</pose></frame>
    <model name='cell'><pose relative_to='corner'>1 0 0 0 0 0</pose>)" +
                                         shape_link("body", kBox) + R"(
      <frame name='shelf' attached_to='body'><pose>0 0 1 0 0 0</pose></frame>
      <model name='arm'><pose relative_to='shelf'>0 0 0.5 0 0 0</pose>)" +
                                         shape_link("upper", kBox, "<pose>0 1 0 0 0 0</pose>") +
                                         shape_link("lower", kBox, "<pose relative_to='upper'>0 0 2 0 0 0</pose>") +
                                         "</model></model>")));
  EXPECT_EQ(robot.name, "w");
  const Quaternion quarter = from_roll_pitch_yaw(0, 0, std::numbers::pi / 2);
  expect_pose(link_pose(robot, "cell::body"), {{10, 1, 0}, quarter});
  expect_pose(link_pose(robot, "cell::arm::upper"), {{9, 1, 1.5}, quarter});
  expect_pose(link_pose(robot, "cell::arm::lower"), {{9, 1, 3.5}, quarter});
  EXPECT_EQ(robot.meshes.size(), 1U);
}

TEST_F(Sdf, IncludesAreFoundNamedAndPlaced) {
  write_model("crate", "<sdf version='1.6'><model name='crate'>" +
                           shape_link("body", kBox, "<pose>0 0 1.5 0 0 0</pose>") + "</model></sdf>");
  write_model("pair", "<sdf version='1.9'><model name='pair'>" + shape_link("base", kBox) +
                          "<include><uri>model://crate</uri><pose>5 0 0 0 0 0</pose></include></model></sdf>");
  const auto file = write("worlds/w.sdf", world_of(R"(
    <include><uri>model://crate</uri><name>first</name><pose>1 0 0 0 0 0</pose></include>
    <include><uri>model://crate</uri><name>second</name><pose relative_to='first'>0 2 0 0 0 0</pose></include>
    <include><uri>../models/pair/model.sdf</uri><pose>0 0 7 0 0 0</pose></include>)"));
  const Robot robot = read_robot(file, in_models());
  expect_pose(link_pose(robot, "first::body"), {{1, 0, 1.5}, {}});
  expect_pose(link_pose(robot, "second::body"), {{1, 2, 1.5}, {}});
  expect_pose(link_pose(robot, "pair::crate::body"), {{5, 0, 8.5}, {}});
  EXPECT_EQ(robot.links.size(), 4U);
  EXPECT_EQ(robot.files.size(), 4U) << "the world, one configuration and two models";
}

// libsdformat is given one model at a time, with the models that its pose names: no order and no pose may change.
TEST_F(Sdf, ModelsThatNameEachOtherStayTogether) {
  const auto model = [](const std::string& name, const std::string& pose) {
    return "<model name='" + name + "'>" + pose + shape_link("body", kBox) + "</model>";
  };
  std::string inside =
      model("a", "<pose relative_to='shelf'>1 0 0 0 0 0</pose>") + model("b", "<pose>0 7 0 0 0 0</pose>") +
      "<frame name='top' attached_to='shelf'><pose>0 0 1 0 0 0</pose></frame>" +
      "<frame name='shelf' attached_to='c::body'><pose>0 5 0 0 0 0</pose></frame>" +
      model("c", "<pose>0 0 3 0 0 0</pose>") + model("d", "<pose relative_to='top'>0 0 1 0 0 0</pose>") +
      model("e", "<pose relative_to='b'>1 0 0 0 0 0</pose>");
  const Robot robot = read_robot(write("w.sdf", world_of(inside)));
  std::vector<std::string> names;
  for (const Robot::Link& link : robot.links) names.push_back(link.name);
  EXPECT_EQ(names, (std::vector<std::string>{"a::body", "b::body", "c::body", "d::body", "e::body"}));
  expect_pose(link_pose(robot, "a::body"), {{1, 5, 3}, {}});
  expect_pose(link_pose(robot, "b::body"), {{0, 7, 0}, {}});
  expect_pose(link_pose(robot, "d::body"), {{0, 5, 5}, {}});
  expect_pose(link_pose(robot, "e::body"), {{1, 7, 0}, {}});
  EXPECT_EQ(refusal("w.sdf", world_of(model("a", "") + model("a", ""))).find("w.sdf:3:"), 0U);
  EXPECT_TRUE(
      contains(refusal("w.sdf", world_of(model("a", "") + model("a", ""))), "the world has two models called 'a'"));
}

/// The most bytes that the process has held.
std::size_t peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::size_t kib = 0;
    if (word == "VmHWM:" && status >> kib) return kib * 1024;
  }
  return 0;
}

TEST_F(Sdf, AWorldTakesLittleMemoryForEachModel) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer adds memory to each allocation";
  const auto world = [&](int models) {
    std::string inside;
    for (int i = 0; i < models; ++i)
      inside += "<model name='m" + std::to_string(i) + "'>" + shape_link("l", kBox) + "</model>";
    return read_robot(write("w.sdf", world_of(inside))).links.size();
  };
  EXPECT_EQ(world(20), 20U);  // what libsdformat and its log need once
  const std::size_t before = peak_bytes();
  EXPECT_EQ(world(220), 220U);
  EXPECT_LT(peak_bytes() - before, 200U * 50'000U);
}

TEST_F(Sdf, ModelsThatBelongTogetherAreLimited) {
  std::string inside = shape_link("l", kBox);
  for (int i = 0; i < 500; ++i) inside += "<model name='n" + std::to_string(i) + "'><link name='l'/></model>";
  EXPECT_TRUE(contains(refusal("w.sdf", world_of("<model name='m'>" + inside + "</model>")),
                       "w.sdf:3:1: <model>: 501 models belong together"));
  EXPECT_TRUE(contains(refusal("m.sdf", "<sdf version='1.9'><model name='m'>" + inside + "</model></sdf>"),
                       "501 models are nested; more than 500 are not read"));
}

TEST_F(Sdf, OpensNothingOutsideOfItsFolders) {
  write("secret/part.stl", kStl);
  write("secret/model.sdf", "<sdf version='1.9'><model name='m'>" + shape_link("l", kBox) + "</model></sdf>");
  const auto world = [&](const std::string& uri) {
    return refusal("worlds/w.sdf", world_of("<include><uri>" + uri + "</uri></include>"), in_models());
  };
  write_model("good", "<sdf version='1.9'><model name='m'>" +
                          shape_link("l", "<mesh><uri>../../secret/part.stl</uri></mesh>") + "</model></sdf>");
  write_model("bad", "");
  write("models/bad/model.config", "<model><sdf version='1.5'>../../secret/model.sdf</sdf></model>");
  std::filesystem::create_directory(folder_ / "worlds");
  std::filesystem::create_symlink(folder_ / "secret/model.sdf", folder_ / "worlds/link.sdf");
  const std::string absolute = (folder_ / "secret/model.sdf").string();
  for (const std::string& uri : {std::string("../secret/model.sdf"), std::string("model://good/../../secret/model.sdf"),
                                 std::string("model://good"), std::string("model://bad"), absolute,
                                 "file://" + absolute, std::string("link.sdf"), std::string("/etc/hostname")}) {
    EXPECT_TRUE(contains(world(uri), "leads out of ")) << uri << ": " << world(uri);
  }
  write("secret/hills.pgm", "P2 2 2 100 0 0 0 0");
  for (const char* shape : {"<mesh><uri>../secret/part.stl</uri></mesh>",
                            "<heightmap><uri>../secret/hills.pgm</uri><size>1 1 1</size></heightmap>"}) {
    const std::string said =
        refusal("worlds/w.sdf", world_of("<model name='m'>" + shape_link("l", shape) + "</model>"));
    EXPECT_TRUE(contains(said, "leads out of "));
  }
}

TEST_F(Sdf, MeshesThatAreMissingCanBeLeftOut) {
  const auto file = write("w.sdf", world_of("<model name='m'>" + shape_link("a", kBox) +
                                            shape_link("b", "<mesh><uri>gone.stl</uri></mesh>") + "</model>"));
  EXPECT_TRUE(contains(input_error([&] { read_robot(file); }), "'gone.stl': no such file"));
  const Robot robot = read_robot(file, {.missing = RobotFileOptions::MissingMeshes::kSkip});
  EXPECT_EQ(robot.meshes.size(), 1U);
  EXPECT_EQ(robot.links.size(), 2U);
  ASSERT_EQ(robot.notes.size(), 1U);
  EXPECT_TRUE(contains(robot.notes[0], "w.sdf:3:"));
  EXPECT_TRUE(contains(robot.notes[0], "'gone.stl': no such file"));
}

TEST_F(Sdf, ShapesOfTheOtherKindAloneAreNoted) {
  const auto file = write("m.sdf", "<sdf version='1.9'><model name='m'><link name='l'><collision name='c'><geometry>" +
                                       kBox + "</geometry></collision></link></model></sdf>");
  EXPECT_EQ(read_robot(file).notes,
            std::vector<std::string>{
                "m.sdf: no link has a visual shape, and 1 has one for collision: give geometry: collision"});
  EXPECT_TRUE(read_robot(file, {.geometry = RobotFileOptions::Geometry::kCollision}).notes.empty());
}

TEST_F(Sdf, JointsMoveTheirLinks) {
  const Robot robot = read_robot(write("arm.sdf", R"(<sdf version='1.9'><model name='arm'><pose>0 0 1 0 0 0</pose>)" +
                                                      shape_link("base", kBox) +
                                                      shape_link("upper", kBox, "<pose>0.5 0 0 0 0 0</pose>") +
                                                      shape_link("lower", kBox, "<pose>1.25 0 0 0 0 0</pose>") + R"(
    <joint name='shoulder' type='revolute'><parent>base</parent><child>upper</child><pose>-0.5 0 0 0 0 0</pose>
      <axis><xyz>0 0 1</xyz><limit><lower>-2</lower><upper>2</upper></limit></axis></joint>
    <joint name='elbow' type='prismatic'><parent>upper</parent><child>lower</child>
      <axis><xyz expressed_in='base'>1 0 0</xyz></axis></joint></model></sdf>)"));
  const double a = 0.7, b = 0.2;
  const JointPositions joints = {{"arm::shoulder", a}, {"arm::elbow", b}};
  const Vec3 along = {std::cos(a), std::sin(a), 0};
  expect_pose(link_pose(robot, "arm::upper", joints), {Vec3{0, 0, 1} + 0.5 * along, from_roll_pitch_yaw(0, 0, a)});
  expect_pose(link_pose(robot, "arm::lower", joints),
              {Vec3{0, 0, 1} + (1.25 + b) * along, from_roll_pitch_yaw(0, 0, a)});
  EXPECT_EQ(input_error([&] {
              link_pose(robot, "arm::upper", {{"arm::shoulder", 3}});
            }),
            "joint 'arm::shoulder' = 3 is not in [-2, 2] rad");
}

TEST_F(Sdf, HasAllItsShapes) {
  write("part.stl", kStl);
  write("hills.pgm", "P2 3 3 100 0 0 0 0 50 0 0 0 0");
  const auto bounds = [&](const std::string& geometry,
                          RobotFileOptions::Geometry kind = RobotFileOptions::Geometry::kVisual) {
    const std::string word = kind == RobotFileOptions::Geometry::kVisual ? "visual" : "collision";
    const Robot robot = read_robot(
        write("m.sdf", "<sdf version='1.9'><model name='m'><link name='l'><" + word + " name='s'><geometry>" +
                           geometry + "</geometry></" + word + "></link></model></sdf>"),
        {.geometry = kind});
    std::array<float, 3> high = {-1e9F, -1e9F, -1e9F};
    for (const auto& v : robot.meshes.at(0).vertices_m) {
      for (std::size_t k = 0; k < 3; ++k) high[k] = std::max(high[k], v[k]);
    }
    return high;
  };
  const auto expect = [](const std::array<float, 3>& high, float x, float y, float z) {
    EXPECT_NEAR(high[0], x, 1e-5);
    EXPECT_NEAR(high[1], y, 1e-5);
    EXPECT_NEAR(high[2], z, 1e-5);
  };
  expect(bounds(kBox), 0.5, 1, 1.5);
  expect(bounds("<sphere><radius>2</radius></sphere>"), 2, 2, 2);
  expect(bounds("<cylinder><radius>2</radius><length>3</length></cylinder>"), 2, 2, 1.5);
  expect(bounds("<capsule><radius>2</radius><length>3</length></capsule>"), 2, 2, 3.5);
  expect(bounds("<ellipsoid><radii>1 2 3</radii></ellipsoid>"), 1, 2, 3);
  expect(bounds("<plane><normal>0 0 1</normal><size>4 6</size></plane>"), 2, 3, 0);
  expect(bounds("<plane><normal>1 0 0</normal><size>4 6</size></plane>"), 0, 3, 2);
  expect(bounds("<plane><normal>0 0 1</normal><size>4 6</size></plane>", RobotFileOptions::Geometry::kCollision), 500,
         500, 0);
  expect(bounds("<mesh><uri>part.stl</uri><scale>1 2 3</scale></mesh>"), 1, 2, 3);
  expect(bounds("<heightmap><uri>hills.pgm</uri><size>8 6 2</size><pos>1 0 3</pos></heightmap>"), 5, 3, 5);
}

TEST_F(Sdf, NamesAllThatItDoesNotRead) {
  write_model("lamp",
              "<sdf version='1.6'><model name='lamp'><link name='l'><sensor name='s' type='nonsense'/>" +
                  std::string("<light name='a' type='point'/></link><plugin name='p' filename='q'/></model></sdf>"));
  write("part.stl", kStl);
  const Robot robot = read_robot(
      write("w.sdf", world_of("<plugin name='p' filename='q'/><actor name='a'/><gui/><physics type='x'/>"
                              "<include><uri>model://lamp</uri></include><model name='m'>" +
                              shape_link("a", "<polyline><height>1</height></polyline>") +
                              shape_link("b", "<mesh><uri>x.blend</uri></mesh>") +
                              shape_link("c", "<mesh><uri>part.stl</uri><submesh><name>x</name></submesh></mesh>") +
                              "</model>")),
      in_models());
  EXPECT_EQ(robot.notes, (std::vector<std::string>{"lamp/model.sdf: not read: 1 <plugin>, 1 <sensor>",
                                                   "w.sdf: not read: 1 <actor>, 1 <plugin>, shape <polyline> of link "
                                                   "'a', mesh x.blend of link 'b', a part of mesh "
                                                   "part.stl of link 'c'"}));
  EXPECT_TRUE(robot.meshes.empty());
  const auto newer = write("n.sdf", "<sdf version='1.99'><model name='m'>" + shape_link("l", kBox) + "</model></sdf>");
  ASSERT_EQ(read_robot(newer).notes.size(), 1U);
  EXPECT_TRUE(contains(read_robot(newer).notes[0], "n.sdf: not read: what is new in SDF 1.99 since 1."));
}

TEST_F(Sdf, JointsOfAWorldAreNamedAsNotRead) {
  const std::string joint = "<joint name='j' type='fixed'><parent>world</parent><child>m</child></joint>";
  const std::string model = "<model name='m'>" + shape_link("l", kBox) + "</model>";
  EXPECT_EQ(read_robot(write("w.sdf", world_of(model + joint))).notes,
            std::vector<std::string>{"w.sdf: not read: 1 <joint>"});
}

TEST_F(Sdf, RefusesWhatIsDamagedInOneLine) {
  const auto model = [](const std::string& inside) {
    return "<sdf version='1.9'><model name='m'>" + inside + "</model></sdf>";
  };
  EXPECT_TRUE(contains(refusal("m.sdf", model("")), "m.sdf: "));
  EXPECT_TRUE(contains(refusal("m.sdf", model(shape_link("l", kBox, "<pose>0 0 nan 0 0 0</pose>"))), "finite"));
  EXPECT_NE(refusal("m.sdf", model(shape_link("l", kBox, "<pose>0 0 1e300 0 0 0</pose>"))), "");
  EXPECT_TRUE(contains(refusal("m.sdf", model(shape_link("l", kBox, "<pose relative_to='nobody'/>"))), "nobody"));
  EXPECT_EQ(refusal("m.sdf", model(shape_link("l", "<box><size>1 -2 3</size></box>"))),
            "m.sdf: model 'm': link 'l': box.size_m.y = -2 is not in (0, 1000000] m");
  EXPECT_EQ(refusal("m.sdf", model(shape_link("l", "<mesh><uri>gone.stl</uri></mesh>"))),
            "m.sdf:1:84: <uri>: 'gone.stl': no such file: gone.stl");
  EXPECT_NE(refusal("m.sdf", model(shape_link("l", kBox) + shape_link("l", kBox))), "");
  EXPECT_NE(refusal("m.sdf", model(shape_link("l", kBox) +
                                   "<joint name='j' type='fixed'><parent>l</parent><child>k</child></joint>")),
            "");
  EXPECT_NE(refusal("m.sdf", "<sdf><model name='m'>" + shape_link("l", kBox) + "</model></sdf>"), "");
  EXPECT_EQ(
      refusal("w.sdf", world_of("<include><uri>model://gone</uri></include>")),
      "w.sdf:3:10: <uri>: 'model://gone': the package 'gone' is not found; say where it is (packages, search_paths)");
  EXPECT_EQ(refusal("w.sdf", world_of("<include><name>x</name></include>")), "w.sdf:3:1: <include>: has no <uri>");
  write_model("robot", "<robot name='r'/>");
  EXPECT_TRUE(
      contains(refusal("w.sdf", world_of("<include><uri>model://robot</uri></include>"), in_models()), "is no SDF"));
}

TEST_F(Sdf, RefusesCirclesAndBombs) {
  const auto includes = [](const std::string& name, const std::string& other, int times) {
    std::string text = "<sdf version='1.9'><model name='" + name + "'>" + shape_link("l", kBox);
    for (int i = 0; i < times; ++i) {
      text += "<include><uri>model://" + other + "</uri><name>n" + std::to_string(i) + "</name></include>";
    }
    return text + "</model></sdf>";
  };
  write_model("a", includes("a", "b", 1));
  write_model("b", includes("b", "a", 1));
  EXPECT_TRUE(contains(refusal("w.sdf", world_of("<include><uri>model://a</uri></include>"), in_models()),
                       "<uri>: the file includes itself, through models/b/model.sdf"));
  write_model("m0", "<sdf version='1.9'><model name='m'>" + shape_link("l", kBox) + "</model></sdf>");
  for (int i = 1; i < 20; ++i) {
    write_model("m" + std::to_string(i), includes("m", "m" + std::to_string(i - 1), 10));
  }
  EXPECT_TRUE(contains(refusal("w.sdf", world_of("<include><uri>model://m19</uri></include>"), in_models()),
                       "with its includes the file makes more than 10000 models"));
  for (int i = 1; i < 80; ++i) write_model("d" + std::to_string(i), includes("d", "d" + std::to_string(i - 1), 1));
  write_model("d0", "<sdf version='1.9'><model name='m'>" + shape_link("l", kBox) + "</model></sdf>");
  EXPECT_TRUE(contains(refusal("w.sdf", world_of("<include><uri>model://d79</uri></include>"), in_models()),
                       "include each other more than 64 deep"));
  EXPECT_EQ(refusal("w.sdf", "<!DOCTYPE sdf [<!ENTITY a 'aaaa'>]><sdf version='1.9'/>"),
            "w.sdf:1:11: a document type with declarations is not understood");
}

TEST_F(Sdf, AnyCutIsReadOrRefused) {
  const std::string whole = world_of("<model name='m'>" + shape_link("l", kBox) + "</model>");
  for (std::size_t size = 0; size + 1 < whole.size(); size += 3) {
    EXPECT_NE(refusal("w.sdf", whole.substr(0, size)), "") << size;
  }
}

TEST(SdfWithoutItsLibrary, IsRefused) {
  if (kHasSdf) GTEST_SKIP() << "this build has libsdformat";
  const TemporaryFolder folder;
  const auto file = folder.write("w.sdf", world_of(""));
  EXPECT_EQ(input_error([&] { read_robot(file); }),
            file.string() +
                ": is SDF, and this build of fathom has no libsdformat: install libsdformat-dev and build it again");
}

}  // namespace
}  // namespace fathom::test
