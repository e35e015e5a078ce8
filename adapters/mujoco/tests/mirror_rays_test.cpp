// SPDX-License-Identifier: MIT
// Rays through the mirror of a model, and mj_ray through the model itself.
//
// Round geoms are meshes inside of the true shape, and contain the same shape made smaller by what make_sphere() and
// its neighbours say. So a ray from outside ends no nearer than mj_ray says of the model, and no farther than it says
// of the model with smaller round geoms; and where both say the same geom, it ends on that one, because no two geoms
// touch.

#ifdef FATHOM_MUJOCO

#include "mujoco/tests/worlds.hpp"

namespace fathom::test {
namespace {

constexpr std::size_t kRays = 3000;

/// Counts of compared rays, of hits, and of checked ids.
struct Tally {
  std::size_t rays = 0, hits = 0, ids = 0;
};

void expect_agreement(const MujocoWorld& world, const MujocoWorld& smaller, const MirrorOptions& options,
                      const RayFilter& filter, std::uint32_t seed, Tally& tally) {
  MujocoMirror mirror(world.model.get(), options);
  const Rays rays = random_rays(seed, kRays);
  const Frame frame = cast_rays(mirror.scene(world.data.get()), rays);
  for (std::size_t i = 0; i < kRays; ++i) {
    const RayAnswer near = ask_mj_ray(world, rays, i, filter), far = ask_mj_ray(smaller, rays, i, filter);
    const int geom = mirror.geom_id(frame.entity_id()[i]);
    const double range_m = frame.clean_range_m()[i], slack_m = geom < 0 ? 0.0 : rounding_m(frame.incidence_rad()[i]);
    ++tally.rays, tally.hits += geom >= 0;
    if (near.geom < 0) {
      ASSERT_EQ(geom, -1) << "seed " << seed << ", ray " << i;
      ++tally.ids;
      continue;
    }
    ASSERT_GE(range_m, near.range_m - slack_m) << "seed " << seed << ", ray " << i;
    if (far.geom >= 0) {
      ASSERT_LE(range_m, far.range_m + slack_m) << "seed " << seed << ", ray " << i << ", geom " << far.geom;
    }
    if (near.geom != far.geom) continue;
    ++tally.ids;
    ASSERT_EQ(geom, near.geom) << "seed " << seed << ", ray " << i;
  }
}

/// A world and the same with smaller round geoms.
struct WorldPair {
  MujocoWorld world, smaller;

  WorldPair(std::uint32_t seed, std::uint32_t segments, bool all_move = false)
      : world(make_world(random_mjcf(seed, 0, all_move))), smaller(make_world(random_mjcf(seed, segments, all_move))) {
    for (const MujocoWorld* w : {&world, &smaller}) raise_hills(*w->model, seed);
  }
};

TEST(MujocoRays, MeetTheGeomsThatMjRayMeets) {
  for (const std::uint32_t segments : {64U, 24U}) {
    Tally tally;
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
      const WorldPair pair(seed, segments);
      MirrorOptions options;
      options.segments = segments, options.infinite_plane_m = 1e6;  // beyond all horizons of the rays
      expect_agreement(pair.world, pair.smaller, options, {}, seed, tally);
      if (HasFatalFailure()) return;
    }
    EXPECT_GT(tally.hits, tally.rays / 3);  // rays from below pass the floor
    EXPECT_LT(tally.hits, tally.rays);
    EXPECT_GT(tally.ids, tally.rays * 98 / 100);  // few rays graze what is round
  }
}

TEST(MujocoRays, MeetEveryTypeOfGeom) {
  std::array<bool, mjGEOM_MESH + 1> met = {};
  for (std::uint32_t seed = 0; seed < 3; ++seed) {
    const WorldPair pair(seed, 64);
    MujocoMirror mirror(pair.world.model.get());
    const Frame frame = cast_rays(mirror.scene(pair.world.data.get()), random_rays(seed, kRays));
    for (const std::uint32_t entity : frame.entity_id()) {
      const int geom = mirror.geom_id(entity);
      if (geom >= 0) met[static_cast<std::size_t>(pair.world.model->geom_type[geom])] = true;
    }
  }
  for (std::size_t type = 0; type < met.size(); ++type) EXPECT_TRUE(met[type]) << "type " << type;
}

TEST(MujocoRays, PassThroughGroupsBodiesAndStaticsAsThoseOfMjRay) {
  for (std::uint32_t seed = 40; seed < 48; ++seed) {
    // MuJoCo 2.2.2 counts only the world's own geoms as static; 3 also the geoms of bodies welded to it.
    const bool statics = seed % 2 != 0;
    const WorldPair pair(seed, 64, !statics);
    Numbers numbers(seed);
    MirrorOptions options;
    RayFilter filter;
    options.infinite_plane_m = 1e6;
    for (std::size_t g = 0; g < options.groups.size(); ++g) {
      options.groups[g] = numbers(0, 1) < 0.6;
      filter.groups[g] = options.groups[g] ? 1 : 0;
    }
    options.groups[0] = true, filter.groups[0] = 1;  // or there might be nothing left
    options.statics = filter.statics = statics;
    if (seed % 3 != 0) {
      filter.body = 1 + static_cast<int>(seed % 10);
      options.exclude_bodies = {pair.world.model->names + pair.world.model->name_bodyadr[filter.body]};
    }
    Tally tally;
    ASSERT_NO_FATAL_FAILURE(expect_agreement(pair.world, pair.smaller, options, filter, seed, tally));
    EXPECT_GT(tally.hits, 0U);
  }
}

TEST(MujocoRays, FromInsideMeetTheFarSideOfSolids) {
  for (const char* shape : {"type='box' size='1 1 1'", "type='sphere' size='1'", "type='cylinder' size='1 1'",
                            "type='capsule' size='1 1'", "type='ellipsoid' size='1 1 1'"}) {
    const MujocoWorld world = make_world(std::string("<mujoco><worldbody><geom ") + shape + "/></worldbody></mujoco>");
    Rays rays = random_rays(5, 500);
    for (auto& origin : rays.origins) origin = {0.1F, -0.2F, 0.05F};
    const Frame frame = cast_rays(MujocoMirror(world.model.get()).scene(world.data.get()), rays);
    for (std::size_t i = 0; i < frame.size(); ++i) {
      const RayAnswer answer = ask_mj_ray(world, rays, i);
      ASSERT_EQ(answer.geom, 0);
      ASSERT_EQ(frame.entity_id()[i], 0U);
      ASSERT_NEAR(frame.clean_range_m()[i], answer.range_m, 0.02);
      ASSERT_LE(frame.clean_range_m()[i], answer.range_m + 1e-5);
    }
  }
}

TEST(MujocoRays, MeetFinitePlanesWithinTheirEdgesOnly) {
  const MujocoWorld world = make_world(
      "<mujoco><worldbody><geom type='plane' size='2 0.5 1' pos='1 0 0'/>"
      "<geom type='plane' size='0.3 0 1' pos='0 0 -1'/></worldbody></mujoco>");
  Rays rays;
  for (int x = -40; x < 40; ++x) {
    for (int y = -40; y < 40; ++y) {
      rays.origins.push_back({0.1F * static_cast<float>(x) + 0.05F, 0.1F * static_cast<float>(y) + 0.05F, 2.0F});
      rays.directions.push_back({0, 0, -1});
    }
  }
  MujocoMirror mirror(world.model.get());
  const Frame frame = cast_rays(mirror.scene(world.data.get()), rays);
  std::array<int, 3> met = {};
  for (std::size_t i = 0; i < frame.size(); ++i) {
    const RayAnswer answer = ask_mj_ray(world, rays, i);
    ASSERT_EQ(mirror.geom_id(frame.entity_id()[i]), answer.geom) << i;
    if (answer.geom >= 0) {
      ASSERT_NEAR(frame.clean_range_m()[i], answer.range_m, 1e-4) << i;
    }
    ++met.at(static_cast<std::size_t>(answer.geom) + 1);
  }
  for (const int count : met) EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace fathom::test

#else

TEST(MujocoRays, MeetTheGeomsThatMjRayMeets) { GTEST_SKIP() << "MuJoCo is not installed (Debian: libmujoco-dev)"; }

#endif
