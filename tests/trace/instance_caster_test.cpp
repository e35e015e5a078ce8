// SPDX-License-Identifier: MIT
// All InstanceCasters: inactive rays, directions of any length, maps of any kind, and lists that change. Results of the
// tree are compared bit by bit, results of Embree up to roundings and edges.

#include "trace/shoot.hpp"

namespace fathom::test {
namespace {

struct InstanceBench {
  explicit InstanceBench(const CasterChoice& choice)
      : executor(make_executor(choice.threads)), caster(instance_caster_of(choice, *executor)) {}
  InstanceBench(const CasterChoice& choice, const std::vector<CastInstance>& instances) : InstanceBench(choice) {
    caster->update(instances);
  }
  std::unique_ptr<Executor> executor;
  std::unique_ptr<InstanceCaster> caster;
};

/// A block of rays as an InstanceCaster takes them.
struct InstanceRays {
  std::array<float, kBlockRays> ox, oy, oz, dx, dy, dz, far;
  std::array<std::int32_t, kBlockRays> active;
  std::array<std::int32_t, kBlockRays / kPacketRays> coherent;
  std::uint32_t count = kBlockRays;
  float near = 0.0F;
};

struct InstanceHits {
  std::array<std::uint32_t, kBlockRays> instance, triangle;
  std::array<float, kBlockRays> t;
};

std::unique_ptr<InstanceHits> cast(const InstanceCaster& caster, const InstanceRays& rays) {
  auto hits = std::make_unique<InstanceHits>();
  const RayLanes lanes = {.ox = rays.ox.data(),
                          .oy = rays.oy.data(),
                          .oz = rays.oz.data(),
                          .dx = rays.dx.data(),
                          .dy = rays.dy.data(),
                          .dz = rays.dz.data(),
                          .count = rays.count};
  caster.cast(lanes, {rays.active.data(), rays.near, rays.far.data(), rays.coherent.data()},
              {hits->instance.data(), hits->triangle.data(), hits->t.data()});
  return hits;
}

void set_ray(InstanceRays& rays, std::size_t i, const Vec3& origin, const Vec3& direction) {
  rays.ox[i] = float(origin.x), rays.oy[i] = float(origin.y), rays.oz[i] = float(origin.z);
  rays.dx[i] = float(direction.x), rays.dy[i] = float(direction.y), rays.dz[i] = float(direction.z);
}

/// A fan in the first half of the block, called coherent or not, and rays in all directions in the second.
InstanceRays random_block(std::mt19937& random) {
  InstanceRays rays;
  const Vec3 middle = random_direction(random);
  const bool fan_is_coherent = random() % 2 == 0;
  const double opening = std::pow(10.0, real(random, -3, 0));
  for (std::size_t i = 0; i < kBlockRays; ++i) {
    const bool fan = i < kBlockRays / 2;
    const Vec3 origin = {real(random, -9, 9), real(random, -9, 9), real(random, -9, 9)};
    const Vec3 direction = fan ? middle + opening * random_direction(random) : random_direction(random);
    set_ray(rays, i, fan ? -6.0 * middle + 0.1 * random_direction(random) : origin, direction);
    rays.far[i] = std::numeric_limits<float>::max();
    rays.active[i] = -1;
    rays.coherent[i / kPacketRays] = fan && fan_is_coherent ? -1 : 0;
  }
  return rays;
}

std::shared_ptr<CastMesh> cast_mesh(Mesh mesh) {
  auto made = std::make_shared<CastMesh>();
  made->mesh = std::move(mesh);
  return made;
}

/// Turned, scaled by axis, perhaps mirrored.
Affine random_affine(std::mt19937& random) {
  Affine scale;
  for (int a = 0; a < 3; ++a) scale.m[a][a] = (random() % 2 == 0 ? 1 : -1) * real(random, 0.3, 2);
  return affine_of(random_pose(random, 5)) * scale;
}

std::vector<CastInstance> random_instances(std::mt19937& random) {
  std::vector<std::shared_ptr<CastMesh>> meshes;
  for (int i = 0; i < 3; ++i) meshes.push_back(cast_mesh(random_mesh(random)));
  std::vector<CastInstance> instances;
  for (std::size_t count = 1 + random() % 12; instances.size() < count;) {
    instances.push_back({.mesh = meshes[random() % meshes.size()], .world_from_mesh = random_affine(random)});
  }
  return instances;
}

/// Whether `got` is `expected`; says where it is not.
testing::AssertionResult same_hits(CasterKind kind, const InstanceRays& rays, const InstanceHits& expected,
                                   const InstanceHits& got) {
  std::size_t others = 0;
  for (std::size_t i = 0; i < rays.count; ++i) {
    const bool same = got.instance[i] == expected.instance[i] && got.triangle[i] == expected.triangle[i];
    const float t = expected.t[i];
    const bool missed = same && got.instance[i] == kNoInstance;
    if (kind == CasterKind::kTree ? same && same_bits(got.t[i], t)
                                  : missed || (same && std::abs(got.t[i] - t) <= 1e-3F * t)) {
      continue;
    }
    if (kind == CasterKind::kEmbree && !same && ++others <= 2) continue;  // at an edge
    return testing::AssertionFailure() << "ray " << i << ": t " << got.t[i] << " of instance " << got.instance[i]
                                       << ", triangle " << got.triangle[i] << "; expected " << t << " of "
                                       << expected.instance[i] << ", " << expected.triangle[i];
  }
  return testing::AssertionSuccess();
}

class InstanceCasters : public testing::TestWithParam<CasterChoice> {};
INSTANTIATE_TEST_SUITE_P(Casters, InstanceCasters, testing::ValuesIn(casters_and_isas(1)),
                         [](const auto& instance) { return name_of(instance.param); });

TEST_P(InstanceCasters, SeeNothingOfRaysThatAreSwitchedOff) {
  const float rubbish[] = {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), 0.0F,
                           -1e38F, std::numeric_limits<float>::denorm_min()};
  std::mt19937 random(21);
  for (std::size_t scene = 0; scene < 120; ++scene) {
    const InstanceBench bench(GetParam(), random_instances(random));
    InstanceRays rays = random_block(random);
    rays.count = 1 + static_cast<std::uint32_t>(random() % kBlockRays);
    rays.near = scene % 2 == 0 ? 0.0F : 0.5F;
    const std::size_t one_in = scene % 5 == 0 ? 1 : 3;  // at times, all are
    for (std::size_t i = 0; i < kBlockRays; ++i) {
      if (random() % 2 == 0) rays.far[i] = static_cast<float>(real(random, 0, 12));
      if (i >= rays.count || random() % one_in == 0) rays.active[i] = 0;
    }
    const auto expected = cast(*bench.caster, rays);
    for (std::size_t i = 0; i < kBlockRays; ++i) {
      if (rays.active[i] != 0) continue;
      for (auto* lanes : {&rays.ox, &rays.oy, &rays.oz, &rays.dx, &rays.dy, &rays.dz, &rays.far}) {
        (*lanes)[i] = rubbish[(scene % 2 == 0 ? scene / 2 : random()) % std::size(rubbish)];
      }
    }
    const auto got = cast(*bench.caster, rays);
    for (std::size_t i = 0; i < rays.count; ++i) {
      ASSERT_EQ(got->instance[i], expected->instance[i]) << i;
      ASSERT_TRUE(rays.active[i] != 0 || got->instance[i] == kNoInstance) << i;
      if (got->instance[i] == kNoInstance) continue;
      ASSERT_EQ(got->triangle[i], expected->triangle[i]) << i;
      ASSERT_TRUE(same_bits(got->t[i], expected->t[i])) << i;
      ASSERT_LE(got->t[i], rays.far[i]) << i;
    }
  }
}

TEST_P(InstanceCasters, CountRangesInLengthsOfTheDirection) {
  std::mt19937 random(22);
  for (int scene = 0; scene < 30; ++scene) {
    const InstanceBench bench(GetParam(), random_instances(random));
    InstanceRays rays = random_block(random);
    for (std::size_t i = 0; i < kBlockRays; ++i) {
      if (i % 4 == 0) rays.dz[i] = 0.0F;  // along an axis, and nearly so
      if (i % 8 == 0) rays.dy[i] = i % 16 == 0 ? 0.0F : 1e-9F;
      if (i % 3 == 0) rays.far[i] = 6.0F;
    }
    const auto expected = cast(*bench.caster, rays);
    for (const int most : {1, 13, 40, 90}) {  // to 1e12, and to 1e-12; the tree's to 1e27 and 1e-27
      if (most > 40 && GetParam().caster == CasterKind::kEmbree) continue;  // it ends the process at 1.8e18
      InstanceRays scaled = rays;
      std::array<float, kBlockRays> length;
      for (std::size_t i = 0; i < kBlockRays; ++i) {
        length[i] = std::ldexp(1.0F, static_cast<int>(random() % (2U * most + 1U)) - most);
        scaled.dx[i] *= length[i], scaled.dy[i] *= length[i], scaled.dz[i] *= length[i];
        if (i % 3 == 0) scaled.far[i] /= length[i];
      }
      const auto got = cast(*bench.caster, scaled);
      for (std::size_t i = 0; i < kBlockRays; ++i) got->t[i] *= length[i];
      ASSERT_TRUE(same_hits(GetParam().caster, rays, *expected, *got)) << "2^" << most;
    }
  }
}

TEST_P(InstanceCasters, TurnRaysIntoMirroredAndScaledInstances) {
  std::mt19937 random(23);
  for (int scene = 0; scene < 40; ++scene) {
    const auto mesh = cast_mesh(random_mesh(random));
    CastInstance placed = {.mesh = mesh};
    double scale[3];
    for (int a = 0; a < 3; ++a) {  // exact to divide by
      scale[a] = std::ldexp(random() % 2 == 0 ? 1.0 : -1.0, static_cast<int>(random() % 7) - 3);
      placed.world_from_mesh.m[a][a] = scale[a];
    }
    const InstanceBench plain(GetParam(), {{.mesh = mesh}}), bench(GetParam(), {placed});
    const InstanceRays rays = random_block(random);
    InstanceRays in_world = rays;
    for (std::size_t i = 0; i < kBlockRays; ++i) {
      in_world.ox[i] *= float(scale[0]), in_world.oy[i] *= float(scale[1]), in_world.oz[i] *= float(scale[2]);
      in_world.dx[i] *= float(scale[0]), in_world.dy[i] *= float(scale[1]), in_world.dz[i] *= float(scale[2]);
    }
    ASSERT_TRUE(same_hits(GetParam().caster, rays, *cast(*plain.caster, rays), *cast(*bench.caster, in_world)));
  }
}

TEST_P(InstanceCasters, DoNotSeeInstancesThatAreFlattened) {
  std::mt19937 random(24);
  for (int scene = 0; scene < 20; ++scene) {
    std::vector<CastInstance> instances = random_instances(random);
    CastInstance flat = {.mesh = cast_mesh(make_box({100, 100, 100}))};  // would be in the way of every ray
    instances.push_back(flat);
    InstanceBench bench(GetParam(), instances);
    const InstanceRays rays = random_block(random);
    const auto with_box = cast(*bench.caster, rays);
    for (std::size_t i = 0; i < kBlockRays; ++i) ASSERT_NE(with_box->instance[i], kNoInstance);
    const int axis = scene % 3;
    for (double& value : instances.back().world_from_mesh.m[axis]) value = 0;  // into a plane
    if (scene % 2 == 0) instances.back().world_from_mesh = Affine{{{0, 0, 0, 1}, {0, 0, 0, 2}, {0, 0, 0, 3}}};
    bench.caster->update(instances);
    const InstanceBench without(GetParam(), {instances.begin(), instances.end() - 1});
    ASSERT_TRUE(same_hits(GetParam().caster, rays, *cast(*without.caster, rays), *cast(*bench.caster, rays)));
    instances.back() = flat;  // it comes back
    bench.caster->update(instances);
    ASSERT_TRUE(same_hits(GetParam().caster, rays, *with_box, *cast(*bench.caster, rays)));
  }
}

/// Laws of the tree alone.
class TreeInstanceCasters : public InstanceCasters {};
std::vector<CasterChoice> trees_and_isas() {
  std::vector<CasterChoice> choices = casters_and_isas(1);
  std::erase_if(choices, [](const CasterChoice& c) { return c.caster != CasterKind::kTree; });
  return choices;
}
INSTANTIATE_TEST_SUITE_P(Isas, TreeInstanceCasters, testing::ValuesIn(trees_and_isas()),
                         [](const auto& instance) { return name_of(instance.param); });

/// A block whose fan is cast as a tile, and the same rays one by one.
void expect_tiles_cast_as_single_rays(const InstanceCaster& caster, InstanceRays rays, int& hits) {
  std::fill(rays.coherent.begin(), rays.coherent.end(), -1);
  const auto tiles = cast(caster, rays);
  std::fill(rays.coherent.begin(), rays.coherent.end(), 0);
  const auto alone = cast(caster, rays);
  ASSERT_TRUE(same_hits(CasterKind::kTree, rays, *alone, *tiles));
  for (const std::uint32_t instance : alone->instance) hits += instance != kNoInstance ? 1 : 0;
}

/// Turns each ray of a block to a vertex of a mesh.
void aim_at_vertices(std::mt19937& random, const CastInstance& instance, InstanceRays& rays) {
  const auto& vertices = instance.mesh->mesh.vertices_m;
  const Vec3 origin = {real(random, -9, 9), real(random, -9, 9), real(random, -9, 9)};
  for (std::size_t i = 0; i < kBlockRays; ++i) {
    const auto& v = vertices[random() % vertices.size()];
    const Vec3 at = transform_point(instance.world_from_mesh, {v[0], v[1], v[2]});
    set_ray(rays, i, origin, at - origin);
  }
}

/// Where edge functions overflow a hit means nothing; but every path finds the same.
TEST_P(TreeInstanceCasters, VerticesOfAnySizeGiveOneResult) {
  std::mt19937 random(26);
  int hits = 0;
  for (int scene = 0; scene < 400; ++scene) {
    Mesh mesh = random_mesh(random);
    for (auto& vertex : mesh.vertices_m) {
      const auto size = static_cast<float>(std::pow(10.0, real(random, 0, scene % 2 == 0 ? 37 : 20)));
      for (float& c : vertex) c *= size;
    }
    const InstanceBench bench(GetParam(), {{.mesh = cast_mesh(std::move(mesh))}});
    InstanceRays rays = random_block(random);
    for (std::size_t i = 0; i < kBlockRays; ++i)
      rays.ox[i] = rays.ox[0], rays.oy[i] = rays.oy[0], rays.oz[i] = rays.oz[0];
    expect_tiles_cast_as_single_rays(*bench.caster, rays, hits);
  }
  EXPECT_GT(hits, 1000);
}

/// Directions would overflow on their way into the frame of such a mesh, and boxes would coincide.
TEST_P(TreeInstanceCasters, DoNotSeeInstancesOfExtremeScales) {
  std::mt19937 random(27);
  for (const double scale : {1e-39, 1e-37, 1e-28, 1e-19, 1e19, 1e30}) {
    Affine tiny;
    for (int a = 0; a < 3; ++a) tiny.m[a][a] = scale;
    const CastInstance placed = {.mesh = cast_mesh(make_box({2, 2, 2})), .world_from_mesh = tiny};
    const InstanceBench bench(GetParam(), {placed});
    for (const float length : {1.0F, 1e10F, 1e15F}) {
      InstanceRays rays = random_block(random);
      aim_at_vertices(random, placed, rays);
      for (std::size_t i = 0; i < kBlockRays; ++i) rays.dx[i] *= length, rays.dy[i] *= length, rays.dz[i] *= length;
      const auto hits = cast(*bench.caster, rays);
      for (const std::uint32_t instance : hits->instance) ASSERT_EQ(instance, kNoInstance);
    }
  }
}

/// Moves, deforms, adds, removes or exchanges something. Versions count what was deformed.
void change(std::mt19937& random, std::vector<CastInstance>& instances) {
  if (instances.empty() || random() % 6 == 0) {
    instances.push_back({.mesh = cast_mesh(random_mesh(random)), .world_from_mesh = random_affine(random)});
    return;
  }
  const std::size_t i = random() % instances.size();
  switch (random() % 5) {
    case 0:
      instances[i].world_from_mesh = random_affine(random);
      break;
    case 1: {  // of all that share it
      const auto mesh = std::const_pointer_cast<CastMesh>(instances[i].mesh);
      for (auto& vertex : mesh->mesh.vertices_m) {
        for (float& c : vertex) c += static_cast<float>(real(random, -0.1, 0.1));
      }
      ++mesh->version;
      break;
    }
    case 2:
      instances.erase(instances.begin() + static_cast<std::ptrdiff_t>(i));  // those behind move up
      break;
    case 3:
      instances[i].mesh = cast_mesh(random_mesh(random));
      break;
    default:
      instances.push_back({.mesh = instances[i].mesh, .world_from_mesh = random_affine(random)});
  }
}

TEST_P(InstanceCasters, FollowTheirListAsIfTheyWereNew) {
  std::mt19937 random(25);
  std::vector<CastInstance> instances = random_instances(random);
  InstanceBench followed(GetParam(), instances);
  for (int step = 0; step < 60; ++step) {
    const std::vector<CastInstance> before = instances;  // meshes are known by their address: they stay until update()
    for (std::size_t changes = random() % 4; changes > 0; --changes) change(random, instances);
    if (step == 40) instances.clear();
    followed.caster->update(instances);
    const InstanceBench fresh(GetParam(), instances);
    const InstanceRays rays = random_block(random);
    ASSERT_TRUE(same_hits(GetParam().caster, rays, *cast(*fresh.caster, rays), *cast(*followed.caster, rays)))
        << "step " << step;
  }
}

}  // namespace

// KeptByMesh makes a value once, again for another version, and forgets it when the mesh is not used.

namespace {

/// Keeps how often something was made of a mesh.
struct KeptCounts {
  KeptByMesh<int> kept;
  int builds = 0;

  void update(const std::vector<std::shared_ptr<CastMesh>>& meshes) {
    std::vector<CastInstance> instances;
    instances.reserve(meshes.size());
    for (const auto& mesh : meshes) instances.push_back({mesh});
    kept.update(
        instances, [&](const Mesh&) { return ++builds, 1; }, [](const Mesh&, int& count) { ++count; });
  }
};

TEST(KeptByMesh, MakesOnceAndAnewForAnotherVersion) {
  const auto a = std::make_shared<CastMesh>(), b = std::make_shared<CastMesh>();
  KeptCounts counts;
  counts.update({a, b, a});
  EXPECT_EQ(counts.builds, 2);
  EXPECT_TRUE(counts.kept.at(*a).changed && counts.kept.at(*b).changed);
  counts.kept.finish();
  a->version = 7;
  counts.update({a, b, a});
  EXPECT_EQ(counts.builds, 2);
  EXPECT_EQ(counts.kept.at(*a).of, 2);
  EXPECT_EQ(counts.kept.at(*b).of, 1);
  EXPECT_TRUE(counts.kept.at(*a).changed);
  EXPECT_FALSE(counts.kept.at(*b).changed);
}

TEST(KeptByMesh, ForgetsWhatIsNotUsedWhenTheListIsFinished) {
  const auto a = std::make_shared<CastMesh>(), b = std::make_shared<CastMesh>();
  KeptCounts counts;
  counts.update({a, b});
  counts.kept.finish();
  counts.update({b});
  EXPECT_EQ(counts.kept.at(*a).of, 1);
  counts.kept.finish();
  EXPECT_THROW((void)counts.kept.at(*a), std::out_of_range);
  counts.update({a, b});
  EXPECT_EQ(counts.builds, 3);
}

TEST(KeptByMesh, KeepsNothingOfAMeshThatCouldNotBeBuilt) {
  const auto a = std::make_shared<CastMesh>();
  KeptCounts counts;
  const auto refuse = [](const Mesh&) -> int { throw std::runtime_error("no memory"); };
  EXPECT_THROW(counts.kept.update({{a}}, refuse, [](const Mesh&, int&) {}), std::runtime_error);
  counts.update({a});
  EXPECT_EQ(counts.builds, 1);
}

}  // namespace
}  // namespace fathom::test
