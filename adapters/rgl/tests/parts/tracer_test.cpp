// SPDX-License-Identifier: MIT
// The results of a Tracer for each ray, against closed forms; and that strips may be cast in any order, on any threads.

#include "parts/tracer.hpp"

#include "rgl/tests/parts/random.hpp"
#include "support/casters.hpp"

namespace fathom::test {
namespace {

class TableSource final : public PosedRaySource {
 public:
  explicit TableSource(const std::vector<Matrix34>& maps) : table(maps) {}
  void load(PosedRayBlock& block) const override { table.load(block); }

  PosedRayTable table;
};

/// A square mesh, z = 0, one texel all over it.
std::shared_ptr<CastMesh> make_square(double size_m) {
  auto square = std::make_shared<CastMesh>();
  square->mesh = make_plane(size_m, size_m);
  square->uv.assign(square->mesh.vertices_m.size(), {0.5F, 0.5F});
  return square;
}

std::shared_ptr<const Texture> make_grey(std::uint8_t value) {
  return std::make_shared<const Texture>(Texture{1, 1, {value}});
}

constexpr ReturnChoice kAllReturns[] = {ReturnChoice::kFirst, ReturnChoice::kSecond, ReturnChoice::kLast,
                                        ReturnChoice::kStrongest, ReturnChoice::kSecondStrongest};

struct Traced {
  std::vector<float> xyz, distance_m, intensity, laser_retro, normal, incidence_rad, velocity, radial_mps;
  std::vector<std::int32_t> is_hit, id;

  explicit Traced(std::size_t n)
      : xyz(3 * n),
        distance_m(n),
        intensity(n),
        laser_retro(n),
        normal(3 * n),
        incidence_rad(n),
        velocity(3 * n),
        radial_mps(n),
        is_hit(n),
        id(n) {}
  [[nodiscard]] TraceArrays arrays() {
    return {.xyz = xyz.data(),
            .distance_m = distance_m.data(),
            .is_hit = is_hit.data(),
            .id = id.data(),
            .intensity = intensity.data(),
            .laser_retro = laser_retro.data(),
            .normal = normal.data(),
            .incidence_rad = incidence_rad.data(),
            .absolute_velocity_mps = velocity.data(),
            .radial_speed_mps = radial_mps.data()};
  }
  /// All numbers, NaN among them, as bits.
  [[nodiscard]] std::vector<std::uint32_t> bits() const {
    std::vector<std::uint32_t> all(is_hit.begin(), is_hit.end());
    all.insert(all.end(), id.begin(), id.end());
    for (const auto* part :
         {&xyz, &distance_m, &intensity, &laser_retro, &normal, &incidence_rad, &velocity, &radial_mps}) {
      for (const float v : *part) all.push_back(std::isnan(v) ? 0x7fc00000U : math::bits_of(v));
    }
    return all;
  }
};

TraceSettings settings_of(std::span<const ReturnChoice> returns = {kAllReturns, 1}) {
  TraceSettings settings;
  settings.returns = returns;
  return settings;
}

Traced trace(const RayCaster& caster, const PosedRays& rays, const TraceSettings& settings) {
  Traced out(rays.count * settings.returns.size());
  const Tracer tracer(caster, rays, settings, out.arrays());
  for (std::size_t s = 0; s < tracer.strips(); ++s) tracer.trace_strip(s);
  return out;
}

/// A room of walls, with a box that moves in it.
std::vector<CastInstance> make_room() {
  const auto box = std::make_shared<CastMesh>(), walls = std::make_shared<CastMesh>();
  box->mesh = make_box({1, 1, 1}), walls->mesh = make_box({20, 6, 16});
  return {{.mesh = walls, .id = 3, .laser_retro = 0.5F},
          {.mesh = box,
           .world_from_mesh = affine_of({{2, 0, 4}, from_roll_pitch_yaw(0.1, 0.5, 0.2)}),
           .id = 8,
           .laser_retro = 2.5F,
           .previous_world_from_mesh =
               std::make_shared<Affine>(affine_of({{1.5, 0, 4.25}, from_roll_pitch_yaw(0.1, 0.5, 0.2)}))}};
}

TEST(Tracer, StripsHoldEachRayOnceAndMayBeCastInAnyOrderOnAnyThreads) {
  const TableSource source(make_rings(33, 768));
  const std::uint32_t count = source.table.size();
  const auto build = make_executor(1);
  for (const float divergence : {0.0F, 0.01F}) {
    RayCaster caster(*build);
    caster.update(make_room());
    TraceSettings settings = settings_of(kAllReturns);
    settings.divergence_h_rad = settings.divergence_v_rad = divergence;
    settings.default_intensity = 100, settings.step_s = 0.1;
    const PosedRays rays = {.source = source, .count = count, .grid = source.table.grid()};
    const Traced expected = trace(caster, rays, settings);
    {
      Traced out(count * std::size(kAllReturns));
      const Tracer tracer(caster, rays, settings, out.arrays());
      ASSERT_GT(tracer.strips(), 8U);
      std::uint32_t next = 0;
      for (std::size_t s = 0; s < tracer.strips(); ++s) {
        EXPECT_EQ(tracer.strip(s).begin, next);
        EXPECT_GT(tracer.strip(s).end, next);
        next = tracer.strip(s).end;
      }
      EXPECT_EQ(next, count);
      for (std::size_t s = tracer.strips(); s-- > 0;) tracer.trace_strip(s);
      EXPECT_EQ(out.bits(), expected.bits()) << "backwards";
    }
    for (const int threads : {2, 5}) {
      const auto executor = make_executor(threads);
      Traced out(count * std::size(kAllReturns));
      const Tracer tracer(caster, rays, settings, out.arrays());
      executor->parallel_for(tracer.strips(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t s = begin; s < end; ++s) tracer.trace_strip(s);
      });
      EXPECT_EQ(out.bits(), expected.bits()) << threads;
    }
  }
}

TEST(Tracer, AStripFillsItsOwnPlacesOnly) {
  const TableSource source(make_rings(8, 768));
  const auto executor = make_executor(1);
  RayCaster caster(*executor);
  caster.update(make_room());
  Traced out(source.table.size());
  std::fill(out.distance_m.begin(), out.distance_m.end(), -7.0F);
  const Tracer tracer(caster, {.source = source, .count = source.table.size(), .grid = source.table.grid()},
                      settings_of(), out.arrays());
  ASSERT_GT(tracer.strips(), 1U);
  tracer.trace_strip(1);
  for (std::uint32_t i = 0; i < source.table.size(); ++i) {
    ASSERT_EQ(out.distance_m[i] == -7.0F, i < tracer.strip(1).begin || i >= tracer.strip(1).end) << i;
  }
}

TEST(Tracer, TellsOfARoomWhatItsGeometryIs) {
  const TableSource source(make_rings(9, 200));
  const auto executor = make_executor(1);
  for (const Isa isa : usable_isas()) {
    RayCaster caster(*executor, {.isa = isa});
    caster.update(make_room());
    TraceSettings settings = settings_of();
    settings.isa = isa, settings.default_intensity = 100, settings.step_s = 0.5;
    settings.world_from_sensor = affine_of({{1, -0.5, 2}, from_roll_pitch_yaw(0.05, 0.2, -0.1)});
    const Traced out =
        trace(caster, {.source = source, .count = source.table.size(), .grid = source.table.grid()}, settings);
    const std::vector<Matrix34> maps = make_rings(9, 200);
    std::size_t walls = 0, boxes = 0;
    for (std::size_t i = 0; i < maps.size(); ++i) {
      const Affine ray = settings.world_from_sensor * to_affine(maps[i]);
      const Vec3 o = translation_of(ray), d = {ray.m[0][2], ray.m[1][2], ray.m[2][2]};
      const Vec3 p = {out.xyz[3 * i], out.xyz[3 * i + 1], out.xyz[3 * i + 2]};
      ASSERT_EQ(out.is_hit[i], 1);
      const double distance = double{out.distance_m[i]};
      ASSERT_LT(norm(p - (o + distance * d)), 5e-6) << i;  // on its ray
      const Vec3 n = {out.normal[3 * i], out.normal[3 * i + 1], out.normal[3 * i + 2]};
      const double cosine = std::abs(dot(n, d));
      ASSERT_NEAR(norm(n), 1, 2e-7);
      ASSERT_NEAR(out.incidence_rad[i], std::acos(std::min(1.0, cosine)), 1e-3);
      ASSERT_NEAR(std::cos(out.incidence_rad[i]), cosine, 1e-6);
      ASSERT_NEAR(out.intensity[i], 100 * cosine, 1e-4);
      Vec3 velocity;
      if (out.id[i] == 3) {
        ++walls;
        ASSERT_EQ(out.laser_retro[i], 0.5F);
        const Vec3 way = {(10 - std::copysign(1, d.x) * o.x) / std::abs(d.x),
                          (3 - std::copysign(1, d.y) * o.y) / std::abs(d.y),
                          (8 - std::copysign(1, d.z) * o.z) / std::abs(d.z)};
        ASSERT_NEAR(distance, std::min({way.x, way.y, way.z}), 3e-6 * distance / cosine) << i;
      } else {
        ++boxes;
        ASSERT_EQ(out.id[i], 8);
        ASSERT_EQ(out.laser_retro[i], 2.5F);
        const Affine world_from_box = caster.instances()[1].world_from_mesh;
        const Vec3 local = transform_point(inverse(world_from_box).value(), p);
        ASSERT_NEAR(std::max({std::abs(local.x), std::abs(local.y), std::abs(local.z)}), 0.5, 1e-5);
        velocity = {1, 0, -0.5};  // half a metre and a quarter in half a second
      }
      ASSERT_NEAR(out.velocity[3 * i], velocity.x, 1e-6);
      ASSERT_NEAR(out.velocity[3 * i + 1], velocity.y, 1e-6);
      ASSERT_NEAR(out.velocity[3 * i + 2], velocity.z, 1e-6);
      ASSERT_NEAR(out.radial_mps[i], dot(velocity, d), 1e-5) << i;
    }
    EXPECT_GT(walls, 1000U);
    EXPECT_GT(boxes, 10U);
  }
}

TEST(Tracer, LimitsAndMasksAreThoseOfEachRay) {
  const std::vector<Matrix34> maps(40, looking_along({0, 0, 1}));
  const TableSource source(maps);
  const auto executor = make_executor(1);
  RayCaster caster(*executor);
  caster.update({{.mesh = make_square(10), .world_from_mesh = affine_of({{0, 0, 5}, {}}), .id = 6}});
  TraceSettings settings = settings_of();
  settings.near_miss_m = 1, settings.far_miss_m = 99;
  std::vector<std::array<float, 2>> range(40, {0, 100});
  std::vector<std::int8_t> mask(40, 1);
  range[1] = {5.0F, 100}, range[2] = {5.001F, 100}, range[3] = {0, 5.0F}, range[4] = {0, 4.999F};
  mask[7] = 0;
  const auto expect = [&](const Traced& out, std::size_t i, float distance, bool hit) {
    EXPECT_EQ(out.distance_m[i], distance) << i;
    EXPECT_EQ(out.is_hit[i], hit ? 1 : 0) << i;
    EXPECT_EQ(out.id[i], hit ? 6 : 0) << i;
    EXPECT_EQ(out.xyz[3 * i + 2], distance) << i;
    EXPECT_EQ(std::isnan(out.normal[3 * i]), !hit) << i;
  };
  const Traced each = trace(caster, {.source = source, .count = 40, .range_m = range, .mask = mask}, settings);
  for (std::size_t i = 0; i < 40; ++i) {
    if (i != 2 && i != 4 && i != 7) expect(each, i, 5, true);
  }
  expect(each, 2, 1, false), expect(each, 4, 99, false), expect(each, 7, 99, false);
  const std::array<float, 2> one[] = {{6, 10}};
  const Traced all = trace(caster, {.source = source, .count = 40, .range_m = one}, settings);
  for (std::size_t i = 0; i < 40; ++i) expect(all, i, 1, false);
}

/// Looks at the edge of a plate, 4 m away, before a wall, 9 m away: half of a diverging ray meets each.
TEST(Tracer, SeveralReturnsOfADivergingRayAreTheSurfacesItMeets) {
  const TableSource source(std::vector<Matrix34>(20, looking_along({0, 0, 1})));
  const auto executor = make_executor(1);
  RayCaster caster(*executor);
  caster.update(
      {{.mesh = make_square(2), .world_from_mesh = affine_of({{1.0001, 0, 4}, {}}), .id = 4, .texture = make_grey(50)},
       {.mesh = make_square(20), .world_from_mesh = affine_of({{0, 0, 9}, {}}), .id = 9, .texture = make_grey(200)}});
  TraceSettings settings = settings_of(kAllReturns);
  settings.divergence_h_rad = settings.divergence_v_rad = 0.02F;
  const double stretch = 1 / std::cos(0.0101);
  const Traced out = trace(caster, {.source = source, .count = 20}, settings);
  for (std::size_t i = 0; i < 20; ++i) {
    const float* distance = out.distance_m.data() + 5 * i;
    const std::int32_t* id = out.id.data() + 5 * i;
    const float* intensity = out.intensity.data() + 5 * i;
    for (std::size_t k = 0; k < 5; ++k) {
      ASSERT_EQ(out.is_hit[5 * i + k], 1);
      const double depth = id[k];  // named by how far they stand
      ASSERT_GE(distance[k], depth * (1 - 1e-6));
      ASSERT_LE(distance[k], depth * stretch);
      ASSERT_NEAR(intensity[k], (id[k] == 4 ? 50 : 200) * depth / distance[k], 1e-3);
      ASSERT_NEAR(out.xyz[3 * (5 * i + k) + 2], distance[k], 1e-5);  // on the centre, whichever ray met it
      ASSERT_EQ(out.xyz[3 * (5 * i + k)], 0.0F);
    }
    EXPECT_EQ(id[0], 4);  // first
    EXPECT_EQ(id[2], 9);  // last
    EXPECT_EQ(id[3], 9);  // strongest
    EXPECT_LT(distance[0], distance[1]);
    EXPECT_LE(distance[1], distance[2]);
    EXPECT_LE(intensity[4], intensity[3]);
  }
  // Where intensities fall off, the dark plate is stronger: 50 / 4^2 > 200 / 9^2.
  TraceSettings falling = settings;
  falling.intensity_falls_off = true;
  const Traced far = trace(caster, {.source = source, .count = 20}, falling);
  for (std::size_t i = 0; i < 100; ++i) {
    const double depth = far.id[i], d = far.distance_m[i];
    ASSERT_NEAR(far.intensity[i], (far.id[i] == 4 ? 50 : 200) * depth / (d * d * d), 1e-5);
    if (i % 5 == 3) ASSERT_EQ(far.id[i], 4);
  }
  // A ray without divergence is its own first, last and strongest.
  settings.divergence_h_rad = settings.divergence_v_rad = 0;
  const Traced single = trace(caster, {.source = source, .count = 20}, settings);
  for (std::size_t i = 0; i < 100; ++i) ASSERT_EQ(single.distance_m[i], 9.0F);
}

TEST(Tracer, RefusesArraysOfAnotherSize) {
  const TableSource source(std::vector<Matrix34>(20, looking_along({0, 0, 1})));
  const auto executor = make_executor(1);
  const RayCaster caster(*executor);
  const std::vector<std::array<float, 2>> range(3);
  const std::vector<float> times(21);
  const std::vector<std::int8_t> mask(1);
  const auto refusal = [&](const PosedRays& rays, const TraceSettings& settings) {
    return input_error([&] { const Tracer tracer(caster, rays, settings, {}); });
  };
  EXPECT_TRUE(contains(refusal({.source = source, .count = 20, .range_m = range}, settings_of()), "3 ranges for 20"));
  EXPECT_TRUE(
      contains(refusal({.source = source, .count = 20, .time_offset_s = times}, settings_of()), "21 time offsets"));
  EXPECT_TRUE(contains(refusal({.source = source, .count = 20, .mask = mask}, settings_of()), "1 values of a mask"));
  EXPECT_EQ(refusal({.source = source, .count = 20}, settings_of({})), "at least one return is needed");
  TraceSettings flat = settings_of();
  flat.world_from_sensor.m[0][0] = 0;
  EXPECT_TRUE(contains(refusal({.source = source, .count = 20}, flat), "world_from_sensor flattens space"));
  EXPECT_EQ(refusal({.source = source, .count = 20}, settings_of()), "");
}

}  // namespace
}  // namespace fathom::test
