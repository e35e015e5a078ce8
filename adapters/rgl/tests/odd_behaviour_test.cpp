// SPDX-License-Identifier: MIT
// Odd behaviour that clients rely on, each with its section of the interface's facts.

#include "rgl/tests/scene.hpp"

namespace fathom::test {
namespace {

class RglOdd : public Rgl {};

constexpr rgl_field_t kOddXyz = RGL_FIELD_XYZ_VEC3_F32;
float place_for_answers[64];

rgl_node_t array_of(const void* points, int count, const std::vector<rgl_field_t>& fields) {
  rgl_node_t node = nullptr;
  EXPECT_EQ(rgl_node_points_from_array(&node, points, count, fields.data(), int32_t(fields.size())), RGL_SUCCESS)
      << last_error();
  return node;
}

/// 6.2: a mesh handle may go, entities keep the geometry; their id is 2^28 - 1 until it is set.
TEST_F(RglOdd, Section6_2_EntitiesOutliveTheirMesh) {
  const rgl_mesh_t mesh = make_cube();
  const rgl_entity_t entity = place(mesh, translation(0, 0, 5));
  RGL_OK(rgl_mesh_destroy(mesh));
  const rgl_node_t trace = make_raytrace();
  chain({make_rays({kIdentity}), trace, make_yield({RGL_FIELD_ENTITY_ID_I32, RGL_FIELD_LASER_RETRO_F32})});
  RGL_OK(rgl_graph_run(trace));
  EXPECT_EQ(result<int>(trace, RGL_FIELD_ENTITY_ID_I32)[0], 268435455);
  EXPECT_EQ(result<float>(trace, RGL_FIELD_LASER_RETRO_F32)[0], 0.0F);
  RGL_OK(rgl_entity_destroy(entity));
  RGL_OK(rgl_graph_run(trace));
  EXPECT_EQ(result<int>(trace, RGL_FIELD_ENTITY_ID_I32)[0], 0);
}

/// 6.1 and 7.3: rgl_cleanup forgets the scene's time, without which TIME_STAMP_F64 is refused (and only that one).
TEST_F(RglOdd, Section7_3_TimeStampsNeedTheScenesTime) {
  const auto run = [] {
    const float offset = 3;
    rgl_node_t times = nullptr;
    EXPECT_EQ(rgl_node_rays_set_time_offsets(&times, &offset, 1), RGL_SUCCESS);
    const rgl_node_t trace = make_raytrace();
    chain({make_rays({kIdentity}), times, trace, make_yield({RGL_FIELD_TIME_STAMP_F64, RGL_FIELD_TIME_STAMP_U32})});
    const rgl_status_t status = rgl_graph_run(trace);
    // 8.6: 0 while distortion is off, whatever the offsets are.
    if (status == RGL_SUCCESS) {
      EXPECT_EQ(result<double>(trace, RGL_FIELD_TIME_STAMP_F64)[0], 0.0);
      EXPECT_EQ(result<unsigned>(trace, RGL_FIELD_TIME_STAMP_U32)[0], 0U);
    }
    return status;
  };
  EXPECT_EQ(run(), RGL_INVALID_PIPELINE);
  RGL_OK(rgl_scene_set_time(nullptr, 9));
  EXPECT_EQ(run(), RGL_SUCCESS);
  RGL_OK(rgl_cleanup());
  RGL_STATUS(run(), RGL_INVALID_PIPELINE, "TIME_STAMP_F64");
}

/// 8.7: what an entity did is kept until the scene changes; a new time alone only divides by another step.
TEST_F(RglOdd, Section8_7_ANewTimeAloneKeepsTheOldStep) {
  const rgl_entity_t cube = place(make_cube(), kIdentity);
  const rgl_mat3x4f at[2] = {translation(0, 0, 5), translation(0, 0, 6)};
  for (int i = 0; i < 2; ++i) {
    RGL_OK(rgl_scene_set_time(nullptr, 1'000'000'000ULL * unsigned(i + 1)));
    RGL_OK(rgl_entity_set_transform(cube, &at[i]));
  }
  const rgl_node_t trace = make_raytrace();
  chain({make_rays({kIdentity}), trace, make_yield({RGL_FIELD_ABSOLUTE_VELOCITY_VEC3_F32})});
  RGL_OK(rgl_graph_run(trace));
  EXPECT_FLOAT_EQ(result<float>(trace, RGL_FIELD_ABSOLUTE_VELOCITY_VEC3_F32)[2], 1.0F);
  RGL_OK(rgl_scene_set_time(nullptr, 4'000'000'000));
  RGL_OK(rgl_graph_run(trace));
  EXPECT_FLOAT_EQ(result<float>(trace, RGL_FIELD_ABSOLUTE_VELOCITY_VEC3_F32)[2], 0.5F);
  RGL_OK(rgl_entity_set_laser_retro(cube, 1));  // a change: looked at anew, the step belongs to another time
  RGL_OK(rgl_graph_run(trace));
  EXPECT_EQ(result<float>(trace, RGL_FIELD_ABSOLUTE_VELOCITY_VEC3_F32)[2], 0.0F);
}

/// 8.4: U8 rounds half away from zero, and from 255 on it is 255.
TEST_F(RglOdd, Section8_4_IntensitiesRoundAwayFromZero) {
  place(make_cube(), translation(0, 0, 5));
  const rgl_node_t trace = make_raytrace();
  chain({make_rays({kIdentity}), trace, make_yield({RGL_FIELD_INTENSITY_U8})});
  for (const auto& [base, want] :
       {std::pair{2.5F, 3}, {2.49F, 2}, {254.6F, 255}, {255.0F, 255}, {1e9F, 255}, {0.0F, 0}}) {
    RGL_OK(rgl_node_raytrace_configure_default_intensity(trace, base));
    RGL_OK(rgl_graph_run(trace));
    EXPECT_EQ(int(result<unsigned char>(trace, RGL_FIELD_INTENSITY_U8)[0]), want) << base;
  }
}

/// 8.2: a surface nearer than the minimum hides what is behind it; near and far distances may be anything.
TEST_F(RglOdd, Section8_2_NearSurfacesHideFarOnes) {
  place(make_cube(), translation(0, 0, 5));
  place(make_cube(), translation(0, 0, 15));
  const rgl_vec2f range = {{6, 100}};
  rgl_node_t node = nullptr;
  RGL_OK(rgl_node_rays_set_range(&node, &range, 1));
  const rgl_node_t trace = make_raytrace();
  RGL_OK(rgl_node_raytrace_configure_non_hits(trace, -3, 1e30F));
  chain({make_rays({kIdentity, turned(3, 0)}), node, trace,
         make_yield({RGL_FIELD_DISTANCE_F32, RGL_FIELD_IS_HIT_I32, RGL_FIELD_RADIAL_SPEED_F32})});
  RGL_OK(rgl_graph_run(trace));
  EXPECT_EQ(result<float>(trace, RGL_FIELD_DISTANCE_F32), (std::vector<float>{-3, 1e30F}));
  EXPECT_EQ(result<int>(trace, RGL_FIELD_IS_HIT_I32), (std::vector<int>{0, 0}));
  EXPECT_EQ(result<float>(trace, RGL_FIELD_RADIAL_SPEED_F32), (std::vector<float>{0, 0}));
  EXPECT_EQ(result<float>(trace, kOddXyz)[2], -3.0F);
}

/// 8.8 and 8.9: animation is the entity's own; the transform of a skinned entity comes on top of its poses.
TEST_F(RglOdd, Section8_9_TransformsComeOnTopOfPoses) {
  const rgl_mesh_t cube = make_cube();
  const std::vector<rgl_bone_weights_t> weights(
      8, rgl_bone_weights_t{{1, 0, 0, 0}, {0, -7, 99, 0}});  // unused bones may be wrong
  RGL_OK(rgl_mesh_set_bone_weights(cube, weights.data(), 8));
  RGL_OK(rgl_mesh_set_restposes(cube, &kIdentity, 1));
  const rgl_entity_t skinned = place(cube, translation(0, 0, 10)), plain = place(cube, translation(5, 0, 50));
  const rgl_mat3x4f bone = translation(0, 0, 4);
  RGL_OK(rgl_entity_set_pose_world(skinned, &bone, 1));
  const rgl_node_t trace = make_raytrace();
  chain({make_rays({kIdentity, translation(5, 0, 0)}), trace, make_yield({RGL_FIELD_DISTANCE_F32})});
  RGL_OK(rgl_graph_run(trace));
  EXPECT_EQ(result<float>(trace, RGL_FIELD_DISTANCE_F32), (std::vector<float>{13, 49}));
  static_cast<void>(plain);
}

/// 8.10, from_array: the last of equal fields counts; dense unless it has IS_HIT. Merges are dense if all inputs are.
TEST_F(RglOdd, Section8_10_ArraysAreDenseWithoutHits) {
  const float points[6] = {1, 2, 3, 4, 5, 6};
  const rgl_node_t twice = array_of(points, 1, {kOddXyz, kOddXyz});
  RGL_OK(rgl_graph_run(twice));
  EXPECT_EQ(result<float>(twice, kOddXyz), (std::vector<float>{4, 5, 6}));
  const std::vector<rgl_field_t> all = {RGL_FIELD_DISTANCE_F32,
                                        RGL_FIELD_AZIMUTH_F32,
                                        RGL_FIELD_ELEVATION_F32,
                                        RGL_FIELD_RADIAL_SPEED_F32,
                                        RGL_FIELD_RAY_POSE_MAT3x4_F32,
                                        RGL_FIELD_NORMAL_VEC3_F32,
                                        kOddXyz};
  std::vector<rgl_field_t> with_hits = all;
  with_hits.push_back(RGL_FIELD_IS_HIT_I32);
  // One point 10 m ahead, facing the radar.
  float point[23] = {10, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, -1, 0, 0, 10, 0};
  for (const bool dense : {true, false}) {
    rgl_node_t merge = nullptr, radar = nullptr;
    RGL_OK(rgl_node_points_spatial_merge(&merge, all.data(), int32_t(all.size())));
    const rgl_radar_scope_t scope = {0, 100, 1, 1, 1};
    RGL_OK(rgl_node_points_radar_postprocess(&radar, &scope, 1, 0.01F, 0.01F, 79e9F, 31, 27, 60, 1));
    chain({array_of(point, 1, all), merge, radar});
    chain({array_of(point, 1, dense ? all : with_hits), merge});
    if (dense) {
      RGL_OK(rgl_graph_run(radar));
      EXPECT_EQ(result<float>(radar, RGL_FIELD_DISTANCE_F32), std::vector<float>{10});  // two points, one detection
    } else {
      RGL_STATUS(rgl_graph_run(radar), RGL_INVALID_PIPELINE, "dense");
    }
  }
}

/// 8.10, radar: points without a normal are refused when they are computed; no points give no detections.
TEST_F(RglOdd, Section8_10_RadarOfNothingAndOfNaN) {
  const rgl_node_t trace = make_raytrace();
  rgl_node_t compact = nullptr, radar = nullptr, track = nullptr;
  RGL_OK(rgl_node_points_compact_by_field(&compact, RGL_FIELD_IS_HIT_I32));
  const rgl_radar_scope_t scope = {0, 100, 1, 1, 1};
  RGL_OK(rgl_node_points_radar_postprocess(&radar, &scope, 1, 0.01F, 0.01F, 79e9F, 31, 27, 60, 1));
  RGL_OK(rgl_node_points_radar_track_objects(&track, 1, 1, 1, 1, 1, 1, 0));
  chain({make_rays({kIdentity}), trace, compact, radar, track});
  RGL_OK(rgl_graph_run(radar));
  for (const rgl_node_t node : {compact, radar, track}) EXPECT_TRUE(result<float>(node, kOddXyz).empty());
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float point[22] = {10, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, nan, nan, nan, 0, 0, 10};
  const rgl_node_t array =
      array_of(point, 1,
               {RGL_FIELD_DISTANCE_F32, RGL_FIELD_AZIMUTH_F32, RGL_FIELD_ELEVATION_F32, RGL_FIELD_RADIAL_SPEED_F32,
                RGL_FIELD_RAY_POSE_MAT3x4_F32, RGL_FIELD_NORMAL_VEC3_F32, kOddXyz});
  rgl_node_t broken = nullptr;
  RGL_OK(rgl_node_points_radar_postprocess(&broken, &scope, 1, 0.01F, 0.01F, 79e9F, 31, 27, 60, 1));
  chain({array, broken});
  RGL_OK(rgl_graph_run(array));
  RGL_STATUS(rgl_graph_get_result_data(broken, kOddXyz, place_for_answers), RGL_INVALID_PIPELINE, "RCS is NaN");
}

/// 9: hit-point noise makes no DISTANCE of its input without DISTANCE, and turns about the origin below merges and
/// arrays.
TEST_F(RglOdd, Section9_HitPointNoiseMakesNoDistance) {
  const float points[3] = {0, 0, 5};
  rgl_node_t noise = nullptr;
  RGL_OK(rgl_node_gaussian_noise_angular_hitpoint(&noise, float(std::acos(0.0)), 0, RGL_AXIS_X));
  chain({array_of(points, 1, {kOddXyz}), noise});
  RGL_OK(rgl_graph_run(noise));
  const auto xyz = result<float>(noise, kOddXyz);
  EXPECT_NEAR(xyz[1], -5, 1e-5);  // Rx: y' = -s z
  EXPECT_NEAR(xyz[2], 0, 1e-5);
  RGL_STATUS(rgl_graph_get_result_data(noise, RGL_FIELD_DISTANCE_F32, place_for_answers), RGL_INVALID_PIPELINE,
             "DISTANCE_F32");
}

/// 9: the returns of a ray draw apart; ray noise draws once a ray.
TEST_F(RglOdd, Section9_ReturnsOfARayDrawApart) {
  place(make_cube(), {{{100, 0, 0, 0}, {0, 100, 0, 0}, {0, 0, 1, 11}}});
  const rgl_node_t trace = make_raytrace(), yield = make_yield({RGL_FIELD_DISTANCE_F32});
  RGL_OK(rgl_node_raytrace_configure_return_mode(trace, RGL_RETURN_FIRST_LAST));
  rgl_node_t turn = nullptr, noise = nullptr;
  RGL_OK(rgl_node_gaussian_noise_angular_ray(&turn, 0, 0.1F, RGL_AXIS_Y));
  RGL_OK(rgl_node_gaussian_noise_distance(&noise, 0, 0.1F, 0));
  chain({make_rays({kIdentity, kIdentity}), turn, trace, yield, noise});
  RGL_OK(rgl_graph_run(trace));
  const auto clean = result<float>(yield, RGL_FIELD_DISTANCE_F32), noisy = result<float>(noise, RGL_FIELD_DISTANCE_F32);
  ASSERT_EQ(noisy.size(), 4U);
  EXPECT_EQ(clean[0], clean[1]);
  EXPECT_NE(clean[0], clean[2]);
  EXPECT_NE(noisy[0] - clean[0], noisy[1] - clean[1]);
  // Nothing piles up: the input is as it was.
  EXPECT_EQ(result<float>(trace, RGL_FIELD_DISTANCE_F32), clean);
}

/// Rays, times and motions that are not numbers meet nothing, and do not change hits of other rays.
TEST_F(RglOdd, RaysThatLeadNowhereMeetNothing) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinite = std::numeric_limits<float>::infinity();
  place(make_cube(), translation(0, 0, 5));
  std::vector<rgl_mat3x4f> rays(7, kIdentity);
  rays[1].value[0][2] = nan, rays[2].value[1][3] = nan, rays[3].value[2][2] = infinite, rays[4].value[2][2] = 0;
  rays[5].value[0][3] = infinite;
  const std::vector<int> seen = {1, 0, 0, 0, 0, 0, 1};
  const std::vector<float> offsets = {0, 0, 0, 0, 0, 0, nan};
  rgl_node_t times = nullptr, compact = nullptr;
  RGL_OK(rgl_node_rays_set_time_offsets(&times, offsets.data(), 7));
  RGL_OK(rgl_node_points_compact_by_field(&compact, RGL_FIELD_IS_HIT_I32));
  const rgl_node_t trace = make_raytrace();
  chain({make_rays(rays), times, trace, compact,
         make_yield({RGL_FIELD_RAY_POSE_MAT3x4_F32, RGL_FIELD_AZIMUTH_F32, RGL_FIELD_NORMAL_VEC3_F32,
                     RGL_FIELD_TIME_STAMP_U32, RGL_FIELD_RADIAL_SPEED_F32})});
  RGL_OK(rgl_graph_run(trace));
  EXPECT_EQ(result<int>(trace, RGL_FIELD_IS_HIT_I32), seen);
  // Under distortion, the ray without a time goes; with a motion that is no number, all.
  const rgl_vec3f still = {}, torn = {{nan, 0, 0}};
  RGL_OK(rgl_node_raytrace_configure_distortion(trace, true));
  RGL_OK(rgl_node_raytrace_configure_velocity(trace, &still, &still));
  RGL_OK(rgl_graph_run(trace));
  EXPECT_EQ(result<int>(trace, RGL_FIELD_IS_HIT_I32), (std::vector<int>{1, 0, 0, 0, 0, 0, 0}));
  RGL_OK(rgl_node_raytrace_configure_velocity(trace, &torn, &still));
  RGL_OK(rgl_graph_run(trace));
  EXPECT_EQ(result<int>(trace, RGL_FIELD_IS_HIT_I32), std::vector<int>(7, 0));
}

/// Every transform leads back, all together do not: refused by the run, with one status however often it is tried.
TEST_F(RglOdd, TransformsThatFlattenSpaceTogetherAreRefusedByTheRun) {
  const rgl_mat3x4f tiny = {{{2e-38F, 0, 0, 0}, {0, 2e-38F, 0, 0}, {0, 0, 2e-38F, 0}}};
  rgl_node_t shrink[3] = {};
  for (rgl_node_t& node : shrink) RGL_OK(rgl_node_rays_transform(&node, &tiny));
  const rgl_node_t trace = make_raytrace();
  chain({make_rays({kIdentity}), shrink[0], shrink[1], shrink[2], trace});
  for (int i = 0; i < 2; ++i) {
    RGL_STATUS(rgl_graph_run(trace), RGL_INVALID_PIPELINE, "flattens space");
    RGL_STATUS(rgl_graph_get_result_size(trace, kOddXyz, nullptr, nullptr), RGL_INVALID_PIPELINE,
               "hasn't been run yet");
  }
  RGL_OK(rgl_node_rays_transform(&shrink[1], &kIdentity));
  RGL_OK(rgl_graph_run(trace));
}

/// Some hide an entity by a scale of 0.
TEST_F(RglOdd, AFlattenedEntityIsNotSeen) {
  const rgl_entity_t entity = place(make_cube(), translation(0, 0, 5));
  const rgl_node_t trace = make_raytrace();
  chain({make_rays({kIdentity}), trace, make_yield({RGL_FIELD_IS_HIT_I32, RGL_FIELD_NORMAL_VEC3_F32})});
  for (const rgl_mat3x4f& flat : {rgl_mat3x4f{}, rgl_mat3x4f{{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 0, 5}}}}) {
    RGL_OK(rgl_entity_set_transform(entity, &flat));
    RGL_OK(rgl_graph_run(trace));
    EXPECT_EQ(result<int>(trace, RGL_FIELD_IS_HIT_I32)[0], 0);
  }
}

}  // namespace
}  // namespace fathom::test
