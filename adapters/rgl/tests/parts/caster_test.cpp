// SPDX-License-Identifier: MIT
// RayCaster against every triangle in double precision. A caster chooses the triangle, in single precision; so near an
// edge it may choose the neighbour, or none. The oracle therefore knows hits that are sure, hits that are possible, and
// nothing between the two is demanded.

#include "parts/surface.hpp"
#include "rgl/tests/parts/random.hpp"
#include "support/casters.hpp"

namespace fathom::test {
namespace {

std::shared_ptr<CastMesh> shared(Mesh mesh) {
  auto made = std::make_shared<CastMesh>();
  made->mesh = std::move(mesh);
  return made;
}

/// Triangles about the origin, none of them a sliver.
Mesh make_soup(Random& random, std::size_t triangles) {
  Mesh mesh;
  while (mesh.triangles.size() < triangles) {
    const Vec3 a = random.vector(-2, 2), ab = random.vector(-1, 1), ac = random.vector(-1, 1);
    if (norm(cross(ab, ac)) < 0.4) continue;
    const auto base = static_cast<std::uint32_t>(mesh.vertices_m.size());
    for (const Vec3& v : {a, a + ab, a + ac}) mesh.vertices_m.push_back({float(v.x), float(v.y), float(v.z)});
    mesh.triangles.push_back({base, base + 1, base + 2});
  }
  return mesh;
}

/// Turned, stretched, sheared, perhaps mirrored.
Affine random_map(Random& random) {
  const Vec3 turn = random.vector(-3, 3);
  Affine skew;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) skew.m[r][c] = r == c ? random.real(0.5, 2) : random.real(-0.2, 0.2);
  }
  if (random.below(2) == 1) skew.m[0][0] *= -1;
  return affine_of({random.vector(-8, 8), from_roll_pitch_yaw(turn.x, turn.y, turn.z)}) * skew;
}

std::vector<CastInstance> make_instances(Random& random) {
  const auto soup = shared(make_soup(random, 40)), box = shared(make_box({1, 2, 3})),
             ball = shared(make_sphere(1.5, 12));
  std::vector<CastInstance> instances;
  for (int i = 0; i < 4; ++i) {
    for (const auto& mesh : {soup, box, ball})
      instances.push_back({.mesh = mesh, .world_from_mesh = random_map(random)});
  }
  CastInstance flat = {.mesh = shared(make_box({100, 100, 100}))};  // would hide everything
  flat.world_from_mesh.m[2][2] = 0;
  instances.push_back(flat);
  return instances;
}

struct Ray {
  Vec3 origin, direction;
  float far = 0;
  std::int32_t active = -1;
};

/// What single precision knows of a ray and a triangle.
struct Meeting {
  std::uint32_t instance, triangle;
  double t;
  double slack;  ///< relative, of shares of the corners
  double least;  ///< smallest share of a corner
  double cosine;

  [[nodiscard]] bool sure() const { return least > slack; }
  [[nodiscard]] bool possible() const { return least > -slack; }
};

std::optional<Meeting> meet(const CastInstance& instance, std::uint32_t number, std::uint32_t triangle,
                            const Ray& ray) {
  const auto corner = [&](std::size_t k) {
    const auto& v = instance.mesh->mesh.vertices_m[instance.mesh->mesh.triangles[triangle][k]];
    return transform_point(instance.world_from_mesh, {v[0], v[1], v[2]});
  };
  const Vec3 a = corner(0), ab = corner(1) - a, ac = corner(2) - a, normal = cross(ab, ac), way = a - ray.origin;
  const double area = norm(normal), along = dot(normal, ray.direction), length = norm(ray.direction);
  const double cosine = std::abs(along) / (area * length);
  if (!(cosine > 1e-6)) return std::nullopt;
  const double t = dot(normal, way) / along;
  const Vec3 q = ray.origin + t * ray.direction - a;
  const double b = dot(cross(q, ac), normal) / (area * area), c = dot(cross(ab, q), normal) / (area * area);
  // Coordinates are known to 2^-24 of the largest; seen along the ray, against the smallest height of the triangle.
  const double height = area / std::max({norm(ab), norm(ac), norm(ac - ab)});
  const double largest = norm(ray.origin) + norm(a) + std::abs(t) * length;
  return Meeting{number, triangle, t, 64 * 0x1p-24 * largest / (height * cosine), std::min({b, c, 1 - b - c}), cosine};
}

std::vector<Meeting> all_meetings(const std::vector<CastInstance>& instances, const Ray& ray) {
  std::vector<Meeting> found;
  for (std::uint32_t i = 0; i < instances.size(); ++i) {
    if (!inverse(instances[i].world_from_mesh)) continue;
    for (std::uint32_t k = 0; k < instances[i].mesh->mesh.triangles.size(); ++k) {
      const auto m = meet(instances[i], i, k, ray);
      if (m && m->t > 0 && m->t <= ray.far && m->possible()) found.push_back(*m);
    }
  }
  return found;
}

/// As the caster gets them: rounded to single precision.
std::vector<Ray> make_rays(Random& random, std::size_t count) {
  const auto rounded = [](const Vec3& v) { return Vec3{float(v.x), float(v.y), float(v.z)}; };
  std::vector<Ray> rays;
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3 from = random.vector(-12, 12), to = random.vector(-8, 8);
    const double length = std::pow(10, random.real(-1, 1)) / norm(to - from);
    rays.push_back({rounded(from), rounded(length * (to - from)),
                    random.below(3) == 0 ? float(random.real(0.5, 20)) : 1e9F, random.below(10) == 0 ? 0 : -1});
  }
  return rays;
}

struct Shot {
  std::uint32_t instance, triangle;
  double t;
  float distance_m;
};

std::vector<Shot> cast_all(const RayCaster& caster, const std::vector<Ray>& rays, std::uint32_t block) {
  std::vector<Shot> shots;
  const auto lanes = std::make_unique<RayBlock>();
  const auto hits = std::make_unique<HitLanes>();
  float far[kBlockRays] = {};
  std::int32_t active[kBlockRays] = {};
  for (std::size_t begin = 0; begin < rays.size(); begin += block) {
    const auto count = static_cast<std::uint32_t>(std::min<std::size_t>(block, rays.size() - begin));
    for (std::uint32_t i = 0; i < (count + 15) / 16 * 16; ++i) {
      const Ray& r = rays[begin + std::min(i, count - 1)];
      lanes->ox[i] = float(r.origin.x), lanes->oy[i] = float(r.origin.y), lanes->oz[i] = float(r.origin.z);
      lanes->dx[i] = float(r.direction.x), lanes->dy[i] = float(r.direction.y), lanes->dz[i] = float(r.direction.z);
      far[i] = r.far, active[i] = r.active;
    }
    caster.cast({lanes->ox, lanes->oy, lanes->oz, lanes->dx, lanes->dy, lanes->dz, far, active, count}, *hits);
    for (std::uint32_t i = 0; i < count; ++i) {
      shots.push_back({hits->instance[i], hits->triangle[i], hits->t[i], hits->distance_m[i]});
    }
  }
  return shots;
}

TEST(RayCaster, FindsWhatEveryTriangleFinds) {
  const auto executor = make_executor(2);
  for (const Compute& compute : every_isa()) {
    SCOPED_TRACE(to_string(compute.isa));
    constexpr double kRounding = 0x1p-24;
    Random random(7);
    std::size_t hits = 0, misses = 0, near_edges = 0;
    for (int scene = 0; scene < 3; ++scene) {
      RayCaster caster(*executor, compute);
      caster.update(make_instances(random));
      const std::vector<Ray> rays = make_rays(random, repetitions(2500));
      const std::vector<Shot> shots = cast_all(caster, rays, scene == 0 ? 256 : scene == 1 ? 37 : 1);
      for (std::size_t i = 0; i < rays.size(); ++i) {
        if (rays[i].active == 0) {
          ASSERT_EQ(shots[i].instance, kNoInstance) << "not cast";
          continue;
        }
        const std::vector<Meeting> meetings = all_meetings(caster.instances(), rays[i]);
        const double reach = norm(rays[i].origin) / norm(rays[i].direction);
        double nearest_sure = math::kInfinity;
        const Meeting* met = nullptr;
        for (const Meeting& m : meetings) {
          if (m.sure()) nearest_sure = std::min(nearest_sure, m.t);
          if (m.instance == shots[i].instance && m.triangle == shots[i].triangle) met = &m;
        }
        if (shots[i].instance == kNoInstance) {
          // Where the end of the ray is, or its beginning, is known as well as any coordinate.
          ASSERT_FALSE(nearest_sure < rays[i].far * (1 - 1e-6) && nearest_sure > 1e-6 * reach) << "ray " << i;
          ++misses;
          continue;
        }
        ASSERT_NE(met, nullptr) << "ray " << i << " meets no such triangle";
        ++hits, near_edges += met->sure() ? 0 : 1;
        // No certain surface is in front of it, except within rounding of the caster's ranges.
        ASSERT_LE(met->t, nearest_sure + 8 * kRounding * (nearest_sure + reach) / met->cosine) << "ray " << i;
        if (met->cosine < 0.02) continue;  // a ray that grazes a plane gets the range of single precision
        ASSERT_NEAR(shots[i].t, met->t, 1e-10 * (met->t + reach) / met->cosine) << "ray " << i;
        const double distance = met->t * norm(rays[i].direction);
        ASSERT_NEAR(shots[i].distance_m, distance, 0x1p-23 * distance) << "ray " << i;
      }
    }
    EXPECT_GT(hits, repetitions(1500));
    EXPECT_GT(misses, repetitions(100));
    if (!kSanitized) {  // an eighth of the rays says little about rare ones
      EXPECT_LT(near_edges, hits / 100);
    }
  }
}

TEST(RayCaster, FollowTheirInstances) {
  const auto executor = make_executor(1);
  RayCaster caster(*executor);
  EXPECT_TRUE(caster.instances().empty());
  const std::vector<Ray> ray = {{{0, 0, 5}, {0, 0, -1}, 100.0F, -1}};
  EXPECT_EQ(cast_all(caster, ray, 1)[0].instance, kNoInstance);
  const auto wall = shared(make_plane(2, 2));
  caster.update({{.mesh = wall}, {.mesh = wall, .world_from_mesh = affine_of({{0, 0, 2}, {}})}});
  EXPECT_EQ(cast_all(caster, ray, 1)[0].instance, 1U);
  EXPECT_EQ(cast_all(caster, ray, 1)[0].distance_m, 3.0F);
  caster.update({{.mesh = wall}});
  EXPECT_EQ(cast_all(caster, ray, 1)[0].distance_m, 5.0F);
  for (auto& v : wall->mesh.vertices_m) v[2] = -1;  // a moved mesh needs another version
  ++wall->version;
  caster.update({{.mesh = wall}});
  EXPECT_EQ(cast_all(caster, ray, 1)[0].distance_m, 6.0F);
  EXPECT_EQ(input_error([&] { caster.update({{.mesh = wall}, {}}); }), "an instance needs a mesh");
  EXPECT_EQ(caster.instances().size(), 1U);  // nothing changed
  EXPECT_EQ(cast_all(caster, ray, 1)[0].distance_m, 6.0F);
}

TEST(RayCaster, PlaceMeshesByTheirOrigins) {
  const auto executor = make_executor(1);
  Random random(3);
  Mesh soup = make_soup(random, 40);
  const Vec3 origin = {5000064, -640, 64};
  // Vertices of a mesh with an origin, and the same vertices about 0, which the map moves.
  const Affine turn = random_map(random);
  Affine back = turn;
  const Vec3 to = transform_vector(turn, -1.0 * origin);
  back.m[0][3] = to.x, back.m[1][3] = to.y, back.m[2][3] = to.z;
  Affine plain = turn;
  plain.m[0][3] = plain.m[1][3] = plain.m[2][3] = 0;
  RayCaster about_zero(*executor), about_origin(*executor);
  about_zero.update({{.mesh = shared(soup), .world_from_mesh = plain}});
  soup.origin_m = origin;
  about_origin.update({{.mesh = shared(soup), .world_from_mesh = back}});
  EXPECT_EQ(about_origin.instances()[0].world_from_mesh, back) << "as it was given";
  std::vector<Ray> rays;
  for (int i = 0; i < 200; ++i) {
    const Vec3 from = random.vector(-8, 8);
    rays.push_back({from, random.vector(-2, 2) - from, 100.0F, -1});
  }
  const std::vector<Shot> a = cast_all(about_zero, rays, 16), b = cast_all(about_origin, rays, 16);
  int hits = 0, different = 0;
  for (std::size_t i = 0; i < rays.size(); ++i) {
    if (a[i].instance != b[i].instance || (a[i].instance != kNoInstance && a[i].triangle != b[i].triangle)) {
      ++different;  // at an edge
      continue;
    }
    if (a[i].instance == kNoInstance) continue;
    ++hits;
    EXPECT_NEAR(a[i].distance_m, b[i].distance_m, 1e-4) << i;
    const WorldTriangle s = world_triangle(about_zero.instances()[0], a[i].triangle);
    const WorldTriangle t = world_triangle(about_origin.instances()[0], b[i].triangle);
    EXPECT_LT(norm(s.a - t.a), 1e-7);
    EXPECT_EQ(s.ab, t.ab);
  }
  EXPECT_GT(hits, 10);
  EXPECT_LE(different, 2);
}

TEST(RayCaster, DistancesAreExactFarFromTheOriginAndBothSidesCount) {
  const auto executor = make_executor(1);
  for (const Compute& compute : every_isa()) {
    SCOPED_TRACE(to_string(compute.isa));
    RayCaster caster(*executor, compute);
    caster.update({{.mesh = shared(make_plane(10, 10)), .world_from_mesh = affine_of({{300, -200, 100}, {}})}});
    const std::vector<Ray> rays = {{{300.5, -200.25, 107}, {0, 0, -1}, 100.0F, -1},
                                   {{300.5, -200.25, 93}, {0, 0, 2}, 100.0F, -1},
                                   {{300.5, -200.25, 100}, {0, 0, 1}, 100.0F, -1},  // starts on it
                                   {{300.5, -200.25, 93}, {0, 0, 2}, 3.25F, -1}};   // ends before it
    const std::vector<Shot> shots = cast_all(caster, rays, 4);
    EXPECT_EQ(shots[0].distance_m, 7.0F);
    EXPECT_EQ(shots[1].distance_m, 7.0F);
    EXPECT_EQ(shots[1].t, 3.5);
    EXPECT_EQ(shots[2].instance, kNoInstance);
    EXPECT_EQ(shots[3].instance, kNoInstance);
  }
}

TEST(PlacedMesh, WorldTrianglesKeepTheOrderOfCorners) {
  Random random(5);
  for (const CastInstance& instance : make_instances(random)) {
    const auto& corner = instance.mesh->mesh.triangles[1];
    const auto world = [&](std::size_t k) {
      const auto& v = instance.mesh->mesh.vertices_m[corner[k]];
      return transform_point(instance.world_from_mesh, {v[0], v[1], v[2]});
    };
    const WorldTriangle t = world_triangle(instance, 1);
    EXPECT_LT(norm(t.a - world(0)), 1e-12);
    EXPECT_LT(norm(t.a + t.ab - world(1)), 1e-12);
    EXPECT_LT(norm(t.a + t.ac - world(2)), 1e-12);
  }
}

TEST(PlacedMesh, ValidatesAndSaysWhat) {
  CastMesh good;
  good.mesh = make_plane(1, 1);
  EXPECT_NO_THROW(validate(good));
  CastMesh bad = good;
  bad.mesh.vertices_m[2][1] = NAN;
  EXPECT_TRUE(contains(input_error([&] { validate(bad); }), "vertex 2"));
  bad = good, bad.mesh.triangles[1][2] = 4;
  EXPECT_EQ(input_error([&] { validate(bad); }), "triangle 1: vertex index 4 is not in [0, 4)");
  bad = good, bad.uv.resize(3);
  EXPECT_EQ(input_error([&] { validate(bad); }), "3 texture coordinates for 4 vertices");
  EXPECT_EQ(input_error([] { validate(CastMesh{}); }), "mesh is empty");
  CastMesh lost = {.mesh = make_plane(1, 1), .uv = {}};
  lost.mesh.origin_m.z = NAN;
  EXPECT_EQ(input_error([&] { validate(lost); }), "the origin of the mesh is not finite");
  good.mesh.vertices_m.assign(4, {1, 1, 1});  // no area: allowed
  EXPECT_NO_THROW(validate(good));
}

TEST(PlacedMesh, TexturesGiveTheNearestTexelAndWrapAround) {
  Texture texture = {4, 2, {10, 11, 12, 13, 20, 21, 22, 23}};
  for (int v = 0; v < 2; ++v) {
    for (int u = 0; u < 4; ++u) {
      for (const int turns : {-2, 0, 3}) {
        EXPECT_EQ(texture.at((u + 0.5) / 4 + turns, (v + 0.5) / 2 - turns), float(10 * (v + 1) + u));
      }
    }
  }
  EXPECT_EQ(texture.at(0.999999, 0.0), 13.0F);
  EXPECT_EQ(texture.at(NAN, INFINITY), 10.0F);
  EXPECT_EQ(Texture{}.at(0.5, 0.5), 0.0F);
}

}  // namespace
}  // namespace fathom::test
