// SPDX-License-Identifier: MIT
// Section 8's formulas once more, in double precision and away from defaults: turned sensors, moving entities,
// diverging rays, directions that are not of unit length.

#include "rgl/tests/scene.hpp"

namespace fathom::test {
namespace {

class RglReference : public Rgl {};

struct V {
  double x, y, z;
};
V operator+(V a, V b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
V operator-(V a, V b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
V operator*(double s, V v) { return {s * v.x, s * v.y, s * v.z}; }
double dot(V a, V b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
V cross(V a, V b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
double length(V v) { return std::sqrt(dot(v, v)); }

/// A rigid pose: x -> R x + t.
struct Pose {
  double r[3][3];
  V t;

  explicit Pose(const rgl_mat3x4f& m) : t{m.value[0][3], m.value[1][3], m.value[2][3]} {
    for (int i = 0; i < 3; ++i) std::copy_n(m.value[i], 3, r[i]);
  }
  [[nodiscard]] V turn(V v) const {
    return {r[0][0] * v.x + r[0][1] * v.y + r[0][2] * v.z, r[1][0] * v.x + r[1][1] * v.y + r[1][2] * v.z,
            r[2][0] * v.x + r[2][1] * v.y + r[2][2] * v.z};
  }
  [[nodiscard]] V unturn(V v) const {
    return {r[0][0] * v.x + r[1][0] * v.y + r[2][0] * v.z, r[0][1] * v.x + r[1][1] * v.y + r[2][1] * v.z,
            r[0][2] * v.x + r[1][2] * v.y + r[2][2] * v.z};
  }
  [[nodiscard]] V operator()(V v) const { return turn(v) + t; }
  [[nodiscard]] V undo(V v) const { return unturn(v - t); }
};

void expect_near(const float* got, V want, double tolerance) {
  EXPECT_NEAR(got[0], want.x, tolerance);
  EXPECT_NEAR(got[1], want.y, tolerance);
  EXPECT_NEAR(got[2], want.z, tolerance);
}

/// A rectangle in z = 0 of one grey value.
rgl_entity_t make_wall(const rgl_mat3x4f& pose, float x0, float x1, unsigned char grey) {
  const rgl_vec3f corners[4] = {{{x0, -90, 0}}, {{x1, -90, 0}}, {{x1, 90, 0}}, {{x0, 90, 0}}};
  const rgl_vec3i faces[2] = {{{0, 1, 2}}, {{0, 2, 3}}};
  const rgl_vec2f uv[4] = {};
  rgl_mesh_t mesh = nullptr;
  rgl_texture_t texture = nullptr;
  EXPECT_EQ(rgl_mesh_create(&mesh, corners, 4, faces, 2), RGL_SUCCESS);
  EXPECT_EQ(rgl_mesh_set_texture_coords(mesh, uv, 4), RGL_SUCCESS);
  EXPECT_EQ(rgl_texture_create(&texture, &grey, 1, 1), RGL_SUCCESS);
  const rgl_entity_t entity = place(mesh, pose);
  EXPECT_EQ(rgl_entity_set_intensity_texture(entity, texture), RGL_SUCCESS);
  return entity;
}

rgl_node_t pose_node(const rgl_mat3x4f& m) {
  rgl_node_t node = nullptr;
  EXPECT_EQ(rgl_node_rays_transform(&node, &m), RGL_SUCCESS);
  return node;
}

struct Sample {
  double distance, intensity;
};

/// The samples of a ray that meet something: a wall of grey 50 in z = 10 from x = 3.1 on, one of 200 in z = 20.
std::vector<Sample> samples_of(const Pose& ray, double h, double v) {
  std::vector<Sample> hits;
  const auto cast = [&](double about_x, double about_y) {
    // Rx Ry (0, 0, 1)
    const V d =
        ray.turn({std::sin(about_y), -std::sin(about_x) * std::cos(about_y), std::cos(about_x) * std::cos(about_y)});
    for (const auto& [z, grey] : {std::pair{10.0, 50.0}, {20.0, 200.0}}) {
      const double t = z / d.z;
      if (z == 10.0 && t * d.x < 3.1) continue;
      hits.push_back({t * length(d), grey * std::abs(d.z)});
      return;
    }
  };
  cast(0, 0);
  for (int layer = 0; layer < 3; ++layer) {
    for (int k = 0; k < 19; ++k) {
      const double s = 1 - layer / 3.0, phi = 2 * std::numbers::pi * k / 19;
      cast(v / 2 * s * std::sin(phi), h / 2 * s * std::cos(phi));
    }
  }
  return hits;
}

/// Section 8.3, the reduction: FIRST, SECOND, LAST by distance, STRONGEST and SECOND_STRONGEST by intensity.
TEST_F(RglReference, ReturnsOfDivergingRaysAreThoseOfTheirSamples) {
  make_wall(translation(0, 0, 10), 3.1F, 90, 50);
  make_wall(translation(0, 0, 20), -90, 90, 200);
  const float h = 0.05F, v = 0.03F;
  std::vector<rgl_mat3x4f> rays;
  for (int i = 0; i < 9; ++i) rays.push_back(turned(0.2803 + 0.005 * i, 0.2));
  const rgl_node_t trace = make_raytrace();
  chain({make_rays(rays), trace,
         make_yield({RGL_FIELD_DISTANCE_F32, RGL_FIELD_INTENSITY_F32, RGL_FIELD_RETURN_TYPE_U8})});
  RGL_OK(rgl_node_raytrace_configure_beam_divergence(trace, h, v));
  int straddling = 0;
  for (const rgl_return_type_t type : {RGL_RETURN_TYPE_FIRST, RGL_RETURN_TYPE_SECOND, RGL_RETURN_TYPE_LAST,
                                       RGL_RETURN_TYPE_STRONGEST, RGL_RETURN_TYPE_SECOND_STRONGEST}) {
    RGL_OK(
        rgl_node_raytrace_configure_return_mode(trace, static_cast<rgl_return_mode_t>(RGL_RETURN_MODE_SINGLE | type)));
    RGL_OK(rgl_graph_run(trace));
    const auto distance = result<float>(trace, RGL_FIELD_DISTANCE_F32),
               intensity = result<float>(trace, RGL_FIELD_INTENSITY_F32);
    for (std::size_t i = 0; i < rays.size(); ++i) {
      const std::vector<Sample> hits = samples_of(Pose(rays[i]), h, v);
      Sample first = hits[0], second = first, last = first, strongest = first, second_strongest = first;
      for (const Sample& s : hits) {
        if (s.distance < first.distance)
          second = first, first = s;
        else if (first.distance < s.distance && s.distance < second.distance)
          second = s;
        if (s.distance > last.distance) last = s;
        if (s.intensity > strongest.intensity)
          second_strongest = strongest, strongest = s;
        else if (strongest.intensity > s.intensity && s.intensity > second_strongest.intensity)
          second_strongest = s;
      }
      const Sample want = type == RGL_RETURN_TYPE_FIRST       ? first
                          : type == RGL_RETURN_TYPE_SECOND    ? second
                          : type == RGL_RETURN_TYPE_LAST      ? last
                          : type == RGL_RETURN_TYPE_STRONGEST ? strongest
                                                              : second_strongest;
      straddling += last.distance > first.distance + 5 ? 1 : 0;
      EXPECT_NEAR(distance[i], want.distance, 1e-5) << i << " type " << int(type);
      EXPECT_NEAR(intensity[i], want.intensity, 1e-4) << i << " type " << int(type);
    }
    EXPECT_EQ(result<unsigned char>(trace, RGL_FIELD_RETURN_TYPE_U8), std::vector<unsigned char>(rays.size(), type));
  }
  EXPECT_GT(straddling, 10);  // else nothing was tested
}

/// Section 8.7 for a turned sensor that moves and an entity that moves and turns.
TEST_F(RglReference, VelocitiesOfTurningEntitiesSeenByTurningSensors) {
  const rgl_mat3x4f before = turned(0.3, -0.2, 1, 2, 29), after = turned(0.35, -0.1, 1.5F, 1.8F, 30);
  const rgl_mat3x4f sensor = turned(0.2, 0.1, -2, 1, 3);
  RGL_OK(rgl_scene_set_time(nullptr, 7'000'000'000));
  const rgl_entity_t wall = make_wall(before, -90, 90, 1);
  RGL_OK(rgl_scene_set_time(nullptr, 7'200'000'000));
  RGL_OK(rgl_entity_set_transform(wall, &after));
  const rgl_vec3f v = {{1, -2, 3}}, w = {{0.4F, 0.5F, -0.6F}};
  const rgl_node_t trace = make_raytrace();
  RGL_OK(rgl_node_raytrace_configure_velocity(trace, &v, &w));
  std::vector<rgl_mat3x4f> rays;
  for (int i = 0; i < 12; ++i) rays.push_back(turned(0.05 * i - 0.3, 0.03 * i - 0.2));
  chain({make_rays(rays), pose_node(sensor), trace,
         make_yield({RGL_FIELD_ABSOLUTE_VELOCITY_VEC3_F32, RGL_FIELD_RELATIVE_VELOCITY_VEC3_F32,
                     RGL_FIELD_RADIAL_SPEED_F32, RGL_FIELD_INCIDENT_ANGLE_F32})});
  RGL_OK(rgl_graph_run(trace));
  const auto absolute = result<float>(trace, RGL_FIELD_ABSOLUTE_VELOCITY_VEC3_F32),
             relative = result<float>(trace, RGL_FIELD_RELATIVE_VELOCITY_VEC3_F32);
  const auto radial = result<float>(trace, RGL_FIELD_RADIAL_SPEED_F32),
             incident = result<float>(trace, RGL_FIELD_INCIDENT_ANGLE_F32);
  const Pose c(sensor), now(after), then(before);
  for (std::size_t i = 0; i < rays.size(); ++i) {
    const V d = c.turn(Pose(rays[i]).turn({0, 0, 1})), normal = now.turn({0, 0, 1});
    const V hit = c.t + (dot(now.t - c.t, normal) / dot(d, normal)) * d;
    const V abs = 5.0 * (hit - then(now.undo(hit)));  // in 0.2 s
    const V place = c.undo(hit);
    const V rel = c.unturn(abs) - V{1, -2, 3} - cross({w.value[0], w.value[1], w.value[2]}, place);
    expect_near(&absolute[3 * i], abs, 2e-4);
    expect_near(&relative[3 * i], rel, 2e-4);
    EXPECT_NEAR(radial[i], dot(place, rel) / length(place), 2e-4);
    EXPECT_NEAR(incident[i], std::acos(std::abs(dot(d, normal))), 1e-5);
  }
}

/// Section 8.7: a transform counts as the former one only when it was set at the scene's previous time.
TEST_F(RglReference, AnOldTransformIsNoFormerOne) {
  const rgl_entity_t wall = make_wall(translation(0, 0, 10), -90, 90, 1);
  const rgl_node_t trace = make_raytrace();
  chain({make_rays({kIdentity}), trace, make_yield({RGL_FIELD_ABSOLUTE_VELOCITY_VEC3_F32})});
  const auto speed_after = [&](std::initializer_list<std::uint64_t> seconds, int skip) {
    int n = 0;
    for (const std::uint64_t s : seconds) {
      EXPECT_EQ(rgl_scene_set_time(nullptr, s * 1'000'000'000), RGL_SUCCESS);
      const rgl_mat3x4f m = translation(0, 0, 10 + float(s));
      if (++n == skip) continue;
      EXPECT_EQ(rgl_entity_set_transform(wall, &m), RGL_SUCCESS);
    }
    EXPECT_EQ(rgl_graph_run(trace), RGL_SUCCESS);
    return result<float>(trace, RGL_FIELD_ABSOLUTE_VELOCITY_VEC3_F32)[2];
  };
  EXPECT_FLOAT_EQ(speed_after({1, 2}, 0), 1.0F);
  EXPECT_EQ(speed_after({3, 4, 5}, 2), 0.0F);  // nothing was set at 4 s
  EXPECT_FLOAT_EQ(speed_after({6, 8}, 0), 1.0F);
  EXPECT_TRUE(std::isnan(speed_after({8}, 0)));  // no time has passed
}

/// Section 8.6: ray' = C TRS(v t, Rz Ry Rx (w t)) C^-1 ray.
TEST_F(RglReference, DistortionMovesTheSensorInItsOwnFrame) {
  const rgl_mat3x4f sensor = turned(0.7, -0.3, 4, 5, 6);
  const rgl_vec3f v = {{3, -4, 5}}, w = {{0.9F, -1.1F, 1.3F}};
  const std::vector<float> offsets_ms = {0, 150, 400};
  std::vector<rgl_mat3x4f> rays;
  for (int i = 0; i < 3; ++i) rays.push_back(turned(0.2 * i, 0.1, 0.5F, 0, float(i)));
  rgl_node_t times = nullptr;
  RGL_OK(rgl_node_rays_set_time_offsets(&times, offsets_ms.data(), 3));
  const rgl_node_t trace = make_raytrace();
  RGL_OK(rgl_node_raytrace_configure_velocity(trace, &v, &w));
  RGL_OK(rgl_node_raytrace_configure_distortion(trace, true));
  constexpr float kHalf = 40;  // of a room around the sensor
  place(make_cube(), {{{kHalf, 0, 0, 0}, {0, kHalf, 0, 0}, {0, 0, kHalf, 0}}});
  chain({make_rays(rays), times, pose_node(sensor), trace,
         make_yield({RGL_FIELD_RAY_POSE_MAT3x4_F32, RGL_FIELD_TIME_STAMP_U32, RGL_FIELD_DISTANCE_F32})});
  RGL_OK(rgl_graph_run(trace));
  const auto poses = result<rgl_mat3x4f>(trace, RGL_FIELD_RAY_POSE_MAT3x4_F32);
  const auto distance = result<float>(trace, RGL_FIELD_DISTANCE_F32);
  const Pose c(sensor);
  for (std::size_t i = 0; i < rays.size(); ++i) {
    const double t = 1e-3 * double{offsets_ms[i]};
    const auto step = [&](V p) {
      const double a = w.value[0] * t, b = w.value[1] * t, g = w.value[2] * t;
      p = {p.x, std::cos(a) * p.y - std::sin(a) * p.z, std::sin(a) * p.y + std::cos(a) * p.z};
      p = {std::cos(b) * p.x + std::sin(b) * p.z, p.y, -std::sin(b) * p.x + std::cos(b) * p.z};
      p = {std::cos(g) * p.x - std::sin(g) * p.y, std::sin(g) * p.x + std::cos(g) * p.y, p.z};
      return p;
    };
    const V shift = t * V{v.value[0], v.value[1], v.value[2]};
    const Pose ray(rays[i]);
    const V o = c(step(ray.t) + shift), d = c.turn(step(ray.turn({0, 0, 1})));
    const auto to_wall = [](double from, double along) { return (std::copysign(kHalf, along) - from) / along; };
    EXPECT_NEAR(distance[i], std::min({to_wall(o.x, d.x), to_wall(o.y, d.y), to_wall(o.z, d.z)}), 1e-4);
    // The pose is that of the ray as the sensor believes it to be.
    const V columns[4] = {c.turn(ray.turn({1, 0, 0})), c.turn(ray.turn({0, 1, 0})), c.turn(ray.turn({0, 0, 1})),
                          c(ray.t)};
    for (int k = 0; k < 4; ++k) {
      const float got[3] = {poses[i].value[0][k], poses[i].value[1][k], poses[i].value[2][k]};
      expect_near(got, columns[k], 3e-6);
    }
  }
  EXPECT_EQ(result<unsigned>(trace, RGL_FIELD_TIME_STAMP_U32), (std::vector<unsigned>{0, 150000000, 400000000}));
}

/// Section 8.5 for matrices of any kind: elevation = asin(m12), azimuth = atan2(-m20, m22), m = C^-1 ray.
TEST_F(RglReference, AnglesOfAnyRays) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> angle(-3.1, 3.1);
  std::vector<rgl_mat3x4f> rays(500);
  for (rgl_mat3x4f& m : rays) {
    const Pose a(turned(angle(random), angle(random))), b(turned(angle(random), angle(random)));
    const V columns[3] = {a.turn(b.turn({1, 0, 0})), a.turn(b.turn({0, 1, 0})), a.turn(b.turn({0, 0, 1}))};
    for (int k = 0; k < 3; ++k)
      m.value[0][k] = float(columns[k].x), m.value[1][k] = float(columns[k].y), m.value[2][k] = float(columns[k].z);
  }
  const rgl_node_t trace = make_raytrace();
  chain({make_rays(rays), pose_node(turned(-2, 0.8, 10, 20, 30)), pose_node(turned(1, 0.4, 1, 2, 3)), trace,
         make_yield({RGL_FIELD_AZIMUTH_F32, RGL_FIELD_ELEVATION_F32})});
  RGL_OK(rgl_graph_run(trace));
  const auto azimuth = result<float>(trace, RGL_FIELD_AZIMUTH_F32),
             elevation = result<float>(trace, RGL_FIELD_ELEVATION_F32);
  for (std::size_t i = 0; i < rays.size(); ++i) {
    const auto& m = rays[i].value;
    EXPECT_NEAR(std::sin(elevation[i]), m[1][2], 2e-6);
    const double radius = std::hypot(m[2][0], m[2][2]);
    EXPECT_NEAR(radius * std::sin(azimuth[i]), -m[2][0], 2e-6);
    EXPECT_NEAR(radius * std::cos(azimuth[i]), m[2][2], 2e-6);
  }
}

/// Sections 8.1 and 8.4: directions are not normalised. The maximum counts in their lengths, the minimum and DISTANCE
/// in metres; INTENSITY takes the length with it.
TEST_F(RglReference, DirectionsKeepTheirLength) {
  make_wall(translation(0, 0, 10), -90, 90, 60);
  const rgl_mat3x4f twice = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 2, 0}}};
  const rgl_vec2f limits[5] = {{{0, 5}}, {{0, 4.9F}}, {{9.9F, 50}}, {{10.1F, 50}}, {{0, 50}}};
  rgl_node_t range = nullptr;
  RGL_OK(rgl_node_rays_set_range(&range, limits, 5));
  const rgl_node_t trace = make_raytrace();
  RGL_OK(rgl_node_raytrace_configure_non_hits(trace, 1, 99));
  chain({make_rays(std::vector<rgl_mat3x4f>(5, twice)), range, trace,
         make_yield({RGL_FIELD_DISTANCE_F32, RGL_FIELD_INTENSITY_F32, RGL_FIELD_INTENSITY_U8})});
  RGL_OK(rgl_graph_run(trace));
  EXPECT_EQ(result<float>(trace, RGL_FIELD_DISTANCE_F32), (std::vector<float>{10, 99, 10, 1, 10}));
  EXPECT_EQ(result<float>(trace, RGL_FIELD_INTENSITY_F32), (std::vector<float>{120, 0, 120, 0, 120}));
  const auto xyz = result<float>(trace, RGL_FIELD_XYZ_VEC3_F32);
  EXPECT_EQ(xyz[3 * 1 + 2], 99.0F);
  EXPECT_EQ(xyz[3 * 3 + 2], 1.0F);
}

/// Section 9: distance noise moves along the line from the origin of the sensor, not of the ray, and L follows from all
/// transforms above; a constant error shows where to.
TEST_F(RglReference, DistanceNoiseMovesAlongLinesFromTheSensor) {
  const rgl_mat3x4f sensor = turned(0.5, 0.2, 10, -20, 30);
  make_wall(turned(0.5, 0.2, 20, -20, 60), -90, 90, 1);
  const rgl_mat3x4f ray = turned(0.1, -0.1, 0.8F, -0.6F, 0.4F);
  const rgl_node_t trace = make_raytrace(), yield = make_yield({RGL_FIELD_DISTANCE_F32});
  rgl_node_t noise = nullptr;
  RGL_OK(rgl_node_gaussian_noise_distance(&noise, -2, 0, 0));
  chain({make_rays({ray}), pose_node(sensor), trace, yield, noise});
  RGL_OK(rgl_graph_run(trace));
  const auto clean = result<float>(trace, RGL_FIELD_XYZ_VEC3_F32);
  const Pose c(sensor);
  const V q = c.undo({clean[0], clean[1], clean[2]});
  expect_near(result<float>(noise, RGL_FIELD_XYZ_VEC3_F32).data(), c(q - (2 / length(q)) * q), 1e-5);
  EXPECT_NEAR(result<float>(noise, RGL_FIELD_DISTANCE_F32)[0], result<float>(trace, RGL_FIELD_DISTANCE_F32)[0] - 2,
              1e-5);
}

/// Section 8.11: a radar and what it sees, moved together, measure the same.
TEST_F(RglReference, ARadarMeasuresTheSameAnywhere) {
  std::vector<float> sections, distances;
  for (const rgl_mat3x4f& sensor : {kIdentity, turned(0.7, 0, 3, 0, -2), turned(-2.1, 0.6, 5, 6, 7)}) {
    RGL_OK(rgl_cleanup());
    const Pose c(sensor), wall(turned(0.05, 0.1, 0, 0, 10));
    rgl_mat3x4f m;
    const V columns[4] = {c.turn(wall.turn({1, 0, 0})), c.turn(wall.turn({0, 1, 0})), c.turn(wall.turn({0, 0, 1})),
                          c(wall.t)};
    for (int k = 0; k < 4; ++k)
      m.value[0][k] = float(columns[k].x), m.value[1][k] = float(columns[k].y), m.value[2][k] = float(columns[k].z);
    make_wall(m, -90, 90, 1);
    rgl_node_t compact = nullptr, radar = nullptr;
    const rgl_radar_scope_t scope = {0, 100, 5, 1, 1};
    RGL_OK(rgl_node_points_compact_by_field(&compact, RGL_FIELD_IS_HIT_I32));
    RGL_OK(rgl_node_points_radar_postprocess(&radar, &scope, 1, 0.01F, 0.01F, 79e9F, 31, 27, 60, 1));
    std::vector<rgl_mat3x4f> rays;
    for (int i = -4; i <= 4; ++i) rays.push_back(turned(0.01 * i + 0.05, 0.1 - 0.01 * i));
    chain({make_rays(rays), pose_node(sensor), make_raytrace(), compact, radar});
    RGL_OK(rgl_graph_run(radar));
    const auto rcs = result<float>(radar, RGL_FIELD_RCS_F32), distance = result<float>(radar, RGL_FIELD_DISTANCE_F32);
    ASSERT_EQ(rcs.size(), 1U);
    sections.push_back(rcs[0]), distances.push_back(distance[0]);
  }
  EXPECT_TRUE(std::isfinite(sections[0]));
  for (const float s : sections) EXPECT_NEAR(s, sections[0], 1e-3);
  for (const float d : distances) EXPECT_NEAR(d, distances[0], 1e-5);
}

}  // namespace
}  // namespace fathom::test
