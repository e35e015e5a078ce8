// SPDX-License-Identifier: MIT

#include <fathom/core/ids.hpp>
#include <fathom/scene/scene.hpp>

#include "support/expect.hpp"

namespace fathom::test {
namespace {

Entity named(const std::string& name, EntityId parent = kNoEntity, const Pose& pose = {}) {
  Entity entity;
  entity.name = name;
  entity.parent = parent;
  entity.parent_from_entity = pose;
  return entity;
}

/// A chain a <- b <- c (c hangs on b, b on a) and a lone d, all showing one box.
Scene chain() {
  Scene scene;
  scene.add_mesh(make_box({1, 1, 1}), "box");
  scene.add_entity(named("a"));
  scene.add_entity(named("b", EntityId{0}));
  scene.add_entity(named("c", EntityId{1}));
  scene.add_entity(named("d"));
  return scene;
}

TEST(Scene, CountsIdsFromZeroInTheOrderOfAdding) {
  const Scene scene = chain();
  EXPECT_EQ(scene.find_entity("a"), EntityId{0});
  EXPECT_EQ(scene.find_entity("d"), EntityId{3});
  EXPECT_EQ(scene.mesh_name(MeshId{0}), "box");
}

/// Runs what must fail and checks that the scene did not change by it.
template <class F>
std::string refused(Scene& scene, F f) {
  const auto revision = scene.revision();
  const auto entities = scene.entities().size(), meshes = scene.meshes().size();
  const std::string message = input_error(f);
  EXPECT_EQ(scene.revision(), revision) << message;
  EXPECT_EQ(scene.entities().size(), entities) << message;
  EXPECT_EQ(scene.meshes().size(), meshes) << message;
  return message;
}

TEST(Scene, GivesLabelsTheirIds) {
  Scene scene = chain();
  const auto add = [&](const std::string& name, const std::string& label) {
    Entity entity = named(name);
    entity.label = label;
    return scene.label_id(scene.add_entity(entity));
  };
  EXPECT_EQ(scene.label_id(EntityId{0}), 0U);
  EXPECT_EQ(add("e", "chair"), 1U);
  EXPECT_EQ(add("f", "table"), 2U);
  EXPECT_EQ(add("g", "chair"), 1U);
  scene.add_label({"floor", 40, {{1, 2, 3}}});
  EXPECT_EQ(add("h", "floor"), 40U);
  EXPECT_EQ(add("i", "wall"), 41U);
  EXPECT_EQ(scene.labels().size(), 4U);
  EXPECT_EQ(scene.labels()[3].name, "wall");
  EXPECT_EQ(refused(scene, [&] { scene.add_label({"", 5, {}}); }), "a label needs a name");
  EXPECT_EQ(refused(scene, [&] { scene.add_label({"chair", 5, {}}); }), "label 'chair': the name is taken");
  EXPECT_EQ(refused(scene, [&] { scene.add_label({"lamp", 40, {}}); }), "label 'lamp': the id 40 is that of 'floor'");
  for (const std::uint32_t id : {0U, 65536U}) {
    EXPECT_EQ(refused(scene,
                      [&] {
                        scene.add_label({"lamp", id, {}});
                      }),
              "label 'lamp': id = " + std::to_string(id) + " is not in [1, 65535]");
  }
  scene.add_label({"last", 65535, {}});
  EXPECT_EQ(refused(scene, [&] { add("j", "lamp"); }), "label 'lamp': id = 65536 is not in [1, 65535]");
  EXPECT_EQ(scene.labels().size(), 5U);
}

TEST(Scene, RefusesBadMeshesByName) {
  Scene scene = chain();
  EXPECT_EQ(refused(scene, [&] { scene.add_mesh({}, "empty"); }),
            "mesh 'empty': mesh is empty: 0 vertices, 0 triangles");
  EXPECT_EQ(refused(scene, [&] { scene.add_mesh({}); }), "mesh 1: mesh is empty: 0 vertices, 0 triangles");
}

TEST(Scene, RefusesBadEntitiesByName) {
  Scene scene = chain();
  const auto text = [&](const Entity& entity) { return refused(scene, [&] { scene.add_entity(entity); }); };
  EXPECT_EQ(text(named("")), "an entity needs a name");
  EXPECT_EQ(text(named("b")), "entity 'b': the name is taken");
  EXPECT_EQ(text(named("e", EntityId{9})), "entity 'e': parent 9 is not in [0, 4)");
  EXPECT_EQ(text(named("e", EntityId{4})), "entity 'e': parent 4 is not in [0, 4)") << "no entity is its own parent";
  Entity entity = named("e");
  entity.mesh = MeshId{1};
  EXPECT_EQ(text(entity), "entity 'e': mesh 1 is not in [0, 1)");
  for (const auto& [scale, shown] : {std::pair{0.0, "0"}, std::pair{double{NAN}, "nan"},
                                     std::pair{double{INFINITY}, "inf"}, std::pair{1e7, "10000000"}}) {
    entity = named("e");
    entity.scale.y = scale;
    EXPECT_EQ(text(entity), "entity 'e': scale = " + std::string(shown) + " is not in [1e-6, 1e6] or its negative");
  }
  for (const float reflectivity : {-0.1F, 1.1F, NAN}) {
    entity = named("e");
    entity.reflectivity = reflectivity;
    EXPECT_TRUE(contains(text(entity), "entity 'e': reflectivity = "));
  }
  entity = named("e");
  entity.scale = {-1, 2, -1e-3};
  EXPECT_EQ(input_error([&] { scene.add_entity(entity); }), "");
}

TEST(Scene, RefusesCycles) {
  Scene scene = chain();
  EXPECT_EQ(refused(scene, [&] { scene.set_parent(EntityId{0}, EntityId{0}); }),
            "entity 'a' would hang on itself, through 'a'");
  EXPECT_EQ(refused(scene, [&] { scene.set_parent(EntityId{0}, EntityId{2}); }),
            "entity 'a' would hang on itself, through 'c'");
  EXPECT_EQ(refused(scene, [&] { scene.set_parent(EntityId{0}, EntityId{77}); }), "entity 77 is not in [0, 4)");
  EXPECT_EQ(refused(scene, [&] { scene.set_parent(EntityId{77}, EntityId{0}); }), "entity 77 is not in [0, 4)");
  scene.set_parent(EntityId{2}, EntityId{3});  // c hangs on d now, so a may hang on b's former child's parent
  scene.set_parent(EntityId{0}, EntityId{3});
  EXPECT_EQ(refused(scene, [&] { scene.set_parent(EntityId{3}, EntityId{1}); }),
            "entity 'd' would hang on itself, through 'b'");
  scene.set_parent(EntityId{0}, kNoEntity);
  scene.set_parent(EntityId{3}, EntityId{1});
  EXPECT_EQ(scene.entities()[3].parent, EntityId{1});
}

RC_GTEST_PROP(Scene, NeverHoldsACycle, ()) {
  Scene scene;
  scene.add_mesh(make_box({1, 1, 1}));
  constexpr std::uint32_t kCount = 8;
  for (std::uint32_t i = 0; i < kCount; ++i) scene.add_entity(named(std::to_string(i)));
  for (int k = 0; k < 60; ++k) {
    const auto child = *rc::gen::inRange(0U, kCount), parent = *rc::gen::inRange(0U, kCount);
    input_error([&] { scene.set_parent(EntityId{child}, EntityId{parent}); });
  }
  for (std::uint32_t e = 0; e < kCount; ++e) {
    std::uint32_t steps = 0;
    for (EntityId up{e}; up != kNoEntity; up = scene.entities()[index(up)].parent) RC_ASSERT(++steps <= kCount);
  }
}

TEST(Scene, FindEntityNamesTheNearest) {
  Scene scene = chain();
  scene.add_entity(named("wardrobe"));
  EXPECT_EQ(input_error([&] { (void)scene.find_entity("wardrop"); }),
            "there is no entity 'wardrop' (nearest known: 'wardrobe')");
}

double any(double limit) { return limit * *rc::gen::inRange(-1'000'000, 1'000'001) * 1e-6; }
Pose any_pose() { return {{any(50), any(50), any(50)}, from_roll_pitch_yaw(any(3), any(3), any(3))}; }

RC_GTEST_PROP(Scene, PosesComposeThroughParents, ()) {
  Scene scene;
  scene.add_mesh(make_box({1, 1, 1}));
  const Pose a = any_pose(), b = any_pose(), c = any_pose();
  Entity scaled = named("a", kNoEntity, a);
  scaled.scale = {2, -3, 4};  // not inherited
  scene.add_entity(scaled);
  scene.add_entity(named("b", EntityId{0}, b));
  scene.add_entity(named("c", EntityId{1}, c));
  const Vec3 p = {any(9), any(9), any(9)};
  RC_ASSERT(norm(scene.world_from_entity(EntityId{2}, 0) * p - a * (b * (c * p))) < 1e-9);
  const Pose moved = any_pose();
  scene.set_pose(EntityId{1}, moved);
  RC_ASSERT(norm(scene.world_from_entity(EntityId{2}, 0) * p - a * (moved * (c * p))) < 1e-9);
  scene.set_parent(EntityId{2}, kNoEntity);
  RC_ASSERT(norm(scene.world_from_entity(EntityId{2}, 0) * p - c * p) < 1e-9);
}

TEST(Scene, ParentsThatMoveCarryTheirChildren) {
  Scene scene;
  scene.add_mesh(make_box({1, 1, 1}));
  Entity mover = named("mover");
  mover.parent_from_entity = Trajectory({{0, {{0, 0, 0}, {}}}, {2, {{4, 0, 0}, {}}}});
  scene.add_entity(mover);
  EXPECT_TRUE(scene.moves());
  scene.add_entity(named("rider", EntityId{0}, {{0, 1, 0}, {}}));
  EXPECT_EQ(scene.world_from_entity(EntityId{1}, 0.5).translation_m, (Vec3{1, 1, 0}));
  scene.set_pose(EntityId{0}, {{7, 0, 0}, {}});
  EXPECT_FALSE(scene.moves()) << "set_pose ends keyed motion";
  EXPECT_EQ(scene.world_from_entity(EntityId{1}, 0.5).translation_m, (Vec3{7, 1, 0}));
}

TEST(Scene, TakesManyPosesAtOnce) {
  Scene scene = chain(), one_by_one = chain();
  const std::vector<EntityId> ids = {EntityId{2}, EntityId{0}, EntityId{2}};
  const std::vector<double> p = {1, 2, 3, 4, 5, 6, 7, 8, 9}, q = {1, 0, 0, 0, 0, 0, 0, 1, 0.8, 0, 0.6, 0};
  const std::uint64_t before = scene.revision();
  scene.set_poses(ids, p, q);
  EXPECT_NE(scene.revision(), before);
  one_by_one.set_pose(EntityId{0}, {{4, 5, 6}, {0, 0, 0, 1}});
  one_by_one.set_pose(EntityId{2}, {{7, 8, 9}, {0.8, 0, 0.6, 0}});  // the later one
  for (std::uint32_t e = 0; e < scene.entities().size(); ++e) {
    EXPECT_EQ(scene.world_from_entity(EntityId{e}, 0), one_by_one.world_from_entity(EntityId{e}, 0)) << e;
  }
}

TEST(Scene, EveryChangeRaisesTheRevision) {
  Scene scene;
  std::uint64_t last = scene.revision();
  const auto raised = [&] { return scene.revision() > std::exchange(last, scene.revision()); };
  scene.add_mesh(make_box({1, 1, 1}));
  EXPECT_TRUE(raised());
  scene.add_entity(named("a"));
  EXPECT_TRUE(raised());
  scene.add_entity(named("b"));
  EXPECT_TRUE(raised());
  scene.set_pose(EntityId{0}, {{1, 0, 0}, {}});
  EXPECT_TRUE(raised());
  scene.set_parent(EntityId{1}, EntityId{0});
  EXPECT_TRUE(raised());
  scene.replace_vertices(MeshId{0}, make_box({2, 2, 2}).vertices_m);
  EXPECT_TRUE(raised());
}

TEST(Scene, ReplaceVerticesKeepsTheTrianglesAndCountsVersions) {
  Scene scene = chain();
  const Mesh other = make_box({2, 3, 4});
  EXPECT_EQ(scene.mesh_version(MeshId{0}), 0U);
  scene.replace_vertices(MeshId{0}, other.vertices_m);
  EXPECT_EQ(scene.mesh_version(MeshId{0}), 1U);
  EXPECT_EQ(scene.meshes()[0].vertices_m, other.vertices_m);
  EXPECT_EQ(scene.meshes()[0].triangles, other.triangles);
}

TEST(Scene, ReplaceVerticesRefusesWhatDoesNotFit) {
  Scene scene = chain();
  auto vertices = make_box({2, 3, 4}).vertices_m;
  EXPECT_EQ(refused(scene, [&] { scene.replace_vertices(MeshId{1}, vertices); }), "mesh 1 is not in [0, 1)");
  vertices[5][1] = NAN;
  EXPECT_EQ(refused(scene, [&] { scene.replace_vertices(MeshId{0}, vertices); }),
            "mesh 'box': vertex 5 = nan is not finite");
  vertices.pop_back();
  EXPECT_EQ(refused(scene, [&] { scene.replace_vertices(MeshId{0}, vertices); }), "mesh 'box': 7 vertices given for 8");
  EXPECT_EQ(scene.meshes()[0].vertices_m, make_box({1, 1, 1}).vertices_m);
  EXPECT_EQ(scene.mesh_version(MeshId{0}), 0U);
}

TEST(Scene, LimitsHoldForTheOriginsOfMeshes) {
  Scene scene;
  Mesh far = make_box({2, 2, 2});
  far.origin_m = {5e8, 0, 0};
  const MeshId id = scene.add_mesh(far, "far");
  Entity entity = named("stretched");
  entity.mesh = id, entity.scale = {4, 1, 1};
  EXPECT_TRUE(contains(refused(scene, [&] { scene.add_entity(entity); }), "reaches 2000000004 m from its origin"));
  entity.scale = {1.5, 1, 1};
  scene.add_entity(entity);
  auto vertices = far.vertices_m;
  vertices[3] = {3e8F, 0, 0};
  EXPECT_TRUE(contains(refused(scene, [&] { scene.replace_vertices(id, vertices); }), "reaches 1200000000 m"));
  vertices[3] = {6e8F, 0, 0};
  EXPECT_TRUE(contains(refused(scene, [&] { scene.replace_vertices(id, vertices); }), "vertex 3 = "));
  vertices[3] = {-9e8F, 0, 0};
  scene.replace_vertices(id, vertices);
  EXPECT_EQ(scene.meshes()[0].origin_m, far.origin_m);
  Mesh lost = far;
  lost.origin_m = {0, NAN, 0};
  EXPECT_EQ(refused(scene, [&] { scene.add_mesh(lost); }),
            "mesh 1: the origin of the mesh, nan m, is not in [-1e9, 1e9] m");
}

TEST(Scene, RefusesPosesThatAreNotFinite) {
  Scene scene = chain();
  EXPECT_EQ(refused(scene, [&] { scene.set_pose(EntityId{0}, {{NAN, 0, 0}, {}}); }), "pose: position is not finite");
  EXPECT_EQ(refused(scene, [&] { scene.set_pose(EntityId{4}, {}); }), "entity 4 is not in [0, 4)");
  const std::vector<EntityId> two = {EntityId{0}, EntityId{1}};
  const std::vector<double> p = {1, 2, 3, 4, 5, 6}, q = {1, 0, 0, 0, 1, 0, 0, 0};
  EXPECT_EQ(refused(scene, [&] { scene.set_poses(two, std::span(p).first(5), q); }),
            "positions are 5 numbers, not 6: 2 poses of 3");
  EXPECT_EQ(refused(scene, [&] { scene.set_poses(two, p, std::span(q).first(4)); }),
            "quaternions are 4 numbers, not 8: 2 poses of 4");
  EXPECT_EQ(refused(scene,
                    [&] {
                      scene.set_poses(std::vector{EntityId{0}, EntityId{4}}, p, q);
                    }),
            "entity 4 is not in [0, 4)");
  const std::vector<double> wrong = {1, 0, 0, 0, 0, 0, 0, 0.5};
  EXPECT_EQ(refused(scene, [&] { scene.set_poses(two, p, wrong); }),
            "entity '" + scene.entities()[1].name + "': quaternion has length 0.5, not 1");
}

}  // namespace
}  // namespace fathom::test
