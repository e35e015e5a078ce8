// SPDX-License-Identifier: MIT
// What a raytrace node says of its returns, against closed forms in double precision.

#include "rgl/tests/scene.hpp"

namespace fathom::test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

class RglRaytrace : public Rgl {};

TEST_F(RglRaytrace, GivesExactDistancesToAnAxisAlignedCube) {
  place(make_cube(), translation(0, 0, 8));
  std::vector<rgl_mat3x4f> rays;
  for (int i = 0; i < 300; ++i) rays.push_back(translation(-0.9F + 0.006F * float(i), 0.3F, 0.01F * float(i)));
  const rgl_node_t trace = make_raytrace();
  chain({make_rays(rays), trace, make_yield({RGL_FIELD_DISTANCE_F32, RGL_FIELD_IS_HIT_I32})});
  RGL_OK(rgl_graph_run(trace));
  const auto distance = result<float>(trace, RGL_FIELD_DISTANCE_F32);
  const auto xyz = result<float>(trace, RGL_FIELD_XYZ_VEC3_F32);
  for (std::size_t i = 0; i < rays.size(); ++i) {
    EXPECT_EQ(distance[i], float(7.0 - double{rays[i].value[2][3]}));
    EXPECT_EQ(xyz[3 * i], rays[i].value[0][3]);
    EXPECT_NEAR(xyz[3 * i + 2], 7.0F, 1e-6);
  }
}

TEST_F(RglRaytrace, ARayThatStartsOnAFaceMeetsTheOppositeOne) {
  place(make_cube(), kIdentity);
  const rgl_node_t trace = make_raytrace();
  chain({make_rays({translation(0.25F, 0.5F, -1.0F), translation(0, 0, 1.0F), translation(0, 0, 0.5F)}), trace,
         make_yield({RGL_FIELD_DISTANCE_F32, RGL_FIELD_IS_HIT_I32})});
  RGL_OK(rgl_graph_run(trace));
  EXPECT_EQ(result<float>(trace, RGL_FIELD_DISTANCE_F32), (std::vector<float>{2.0F, kInf, 0.5F}));
  EXPECT_EQ(result<int>(trace, RGL_FIELD_IS_HIT_I32), (std::vector<int>{1, 0, 1}));
}

/// The same for cubes that stand anyhow, far away, and rays from points computed in single precision.
TEST_F(RglRaytrace, FacesOfTurnedAndFarCubesAreLeftToo) {
  const rgl_mesh_t cube = make_cube();
  std::vector<rgl_mat3x4f> rays;
  for (int i = 0; i < 40; ++i) {
    rgl_mat3x4f pose = turned(0.37 * i, 0.21 * i, float(20 * i - 300), 3.0F, float(300 - 11 * i));
    place(cube, pose);
    // From the middle of the face at z = -1, along +z of the cube: the way through is 2 m.
    for (int r = 0; r < 3; ++r) pose.value[r][3] = float(double{pose.value[r][3]} - pose.value[r][2]);
    rays.push_back(pose);
  }
  const rgl_node_t trace = make_raytrace();
  chain({make_rays(rays), trace, make_yield({RGL_FIELD_DISTANCE_F32})});
  RGL_OK(rgl_graph_run(trace));
  for (const float d : result<float>(trace, RGL_FIELD_DISTANCE_F32)) EXPECT_NEAR(d, 2.0, 1e-4);
}

TEST_F(RglRaytrace, PosesFarAwayAreGoodToATenthOfAMillimetre) {
  place(make_cube(), translation(300, -300, 305));
  const rgl_node_t pose = [] {
    rgl_node_t node = nullptr;
    const rgl_mat3x4f m = turned(0.1, -0.05, 300, -300, 300);
    EXPECT_EQ(rgl_node_rays_transform(&node, &m), RGL_SUCCESS);
    return node;
  }();
  const rgl_node_t trace = make_raytrace();
  std::vector<rgl_mat3x4f> rays;
  for (int i = 0; i < 50; ++i) rays.push_back(turned(-0.1 + 0.004 * (i - 25), 0.05));
  chain({make_rays(rays), pose, trace, make_yield({RGL_FIELD_DISTANCE_F32})});
  RGL_OK(rgl_graph_run(trace));
  const auto distance = result<float>(trace, RGL_FIELD_DISTANCE_F32);
  const rgl_mat3x4f m = turned(0.1, -0.05, 300, -300, 300);
  for (std::size_t i = 0; i < rays.size(); ++i) {
    double dz = 0;
    for (int k = 0; k < 3; ++k) dz += double{m.value[2][k]} * rays[i].value[k][2];
    EXPECT_NEAR(distance[i], 4.0 / dz, 1e-4);
  }
}

TEST_F(RglRaytrace, NonHitsKeepWhatTheyAreGiven) {
  const rgl_entity_t entity = place(make_cube(), translation(0, 0, 5));
  RGL_OK(rgl_entity_set_id(entity, 7));
  RGL_OK(rgl_entity_set_laser_retro(entity, 2.5F));
  const rgl_vec2f ranges[] = {{{0, 100}}, {{4.5F, 100}}, {{0, 3.9F}}, {{0, 4}}, {{0, 100}}};
  const int8_t mask[] = {1, 1, 1, 1, 0};
  rgl_node_t range = nullptr;
  RGL_OK(rgl_node_rays_set_range(&range, ranges, 5));
  const rgl_node_t trace = make_raytrace();
  RGL_OK(rgl_node_raytrace_configure_non_hits(trace, 0.5F, 77.0F));
  RGL_OK(rgl_node_raytrace_configure_mask(trace, mask, 5));
  chain({make_rays(std::vector<rgl_mat3x4f>(5, kIdentity)), range, trace,
         make_yield({RGL_FIELD_DISTANCE_F32, RGL_FIELD_IS_HIT_I32, RGL_FIELD_ENTITY_ID_I32, RGL_FIELD_LASER_RETRO_F32,
                     RGL_FIELD_NORMAL_VEC3_F32, RGL_FIELD_INCIDENT_ANGLE_F32, RGL_FIELD_RAY_IDX_U32,
                     RGL_FIELD_POWER_F32})});
  RGL_OK(rgl_graph_run(trace));
  EXPECT_EQ(result<float>(trace, RGL_FIELD_DISTANCE_F32), (std::vector<float>{4, 0.5F, 77, 4, 77}));
  EXPECT_EQ(result<int>(trace, RGL_FIELD_IS_HIT_I32), (std::vector<int>{1, 0, 0, 1, 0}));
  EXPECT_EQ(result<int>(trace, RGL_FIELD_ENTITY_ID_I32), (std::vector<int>{7, 0, 0, 7, 0}));
  EXPECT_EQ(result<float>(trace, RGL_FIELD_LASER_RETRO_F32), (std::vector<float>{2.5F, 0, 0, 2.5F, 0}));
  EXPECT_EQ(result<unsigned>(trace, RGL_FIELD_RAY_IDX_U32), (std::vector<unsigned>{0, 1, 2, 3, 4}));
  EXPECT_EQ(result<float>(trace, RGL_FIELD_POWER_F32), std::vector<float>(5, 0.0F));
  const auto xyz = result<float>(trace, RGL_FIELD_XYZ_VEC3_F32),
             normal = result<float>(trace, RGL_FIELD_NORMAL_VEC3_F32);
  EXPECT_EQ(xyz[2], 4.0F);
  EXPECT_EQ(xyz[3 * 2 + 2], 77.0F);
  EXPECT_EQ(normal[2], -1.0F);  // by the order of corners: outward
  EXPECT_TRUE(std::isnan(normal[3 + 2]));
}

TEST_F(RglRaytrace, DefaultNonHitsAreInfinitelyFarWhereTheRayGoes) {
  const rgl_node_t trace = make_raytrace();
  chain({make_rays({kIdentity}), trace});
  RGL_OK(rgl_graph_run(trace));
  EXPECT_EQ(result<float>(trace, RGL_FIELD_XYZ_VEC3_F32), (std::vector<float>{0, 0, kInf}));
}

/// The probes of the interface's facts: yaw 45 and pitch 30 degrees, in both orders.
TEST_F(RglRaytrace, AnglesComeFromTheWholeFrameOfARay) {
  const double deg = std::numbers::pi / 180;
  const rgl_mat3x4f yaw_pitch = turned(45 * deg, 30 * deg);
  const double s = std::sqrt(0.5), c30 = std::sqrt(0.75);
  const rgl_mat3x4f pitch_yaw = {{{float(s), 0, float(s), 0},
                                  {float(0.5 * s), float(c30), float(-0.5 * s), 0},
                                  {float(-c30 * s), 0.5F, float(c30 * s), 0}}};
  rgl_node_t pose = nullptr;
  const rgl_mat3x4f anywhere = turned(1.1, 0.4, 5, 6, 7);
  RGL_OK(rgl_node_rays_transform(&pose, &anywhere));
  const rgl_node_t trace = make_raytrace();
  chain({make_rays({yaw_pitch, pitch_yaw, kIdentity}), pose, trace,
         make_yield({RGL_FIELD_AZIMUTH_F32, RGL_FIELD_ELEVATION_F32})});
  RGL_OK(rgl_graph_run(trace));
  const auto azimuth = result<float>(trace, RGL_FIELD_AZIMUTH_F32),
             elevation = result<float>(trace, RGL_FIELD_ELEVATION_F32);
  EXPECT_NEAR(azimuth[0] / deg, 49.107, 1e-3);
  EXPECT_NEAR(elevation[0] / deg, -30.0, 1e-4);
  EXPECT_NEAR(azimuth[1] / deg, 45.0, 1e-4);
  EXPECT_NEAR(elevation[1] / deg, -20.705, 1e-3);
  EXPECT_NEAR(azimuth[2], 0.0, 1e-6);
}

TEST_F(RglRaytrace, IntensityIsTextureOrDefaultTimesCosine) {
  const rgl_vec3f corners[4] = {{{-1, -1, 0}}, {{1, -1, 0}}, {{1, 1, 0}}, {{-1, 1, 0}}};
  const rgl_vec3i faces[2] = {{{0, 1, 2}}, {{0, 2, 3}}};
  const rgl_vec2f uv[4] = {{{0, 0}}, {{1, 0}}, {{1, 1}}, {{0, 1}}};
  rgl_mesh_t mesh = nullptr;
  RGL_OK(rgl_mesh_create(&mesh, corners, 4, faces, 2));
  RGL_OK(rgl_mesh_set_texture_coords(mesh, uv, 4));
  const rgl_entity_t textured = place(mesh, translation(0, 0, 5));
  place(mesh, translation(10, 0, 5));
  const unsigned char texels[6] = {10, 20, 30, 40, 50, 255};  // 3 wide, 2 high
  rgl_texture_t texture = nullptr;
  RGL_OK(rgl_texture_create(&texture, texels, 3, 2));
  RGL_OK(rgl_entity_set_intensity_texture(textured, texture));
  RGL_OK(rgl_texture_destroy(texture));
  RGL_OK(rgl_mesh_destroy(mesh));
  const rgl_node_t trace = make_raytrace();
  RGL_OK(rgl_node_raytrace_configure_default_intensity(trace, 100));
  // u = (x + 1) / 2, v = (y + 1) / 2; the last ray comes at 60 degrees.
  const rgl_mat3x4f slanted = turned(std::numbers::pi / 3, 0, float(10 - 5 * std::sqrt(3.0)), 0, 0);
  chain({make_rays({translation(-0.9F, -0.5F, 0), translation(0, -0.5F, 0), translation(0.9F, 0.5F, 0), slanted}),
         trace,
         make_yield({RGL_FIELD_INTENSITY_F32, RGL_FIELD_INTENSITY_U8, RGL_FIELD_INCIDENT_ANGLE_F32,
                     RGL_FIELD_REFLECTIVITY_F32})});
  RGL_OK(rgl_graph_run(trace));
  const auto f = result<float>(trace, RGL_FIELD_INTENSITY_F32);
  EXPECT_EQ(f[0], 10);
  EXPECT_EQ(f[1], 20);
  EXPECT_EQ(f[2], 255);
  EXPECT_NEAR(f[3], 50, 1e-4);
  EXPECT_EQ(result<unsigned char>(trace, RGL_FIELD_INTENSITY_U8), (std::vector<unsigned char>{10, 20, 255, 50}));
  EXPECT_NEAR(result<float>(trace, RGL_FIELD_INCIDENT_ANGLE_F32)[3], std::numbers::pi / 3, 1e-6);
  EXPECT_NEAR(result<float>(trace, RGL_FIELD_REFLECTIVITY_F32)[0], 0.1 * 10 * 25, 1e-3);
}

/// The test that RGL brings with 0.21: texture / d^2, while REFLECTIVITY stays alpha times texture.
TEST_F(RglRaytrace, IntensityFallsOffFromVersion0_21On) {
  rgl_texture_t texture = nullptr;
  const unsigned char texel = 127;
  RGL_OK(rgl_texture_create(&texture, &texel, 1, 1));
  const rgl_mesh_t cube = make_cube();
  const std::vector<rgl_vec2f> uv(8, rgl_vec2f{{0.5F, 0.5F}});
  RGL_OK(rgl_mesh_set_texture_coords(cube, uv.data(), 8));
  const rgl_entity_t entity = place(cube, translation(0, 0, 5));
  RGL_OK(rgl_entity_set_intensity_texture(entity, texture));
  const rgl_node_t trace = make_raytrace();
  RGL_OK(rgl_node_raytrace_configure_reflectivity_alpha(trace, 0.5F));
  chain({make_rays({kIdentity, translation(0, 0, 3.5F), turned(3, 0)}), trace,
         make_yield({RGL_FIELD_INTENSITY_F32, RGL_FIELD_INTENSITY_U8, RGL_FIELD_REFLECTIVITY_F32})});
  const auto expect = [&](const std::vector<float>& intensity, const std::vector<float>& reflectivity) {
    RGL_OK(rgl_graph_run(trace));
    EXPECT_EQ(result<float>(trace, RGL_FIELD_INTENSITY_F32), intensity);
    EXPECT_EQ(result<float>(trace, RGL_FIELD_REFLECTIVITY_F32), reflectivity);
  };
  const auto as_before = [&] { expect({127, 127, 0}, {0.5F * 127 * 16, 0.5F * 127 * 0.25F, 0}); };  // 4 m and 0.5 m
  const auto falling = [&] { expect({127.0F / 16, 127.0F * 4, 0}, {0.5F * 127, 0.5F * 127, 0}); };
  as_before();
  RGL_OK(fathom_rgl_set_version(0, 20, 9));
  as_before();
  RGL_OK(fathom_rgl_set_version(0, 21, 0));
  falling();
  EXPECT_EQ(result<unsigned char>(trace, RGL_FIELD_INTENSITY_U8), (std::vector<unsigned char>{8, 255, 0}));
  RGL_OK(fathom_rgl_set_version(0, 19, 0));
  RGL_OK(fathom_rgl_set_intensity_falloff(1));
  falling();
  RGL_OK(fathom_rgl_set_intensity_falloff(0));
  RGL_OK(fathom_rgl_set_version(0, 21, 0));
  as_before();
  RGL_OK(fathom_rgl_set_version(0, 19, 0));
  RGL_OK(fathom_rgl_set_intensity_falloff(-1));
}

/// The call of 0.16's last builds, which AWSIM-Labs makes: velocities with or without distortion, until
/// rgl_node_raytrace.
TEST_F(RglRaytrace, InMotionIsVelocityAndDistortionInOneCall) {
  const rgl_vec3f linear = {{0, 0, 8}}, still = {{0, 0, 0}};
  const float offset_ms = 250;
  place(make_cube(), translation(0, 0, 9));
  rgl_node_t times = nullptr, trace = nullptr;
  RGL_OK(rgl_node_rays_set_time_offsets(&times, &offset_ms, 1));
  RGL_OK(rgl_node_raytrace_in_motion(&trace, nullptr, &linear, &still, true));
  chain({make_rays({kIdentity}), times, trace, make_yield({RGL_FIELD_DISTANCE_F32, RGL_FIELD_RADIAL_SPEED_F32})});
  RGL_OK(rgl_scene_set_time(nullptr, 1));
  RGL_OK(rgl_scene_set_time(nullptr, 1'000'000'001));
  const auto expect = [&](float distance, float speed) {
    RGL_OK(rgl_graph_run(trace));
    EXPECT_FLOAT_EQ(result<float>(trace, RGL_FIELD_DISTANCE_F32)[0], distance);
    EXPECT_FLOAT_EQ(result<float>(trace, RGL_FIELD_RADIAL_SPEED_F32)[0], speed);
  };
  expect(6, -8);  // cast from 2 m further on
  RGL_OK(rgl_node_raytrace_in_motion(&trace, nullptr, &linear, &still, false));
  expect(8, -8);
  RGL_OK(rgl_node_raytrace(&trace, nullptr));
  expect(8, 0);
}

TEST_F(RglRaytrace, RelativeVelocitiesFollowFromTwoPosesAndTheSensor) {
  const rgl_mesh_t cube = make_cube();
  rgl_entity_t moving = nullptr;
  RGL_OK(rgl_entity_create(&moving, nullptr, cube));
  const rgl_mat3x4f before = translation(0, 0, 10), after = translation(0.5F, 0, 11);
  RGL_OK(rgl_scene_set_time(nullptr, 1'000'000'000));
  RGL_OK(rgl_entity_set_transform(moving, &before));
  RGL_OK(rgl_scene_set_time(nullptr, 1'500'000'000));
  RGL_OK(rgl_entity_set_transform(moving, &after));
  const rgl_node_t trace = make_raytrace();
  const rgl_vec3f v = {{0, 1, 3}}, w = {{0.1F, 0, 0}};
  RGL_OK(rgl_node_raytrace_configure_velocity(trace, &v, &w));
  chain({make_rays({kIdentity}), trace,
         make_yield({RGL_FIELD_ABSOLUTE_VELOCITY_VEC3_F32, RGL_FIELD_RELATIVE_VELOCITY_VEC3_F32,
                     RGL_FIELD_RADIAL_SPEED_F32})});
  RGL_OK(rgl_graph_run(trace));
  // 0.5 m and 1 m in half a second. w x hit = (0.1, 0, 0) x (0, 0, 10) = (0, -1, 0).
  EXPECT_EQ(result<float>(trace, RGL_FIELD_ABSOLUTE_VELOCITY_VEC3_F32), (std::vector<float>{1, 0, 2}));
  const auto relative = result<float>(trace, RGL_FIELD_RELATIVE_VELOCITY_VEC3_F32);
  EXPECT_NEAR(relative[0], 1, 1e-6);
  EXPECT_NEAR(relative[1], 0 - 1 + 1, 1e-6);
  EXPECT_NEAR(relative[2], 2 - 3, 1e-6);
  EXPECT_NEAR(result<float>(trace, RGL_FIELD_RADIAL_SPEED_F32)[0], -1, 1e-6);
}

TEST_F(RglRaytrace, VelocitiesAreUnknownBeforeTwoTimes) {
  place(make_cube(), translation(0, 0, 10));
  const rgl_node_t trace = make_raytrace();
  chain({make_rays({kIdentity, turned(3, 0)}), trace,
         make_yield({RGL_FIELD_ABSOLUTE_VELOCITY_VEC3_F32, RGL_FIELD_RADIAL_SPEED_F32})});
  RGL_OK(rgl_graph_run(trace));
  const auto speed = result<float>(trace, RGL_FIELD_RADIAL_SPEED_F32);
  EXPECT_TRUE(std::isnan(speed[0]));
  EXPECT_EQ(speed[1], 0.0F);  // no hit
  EXPECT_TRUE(std::isnan(result<float>(trace, RGL_FIELD_ABSOLUTE_VELOCITY_VEC3_F32)[4]));
}

TEST_F(RglRaytrace, DistortionCastsFromWhereTheSensorIs) {
  // A wall at z = 20: the sensor moves 10 m/s towards it, so a ray fired 100 ms late is 1 m nearer.
  const rgl_mat3x4f wall = {{{100, 0, 0, 0}, {0, 100, 0, 0}, {0, 0, 1, 21}}};
  place(make_cube(), wall);
  const float offsets[] = {0, 100, 200};
  rgl_node_t times = nullptr;
  RGL_OK(rgl_node_rays_set_time_offsets(&times, offsets, 3));
  const rgl_node_t trace = make_raytrace();
  const rgl_vec3f v = {{0, 0, 10}}, w = {{0, 1, 0}};
  RGL_OK(rgl_node_raytrace_configure_velocity(trace, &v, &w));
  RGL_OK(rgl_node_raytrace_configure_distortion(trace, true));
  RGL_OK(rgl_scene_set_time(nullptr, 5));
  chain({make_rays(std::vector<rgl_mat3x4f>(3, kIdentity)), times, trace,
         make_yield({RGL_FIELD_DISTANCE_F32, RGL_FIELD_TIME_STAMP_F64, RGL_FIELD_TIME_STAMP_U32,
                     RGL_FIELD_RAY_POSE_MAT3x4_F32})});
  RGL_OK(rgl_graph_run(trace));
  const auto distance = result<float>(trace, RGL_FIELD_DISTANCE_F32),
             xyz = result<float>(trace, RGL_FIELD_XYZ_VEC3_F32);
  for (int i = 0; i < 3; ++i) {
    const double t = 0.1 * i;
    EXPECT_NEAR(distance[std::size_t(i)], (20 - 10 * t) / std::cos(t), 1e-5);
    // The point is put where the sensor believes the ray to go.
    EXPECT_NEAR(xyz[std::size_t(3 * i)], 0, 1e-6);
    EXPECT_NEAR(xyz[std::size_t(3 * i + 2)], distance[std::size_t(i)], 1e-5);
  }
  EXPECT_NEAR(result<double>(trace, RGL_FIELD_TIME_STAMP_F64)[2], 0.2, 1e-8);
  EXPECT_EQ(result<unsigned>(trace, RGL_FIELD_TIME_STAMP_U32), (std::vector<unsigned>{0, 100000000, 200000000}));
  // So does its pose, which leads from the distance to the point.
  const auto pose = result<rgl_mat3x4f>(trace, RGL_FIELD_RAY_POSE_MAT3x4_F32);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t r = 0; r < 3; ++r) {
      EXPECT_NEAR(pose[i].value[r][2] * distance[i] + pose[i].value[r][3], xyz[3 * i + r], 1e-5);
    }
  }
}

/// Two walls: the far one only seen past the edge of the near one. A diverging ray sees both.
TEST_F(RglRaytrace, DivergingRaysReturnSeveralTimes) {
  const rgl_mesh_t cube = make_cube();
  const rgl_mat3x4f near_wall = {{{5, 0, 0, 5}, {0, 50, 0, 0}, {0, 0, 1, 11}}},
                    far_wall = {{{50, 0, 0, 0}, {0, 50, 0, 0}, {0, 0, 1, 21}}};
  place(cube, near_wall);
  place(cube, far_wall);
  const rgl_node_t trace = make_raytrace();
  RGL_OK(rgl_node_raytrace_configure_beam_divergence(trace, 0.02F, 0.02F));
  RGL_OK(rgl_node_raytrace_configure_return_mode(trace, RGL_RETURN_FIRST_LAST));
  const rgl_mat3x4f at_edge = translation(-0.01F, 0, 0);
  rgl_node_t first = nullptr, last = nullptr;
  RGL_OK(rgl_node_multi_return_switch(&first, RGL_RETURN_TYPE_FIRST));
  RGL_OK(rgl_node_multi_return_switch(&last, RGL_RETURN_TYPE_LAST));
  const rgl_node_t fields = make_yield({RGL_FIELD_DISTANCE_F32, RGL_FIELD_RETURN_TYPE_U8, RGL_FIELD_RAY_IDX_U32});
  chain({make_rays({at_edge, kIdentity}), trace, fields, first});
  chain({fields, last});
  RGL_OK(rgl_graph_run(trace));
  const auto d = result<float>(trace, RGL_FIELD_DISTANCE_F32);
  ASSERT_EQ(d.size(), 4U);
  // The widest cone is at half of 0.02 rad, so the samples' distances are at most z / cos(0.0142).
  EXPECT_NEAR(d[0], 10, 2e-3);
  EXPECT_NEAR(d[1], 20, 4e-3);
  EXPECT_GT(d[1], 20.0F);
  EXPECT_EQ(result<unsigned char>(trace, RGL_FIELD_RETURN_TYPE_U8), (std::vector<unsigned char>{4, 2, 4, 2}));
  EXPECT_EQ(result<unsigned>(trace, RGL_FIELD_RAY_IDX_U32), (std::vector<unsigned>{0, 0, 1, 1}));
  EXPECT_EQ(result<float>(first, RGL_FIELD_DISTANCE_F32), (std::vector<float>{d[0], d[2]}));
  EXPECT_EQ(result<float>(last, RGL_FIELD_DISTANCE_F32), (std::vector<float>{d[1], d[3]}));
  // All returns lie on the centre of the ray.
  const auto xyz = result<float>(trace, RGL_FIELD_XYZ_VEC3_F32);
  EXPECT_NEAR(xyz[3], -0.01, 1e-7);
}

TEST_F(RglRaytrace, WithoutDivergenceAllReturnsAreTheOne) {
  place(make_cube(), translation(0, 0, 5));
  const rgl_node_t trace = make_raytrace();
  RGL_OK(rgl_node_raytrace_configure_return_mode(trace, RGL_RETURN_STRONGEST_SECOND_STRONGEST));
  chain({make_rays({kIdentity}), trace, make_yield({RGL_FIELD_DISTANCE_F32})});
  RGL_OK(rgl_graph_run(trace));
  EXPECT_EQ(result<float>(trace, RGL_FIELD_DISTANCE_F32), (std::vector<float>{4, 4}));
}

TEST_F(RglRaytrace, AnEntityIsHiddenFromOneSensorOnly) {
  const rgl_entity_t entity = place(make_cube(), translation(0, 0, 5));
  RGL_OK(rgl_entity_set_ignored_by_sensor(entity, 9));
  const rgl_node_t rays = make_rays({kIdentity}), sees = make_raytrace(), ignores = make_raytrace();
  RGL_OK(rgl_node_raytrace_configure_id(ignores, 9));
  chain({rays, sees, make_yield({RGL_FIELD_IS_HIT_I32})});
  chain({rays, ignores, make_yield({RGL_FIELD_IS_HIT_I32})});
  RGL_OK(rgl_graph_run(rays));
  EXPECT_EQ(result<int>(sees, RGL_FIELD_IS_HIT_I32), std::vector<int>{1});
  EXPECT_EQ(result<int>(ignores, RGL_FIELD_IS_HIT_I32), std::vector<int>{0});
}

TEST_F(RglRaytrace, SkinnedAndAnimatedEntitiesStandWhereTheirVerticesAre) {
  const rgl_mesh_t cube = make_cube();
  rgl_bone_weights_t weights[8];
  for (auto& w : weights) w = {{0.25F, 0.75F, 0, 0}, {0, 1, 0, 0}};
  RGL_OK(rgl_mesh_set_bone_weights(cube, weights, 8));
  const rgl_mat3x4f rest[2] = {kIdentity, translation(0, 0, -1)};
  RGL_OK(rgl_mesh_set_restposes(cube, rest, 2));
  rgl_entity_t skinned = nullptr;
  RGL_OK(rgl_entity_create(&skinned, nullptr, cube));
  // 0.25 * (v + 4) + 0.75 * (v - 1 + 13) along z: moved by 10.
  const rgl_mat3x4f bones[2] = {translation(0, 0, 4), translation(0, 0, 13)};
  RGL_OK(rgl_entity_set_pose_world(skinned, bones, 2));
  RGL_STATUS(rgl_entity_set_pose_world(skinned, bones, 1), RGL_INVALID_ARGUMENT, "bones_count ==");
  const rgl_node_t trace = make_raytrace();
  chain({make_rays({kIdentity}), trace, make_yield({RGL_FIELD_DISTANCE_F32, RGL_FIELD_ABSOLUTE_VELOCITY_VEC3_F32})});
  RGL_OK(rgl_graph_run(trace));
  EXPECT_NEAR(result<float>(trace, RGL_FIELD_DISTANCE_F32)[0], 9, 1e-6);
  rgl_vec3f moved[8];
  const auto animate = [&](float z) {
    for (int i = 0; i < 8; ++i) moved[i] = {{i & 1 ? 1.0F : -1.0F, i & 2 ? 1.0F : -1.0F, z + (i & 4 ? 1.0F : -1.0F)}};
    return rgl_entity_apply_external_animation(skinned, moved, 8);
  };
  RGL_OK(rgl_scene_set_time(nullptr, 1'000'000'000));
  RGL_OK(animate(30));
  RGL_OK(rgl_scene_set_time(nullptr, 1'250'000'000));
  RGL_OK(animate(31));
  RGL_OK(rgl_graph_run(trace));
  EXPECT_EQ(result<float>(trace, RGL_FIELD_DISTANCE_F32)[0], 30.0F);
  EXPECT_NEAR(result<float>(trace, RGL_FIELD_ABSOLUTE_VELOCITY_VEC3_F32)[2], 4.0F, 1e-6);
}

}  // namespace
}  // namespace fathom::test
