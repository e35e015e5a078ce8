// SPDX-License-Identifier: MIT
// Robots made by hand: forward kinematics against products of matrices, and what is refused.

#include "io/world/read_robot.hpp"
#include "io/world/robot_fixture.hpp"

namespace fathom::test {
namespace {

using Matrix = std::array<std::array<double, 4>, 4>;

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c{};
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      for (std::size_t k = 0; k < 4; ++k) c[i][j] += a[i][k] * b[k][j];
    }
  }
  return c;
}

Matrix identity() { return {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}}; }

/// Rodrigues' formula.
Matrix turn(const Vec3& k, double angle) {
  const double s = std::sin(angle), c = std::cos(angle), v = 1 - c;
  return {{{c + k.x * k.x * v, k.x * k.y * v - k.z * s, k.x * k.z * v + k.y * s, 0},
           {k.y * k.x * v + k.z * s, c + k.y * k.y * v, k.y * k.z * v - k.x * s, 0},
           {k.z * k.x * v - k.y * s, k.z * k.y * v + k.x * s, c + k.z * k.z * v, 0},
           {0, 0, 0, 1}}};
}

Matrix shift(const Vec3& t) {
  Matrix m = identity();
  m[0][3] = t.x, m[1][3] = t.y, m[2][3] = t.z;
  return m;
}

double any(double reach) { return reach * *rc::gen::inRange(-1000, 1001) / 1000; }
Vec3 any_axis() {
  const Vec3 v = {any(1), any(1), any(1) + 1.5};
  return (1 / norm(v)) * v;
}

struct Placed {
  Pose pose;
  Matrix matrix;
};
Placed any_pose() {
  const Vec3 t = {any(2), any(2), any(2)}, axis = any_axis();
  const double angle = any(3);
  const double s = std::sin(angle / 2);
  return {{t, {std::cos(angle / 2), s * axis.x, s * axis.y, s * axis.z}}, product(shift(t), turn(axis, angle))};
}

RC_GTEST_PROP(Kinematics, IsTheProductOfMatrices, ()) {
  Robot robot;
  std::vector<Matrix> matrices;
  JointPositions positions;
  const std::size_t links = *rc::gen::inRange<std::size_t>(1, 8);
  for (std::size_t i = 0; i < links; ++i) {
    Robot::Link link;
    link.name = "l" + std::to_string(i);
    const Placed before = any_pose(), behind = any_pose();
    link.parent_from_joint = before.pose;
    link.joint_from_link = behind.pose;
    Matrix matrix = before.matrix;
    if (i > 0) {
      link.parent = *rc::gen::inRange<std::size_t>(0, i);
      link.joint = robot.joints.size();
      Robot::Joint joint;
      joint.name = "j" + std::to_string(i);
      joint.kind =
          *rc::gen::element(Robot::Joint::Kind::kFixed, Robot::Joint::Kind::kRevolute, Robot::Joint::Kind::kPrismatic);
      joint.axis = any_axis();
      const double q = any(3);
      if (joint.kind != Robot::Joint::Kind::kFixed) positions[joint.name] = q;
      if (joint.kind == Robot::Joint::Kind::kRevolute) matrix = product(matrix, turn(joint.axis, q));
      if (joint.kind == Robot::Joint::Kind::kPrismatic) matrix = product(matrix, shift(q * joint.axis));
      robot.joints.push_back(joint);
      matrix = product(matrices[*link.parent], matrix);
    }
    matrices.push_back(product(matrix, behind.matrix));
    robot.links.push_back(link);
  }
  const std::vector<Pose> poses = robot_from_links(robot, positions);
  for (std::size_t i = 0; i < links; ++i) {
    for (const Vec3& p : {Vec3{0, 0, 0}, Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}) {
      const Matrix& m = matrices[i];
      const Vec3 expected = {m[0][0] * p.x + m[0][1] * p.y + m[0][2] * p.z + m[0][3],
                             m[1][0] * p.x + m[1][1] * p.y + m[1][2] * p.z + m[1][3],
                             m[2][0] * p.x + m[2][1] * p.y + m[2][2] * p.z + m[2][3]};
      RC_ASSERT(norm(poses[i] * p - expected) < 1e-9);
    }
  }
}

Robot slider() {
  Robot robot;
  robot.joints = {
      {.name = "a", .kind = Robot::Joint::Kind::kPrismatic, .axis = {0, 0, 1}, .lower = -1, .upper = 2},
      {.name = "b", .kind = Robot::Joint::Kind::kRevolute, .axis = {0, 0, 1}, .mimic = Robot::Joint::Mimic{0, 2, 0.5}},
      {.name = "c", .kind = Robot::Joint::Kind::kPrismatic, .axis = {1, 0, 0}, .mimic = Robot::Joint::Mimic{1, -1, 0}},
      {.name = "d"}};
  robot.links.push_back({.name = "root"});
  for (std::size_t i = 0; i < 4; ++i) {
    robot.links.push_back({.name = "l" + std::to_string(i), .parent = i, .joint = i});
  }
  return robot;
}

TEST(Kinematics, JointsFollowEachOther) {
  const std::vector<Pose> poses = robot_from_links(slider(), {{"a", 1}});
  EXPECT_EQ(poses[1].translation_m, (Vec3{0, 0, 1}));
  expect_pose(poses[2], {{0, 0, 1}, from_roll_pitch_yaw(0, 0, 2.5)});
  expect_pose(poses[3],
              {Vec3{0, 0, 1} + (-2.5) * Vec3{std::cos(2.5), std::sin(2.5), 0}, from_roll_pitch_yaw(0, 0, 2.5)});
  expect_pose(robot_from_links(slider())[2], {{}, from_roll_pitch_yaw(0, 0, 0.5)});
}

TEST(Kinematics, RefusesPositionsByNameValueAndLimit) {
  const auto error = [](const JointPositions& joints) {
    return input_error([&] { robot_from_links(slider(), joints); });
  };
  EXPECT_EQ(error({{"a", 3}}), "joint 'a' = 3 is not in [-1, 2] m");
  EXPECT_EQ(error({{"a", NAN}}), "joint 'a' = nan is not finite");
  EXPECT_EQ(error({{"b", 0}}), "joint 'b' follows joint 'a'; give that one's position");
  EXPECT_EQ(error({{"d", 0}}), "joint 'd' does not move: it is neither revolute, continuous nor prismatic");
  EXPECT_EQ(error({{"elbow", 0}}), "there is no joint 'elbow'");
}

TEST(Robots, ThatAreNoTreesAreRefused) {
  const auto error = [](auto change) {
    Robot robot = slider();
    change(robot);
    return input_error([&] { validate(robot); });
  };
  EXPECT_EQ(error([](Robot&) {}), "");
  EXPECT_EQ(error([](Robot& r) { r.links[1].parent = 3; }), "link 'l0': its parent does not come before it");
  EXPECT_EQ(error([](Robot& r) { r.links[1].parent = 1; }), "link 'l0': its parent does not come before it");
  EXPECT_EQ(error([](Robot& r) { r.links[1].joint = 9; }), "link 'l0': its joint is not there");
  EXPECT_EQ(error([](Robot& r) { r.links[1].mesh = 0; }), "link 'l0': its mesh is not there");
  EXPECT_EQ(error([](Robot& r) { r.links[1].name = "root"; }), "link 'root' is there twice");
  EXPECT_EQ(error([](Robot& r) { r.joints[0].name = "b"; }), "joint 'b' is there twice");
  EXPECT_EQ(error([](Robot& r) { r.links[2].parent_from_joint.translation_m.x = NAN; }),
            "link 'l1': its pose is not finite, not of length 1, or not in [-1e9, 1e9] m");
  EXPECT_EQ(error([](Robot& r) { r.joints[0].axis = {}; }), "joint 'a': its axis is not of length 1");
  EXPECT_EQ(error([](Robot& r) { r.joints[0].lower = NAN; }), "joint 'a': its lower limit is not below the upper one");
  EXPECT_EQ(error([](Robot& r) {
              r.joints[0].mimic = Robot::Joint::Mimic{2, 1, 0};
            }),
            "joint 'a': joints follow each other in a circle");
  EXPECT_EQ(error([](Robot& r) { r.joints[1].mimic->joint = 7; }), "joint 'b': the joint that it follows is not there");
}

// A box on rails, a rod without shape on it, and a ball at the rod's end.
Robot crane() {
  Robot robot;
  robot.meshes = {make_box({1, 1, 1}), make_sphere(0.5)};
  robot.joints = {{.name = "rail", .kind = Robot::Joint::Kind::kPrismatic, .axis = {1, 0, 0}},
                  {.name = "rod", .kind = Robot::Joint::Kind::kRevolute, .axis = {0, 1, 0}}};
  robot.links = {{.name = "world"},
                 {.name = "box", .parent = 0, .joint = 0, .mesh = 0},
                 {.name = "rod", .parent = 1, .joint = 1},
                 {.name = "ball", .parent = 2, .parent_from_joint = {{0, 0, -2}, {}}, .mesh = 1}};
  return robot;
}

TEST(PlacedRobots, HangOnWhatHasAShapeAndMove) {
  Scene scene;
  const MeshId floor = scene.add_mesh(make_plane(9, 9));
  const EntityId cart = scene.add_entity({.name = "cart", .mesh = floor, .parent_from_entity = Pose{{0, 10, 0}, {}}});
  PlacedRobot placed(
      scene, crane(),
      {.prefix = "left_", .parent = cart, .parent_from_robot = {{0, 0, 5}, {}}, .joints = {{"rail", 3}}});
  ASSERT_EQ(scene.entities().size(), 3U);
  EXPECT_EQ(scene.entities()[1].name, "left_box");
  EXPECT_EQ(scene.entities()[1].parent, cart);
  EXPECT_EQ(scene.entities()[2].parent, placed.entity("box"));
  EXPECT_EQ(placed.entity("rod"), kNoEntity);
  expect_pose(scene.world_from_entity(placed.entity("ball"), 0), {{3, 10, 3}, {}});

  const double quarter = std::numbers::pi / 2;
  placed.set_joints(scene, {{"rod", quarter}});
  expect_pose(scene.world_from_entity(placed.entity("ball"), 0), {{1, 10, 5}, from_roll_pitch_yaw(0, quarter, 0)});
  const PlacedRobot::Mount rod = placed.mount("rod");
  EXPECT_EQ(rod.parent, placed.entity("box"));
  expect_pose(rod.parent_from_link, {{}, from_roll_pitch_yaw(0, quarter, 0)});
  EXPECT_EQ(placed.mount("world").parent, cart);

  placed.set_joints(scene, {{"rail", 4}});
  placed.set_pose(scene, {{0, 1, 5}, {}});
  expect_pose(scene.world_from_entity(placed.entity("ball"), 0), {{2, 11, 5}, from_roll_pitch_yaw(0, quarter, 0)});
  EXPECT_EQ(robot_from_links(placed.robot()).size(), 4U);
}

TEST(PlacedRobots, StayWhereTheyAreWhenAMoveIsRefused) {
  Scene scene;
  Robot robot = crane();
  robot.joints[1].kind = Robot::Joint::Kind::kPrismatic;
  PlacedRobot placed(scene, robot);
  const auto poses = [&] {
    return std::pair(scene.world_from_entity(placed.entity("box"), 0),
                     scene.world_from_entity(placed.entity("ball"), 0));
  };
  const auto before = poses();
  const PlacedRobot::Mount rod = placed.mount("rod");
  EXPECT_EQ(input_error([&] { placed.set_joints(scene, {{"rail", 1}, {"rod", 3e9}}); }).find("link 'ball': "), 0U);
  EXPECT_TRUE(poses() == before);
  EXPECT_TRUE(placed.mount("rod").parent_from_link == rod.parent_from_link);
  EXPECT_NE(input_error([&] { placed.set_joints(scene, {{"rail", 1}, {"rali", 1}}); }), "");
  EXPECT_NE(input_error([&] { placed.set_pose(scene, {{2e9, 0, 0}, {}}); }), "");
  EXPECT_TRUE(poses() == before);
  placed.set_joints(scene, {});  // what was refused is not remembered
  EXPECT_TRUE(poses() == before);
}

TEST(PlacedRobots, ThatAreRefusedLeaveTheSceneAsItWas) {
  Scene scene;
  const PlacedRobot first(scene, crane());
  const auto revision = scene.revision();
  const auto error = [&](const RobotPlace& place, const Robot& robot = crane()) {
    return input_error([&] { PlacedRobot(scene, robot, place); });
  };
  EXPECT_EQ(error({}), "link 'box': the name is taken; give the robot a prefix");
  EXPECT_EQ(error({.prefix = "b_", .joints = {{"rali", 1}}}), "there is no joint 'rali' (nearest known: 'rail')");
  EXPECT_EQ(error({.prefix = "b_", .reflectivity = NAN}), "reflectivity = nan is not in [0, 1]");
  EXPECT_EQ(error({.prefix = "b_", .groups = {"robots", ""}}), "groups: the name of a group is empty");
  EXPECT_EQ(error({.prefix = "b_", .parent = EntityId{7}}), "parent 7 is not in [0, 2)");
  EXPECT_EQ(error({.prefix = "b_", .parent_from_robot = {{2e9, 0, 0}, {}}}),
            "link 'world': pose: position 2000000000 m is not in [-1e9, 1e9] m");
  Robot broken = crane();
  broken.meshes[1].triangles.clear();
  EXPECT_EQ(error({.prefix = "b_"}, broken), "link 'b_ball': mesh is empty: 1986 vertices, 0 triangles");
  EXPECT_EQ(scene.revision(), revision);
  Scene labelled;
  labelled.add_label({"last", kMostLabelId});
  EXPECT_EQ(input_error([&] { PlacedRobot(labelled, crane(), {.label = "crane"}); }),
            "label 'crane': id 65535 is taken");
  EXPECT_TRUE(labelled.meshes().empty());
  EXPECT_EQ(input_error([&] { static_cast<void>(first.entity("bxo")); }),
            "there is no link 'bxo' (nearest known: 'box')");
}

}  // namespace
}  // namespace fathom::test
