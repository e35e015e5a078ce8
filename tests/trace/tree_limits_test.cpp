// SPDX-License-Identifier: MIT
// What limits rays of the tree: masks, ends, and rays that are not cast. A limit changes nothing but what it names, bit
// by bit, in tiles and alone, for the nearest hit and for any.

#include "trace/shoot.hpp"
#include "trace/tree/build.hpp"
#include "trace/tree/instances.hpp"
#include "trace/tree/kernels.hpp"

#define FATHOM_ISA lanes_of_tests
#include "trace/tree/lanes.hpp"

namespace fathom::test {
namespace {

/// Meshes in random places, each with a mask of three bits.
struct MaskedWorld {
  std::vector<tree::MeshTree> meshes;
  std::vector<Affine> places;
  std::vector<std::uint32_t> masks;
};

MaskedWorld random_masked_world(std::mt19937& random, Executor& executor) {
  MaskedWorld world;
  for (std::size_t count = 1 + random() % 40; world.meshes.size() < count;) {
    const Mesh mesh = random_mesh(random);
    world.meshes.push_back(tree::build_mesh(mesh.vertices_m, mesh.triangles, executor));
    world.places.push_back(affine_of(random_pose(random, 4)));
    world.masks.push_back(random() % 8);
  }
  return world;
}

/// What a ray of mask `seen` meets, and nothing else; the numbers of instances stay.
tree::Instances visible_to(const MaskedWorld& world, std::uint32_t seen, Executor& executor) {
  tree::Instances instances;
  for (std::size_t i = 0; i < world.meshes.size(); ++i) {
    if ((world.masks[i] & seen) != 0) instances.place(i, world.meshes[i], world.places[i]);
  }
  instances.commit(executor);
  return instances;
}

/// 256 rays that open a little, from one point or from different points.
struct LimitedRays {
  std::array<float, 256> ox, oy, oz, dx, dy, dz, near, far;
  std::array<std::uint32_t, 256> masks;
  bool one_origin;

  [[nodiscard]] CastRays cast_rays(bool coherent) const {
    CastRays rays;
    if (one_origin) {
      rays.origin[0] = ox[0], rays.origin[1] = oy[0], rays.origin[2] = oz[0];
    } else {
      rays.ox = ox.data(), rays.oy = oy.data(), rays.oz = oz.data();
    }
    rays.dx = dx.data(), rays.dy = dy.data(), rays.dz = dz.data(), rays.near = near.data();
    rays.count = 256, rays.coherent = coherent;
    return rays;
  }
};

LimitedRays random_limited_rays(std::mt19937& random) {
  LimitedRays rays;
  rays.one_origin = random() % 2 == 0;
  const Vec3 middle = random_direction(random), origin = -6.0 * middle + 2.0 * random_direction(random);
  const double opening = std::pow(10.0, real(random, -3, 0.3)), spread = rays.one_origin ? 0 : real(random, 0, 0.5);
  for (std::size_t i = 0; i < 256; ++i) {
    const Vec3 o = origin + spread * random_direction(random), d = middle + opening * random_direction(random);
    rays.ox[i] = float(o.x), rays.oy[i] = float(o.y), rays.oz[i] = float(o.z);
    rays.dx[i] = float(d.x), rays.dy[i] = float(d.y), rays.dz[i] = float(d.z);
    rays.near[i] = random() % 2 == 0 ? 0.0F : static_cast<float>(real(random, 0, 3));
    rays.far[i] = random() % 8 == 0 ? -1.0F : static_cast<float>(real(random, 0, 12));
    rays.masks[i] = random() % 8;
  }
  return rays;
}

struct FoundHits {
  std::array<float, 256> t, nx, ny, nz;
  std::array<std::uint32_t, 256> instance, triangle;

  [[nodiscard]] bool same(const FoundHits& other, std::size_t i) const {
    if (!same_bits(t[i], other.t[i]) || instance[i] != other.instance[i] || triangle[i] != other.triangle[i])
      return false;
    return instance[i] == tree::kNone ||
           (same_bits(nx[i], other.nx[i]) && same_bits(ny[i], other.ny[i]) && same_bits(nz[i], other.nz[i]));
  }
};

const tree::Kernels& tree_kernels(Isa isa) { return FATHOM_FOR_ISA(isa, kTreeKernels); }

std::unique_ptr<FoundHits> find_hits(Isa isa, const tree::Instances& instances, const LimitedRays& rays, bool coherent,
                                     const tree::RayLimits& limits) {
  auto hits = std::make_unique<FoundHits>();
  tree_kernels(isa).cast(instances.world(), rays.cast_rays(coherent), limits,
                         {hits->t.data(), hits->instance.data(), hits->triangle.data(), hits->nx.data(),
                          hits->ny.data(), hits->nz.data()});
  return hits;
}

/// Walks read the sign of words that are no masks.
TEST(TreeLanes, BitsAreSigns) {
  constexpr std::uint32_t kWords[] = {0x80000004U, 1U, 0xfffffff0U, 0x7fffffffU};
  for (std::size_t first = 0; first < 4; ++first) {
    float lanes[4];
    unsigned signs = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const std::uint32_t word = kWords[(first + k) % 4];
      lanes[k] = std::bit_cast<float>(word), signs |= word >> 31U << k;
    }
    EXPECT_EQ(bits(lanes_of_tests::F4::load(lanes)), signs);
  }
}

/// docs/tracer.md: 2^-17 for rotations and scales along the axes of a mesh, a third of the largest entry of |A| |A^-1|
/// times as much for others. Squeezed to `flat` after a turn by 45 degrees, that entry is 1 / flat.
TEST(TreeLimits, TheSlackOfBoxesOfInstancesGrowsWithTheSkewOfTheirMaps) {
  const auto executor = make_executor(1);
  const Mesh box = make_box({2, 1, 3});
  const tree::MeshTree mesh = tree::build_mesh(box.vertices_m, box.triangles, *executor);
  Affine scale;
  scale.m[0][0] = 0.001, scale.m[1][1] = -40, scale.m[2][2] = 3;
  tree::Instances instances;
  instances.place(0, mesh, affine_of({{1, 2, 3}, from_roll_pitch_yaw(0.3, -1.1, 2)}) * scale);
  instances.commit(*executor);
  EXPECT_EQ(instances.world().slack, 0x1p-17F);
  for (const double flat : {0.1, 1e-3, 1e-5}) {
    Affine squeeze;
    squeeze.m[1][1] = flat;
    instances.place(1, mesh, squeeze * affine_of({{0, 0, 0}, from_roll_pitch_yaw(0, 0, std::numbers::pi / 4)}));
    instances.commit(*executor);
    EXPECT_NEAR(instances.world().slack * 0x1p17 * 3 * flat, 1.0, 1e-5);
  }
  instances.truncate(1);
  instances.commit(*executor);
  EXPECT_EQ(instances.world().slack, 0x1p-17F);
}

RC_GTEST_PROP(TreeLimits, ARayMeetsWhatItsMaskShowsAndNothingElse, (std::uint32_t seed)) {
  std::mt19937 random(seed);
  const auto executor = make_executor(1);
  const MaskedWorld world = random_masked_world(random, *executor);
  tree::Instances all;
  for (std::size_t i = 0; i < world.meshes.size(); ++i) {
    all.place(i, world.meshes[i], world.places[i], world.masks[i]);
  }
  all.commit(*executor);
  const LimitedRays rays = random_limited_rays(random);
  std::array<float, 256> clear;
  for (float& share : clear) share = random() % 8 == 0 ? 0.0F : static_cast<float>(real(random, 0.1, 12));
  const SightLines lines = {.eye = {rays.ox[0], rays.oy[0], rays.oz[0]},
                            .dx = rays.dx.data(),
                            .dy = rays.dy.data(),
                            .dz = rays.dz.data(),
                            .clear = clear.data(),
                            .count = 256};
  std::size_t met = 0, blocked_lines = 0;
  for (const Isa isa : usable_isas()) {
    const auto in_tiles = find_hits(isa, all, rays, true, {.masks = rays.masks.data()});
    const auto alone = find_hits(isa, all, rays, false, {.masks = rays.masks.data()});
    std::array<std::uint32_t, 256> blocked, expected_blocked;
    tree_kernels(isa).find_blocked(all.world(), lines, rays.masks.data(), blocked.data());
    for (std::uint32_t mask = 0; mask < 8; ++mask) {
      const tree::Instances visible = visible_to(world, mask, *executor);
      const auto expected = find_hits(isa, visible, rays, false, {});
      tree_kernels(isa).find_blocked(visible.world(), lines, nullptr, expected_blocked.data());
      for (std::size_t i = 0; i < 256; ++i) {
        if (rays.masks[i] != mask) continue;
        RC_ASSERT(in_tiles->same(*expected, i));
        RC_ASSERT(alone->same(*expected, i));
        RC_ASSERT(blocked[i] == expected_blocked[i]);
        met += expected->instance[i] != tree::kNone, blocked_lines += blocked[i];
      }
    }
  }
  RC_CLASSIFY(met > 0U && blocked_lines > 0U);
}

RC_GTEST_PROP(TreeLimits, ARayMeetsNothingBehindItsEnd, (std::uint32_t seed)) {
  std::mt19937 random(seed);
  const auto executor = make_executor(1);
  const MaskedWorld meshes = random_masked_world(random, *executor);
  const tree::Instances world = visible_to(meshes, 7, *executor);
  LimitedRays rays = random_limited_rays(random);
  const auto endless = find_hits(detect_isa(), world, rays, false, {});
  for (std::size_t i = 0; i < 256; ++i) {  // some end at what they meet, some just before it
    if (endless->instance[i] != tree::kNone && i % 3 == 0) rays.far[i] = endless->t[i];
    if (endless->instance[i] != tree::kNone && i % 3 == 1) rays.far[i] = std::nextafter(endless->t[i], 0.0F);
  }
  for (const Isa isa : usable_isas()) {
    for (const bool coherent : {false, true}) {
      const auto hits = find_hits(isa, world, rays, coherent, {.far = rays.far.data()});
      for (std::size_t i = 0; i < 256; ++i) {
        const bool reached = endless->instance[i] != tree::kNone && endless->t[i] <= rays.far[i];
        if (reached) RC_ASSERT(hits->same(*endless, i));
        if (!reached) RC_ASSERT(hits->instance[i] == tree::kNone && std::isinf(hits->t[i]));
      }
    }
  }
}

}  // namespace
}  // namespace fathom::test
