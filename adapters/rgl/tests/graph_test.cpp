// SPDX-License-Identifier: MIT
// Links, order, dirtiness, and what each points node makes of its input.

#include "rgl/tests/scene.hpp"

namespace fathom::test {
namespace {

class RglGraph : public Rgl {};

TEST_F(RglGraph, RefusesPipelinesThatCannotRun) {
  const rgl_node_t trace = make_raytrace();
  RGL_STATUS(rgl_graph_run(trace), RGL_INVALID_PIPELINE, "looked for");
  RGL_STATUS(rgl_graph_run(trace), RGL_INVALID_PIPELINE, "IRaysNode");
  const rgl_node_t yield = make_yield({RGL_FIELD_RING_ID_U16});
  RGL_STATUS(rgl_graph_run(yield), RGL_INVALID_PIPELINE, "IPointsNode");
  const rgl_node_t rays = make_rays({kIdentity, kIdentity});
  chain({rays, trace, yield});
  RGL_STATUS(rgl_graph_run(trace), RGL_INVALID_PIPELINE, "ring ids");
  const int32_t rings[] = {4, 5, 6};
  rgl_node_t ring = nullptr;
  RGL_OK(rgl_node_rays_set_ring_ids(&ring, rings, 3));
  RGL_OK(rgl_graph_node_remove_child(rays, trace));
  chain({rays, ring, trace});
  RGL_STATUS(rgl_graph_run(trace), RGL_INVALID_PIPELINE, "ring ids doesn't match number of rays");
  RGL_OK(rgl_node_rays_set_ring_ids(&ring, rings, 1));
  RGL_OK(rgl_graph_run(trace));
  EXPECT_EQ(result<unsigned short>(yield, RGL_FIELD_RING_ID_U16), (std::vector<unsigned short>{4, 4}));
  const int8_t mask[3] = {1, 1, 1};
  RGL_OK(rgl_node_raytrace_configure_mask(trace, mask, 3));
  rgl_node_t again = trace;
  RGL_OK(rgl_node_raytrace(&again, nullptr));  // dirty
  RGL_STATUS(rgl_graph_run(trace), RGL_INVALID_PIPELINE, "mask");
}

TEST_F(RglGraph, RefusesFieldsThatNobodyMakes) {
  const float xyz[3] = {1, 2, 3};
  const rgl_field_t f = RGL_FIELD_XYZ_VEC3_F32;
  rgl_node_t array = nullptr, distance = nullptr, ground = nullptr, radar = nullptr;
  RGL_OK(rgl_node_points_from_array(&array, xyz, 1, &f, 1));
  RGL_OK(rgl_node_gaussian_noise_distance(&distance, 0, 0, 0));
  chain({array, distance});
  RGL_STATUS(rgl_graph_run(array), RGL_INVALID_PIPELINE, "requires DISTANCE_F32 to be present");
  const rgl_vec3f up = {{0, 1, 0}};
  RGL_OK(rgl_node_points_filter_ground(&ground, &up, 0.1F));
  const rgl_node_t rays = make_rays({kIdentity}), trace = make_raytrace();
  chain({rays, trace});
  RGL_STATUS(rgl_graph_node_remove_child(trace, ground), RGL_INVALID_PIPELINE, "not a child");
  const rgl_radar_scope_t scope = {0, 10, 1, 1, 1};
  RGL_OK(rgl_node_points_radar_postprocess(&radar, &scope, 1, 0.01F, 0.01F, 79e9F, 31, 27, 60, 1));
  chain({trace, radar});
  RGL_STATUS(rgl_graph_run(rays), RGL_INVALID_PIPELINE, "dense");
}

TEST_F(RglGraph, SurvivesCycles) {
  const rgl_node_t a = make_yield({RGL_FIELD_XYZ_VEC3_F32}), b = make_yield({RGL_FIELD_XYZ_VEC3_F32}),
                   rays = make_rays({kIdentity}), trace = make_raytrace();
  chain({rays, trace, a, b});
  chain({b, a});
  RGL_STATUS(rgl_graph_run(rays), RGL_INVALID_PIPELINE, "cycle");
  RGL_OK(rgl_graph_node_set_priority(a, 3));
  RGL_OK(rgl_graph_node_remove_child(b, a));
  RGL_OK(rgl_graph_run(rays));
  RGL_OK(rgl_graph_node_add_child(b, a));
  RGL_OK(rgl_graph_destroy(a));
}

TEST_F(RglGraph, PrioritiesRiseToAncestors) {
  const rgl_node_t rays = make_rays({kIdentity}), trace = make_raytrace(), a = make_yield({RGL_FIELD_XYZ_VEC3_F32}),
                   b = make_yield({RGL_FIELD_XYZ_VEC3_F32});
  RGL_OK(rgl_graph_node_set_priority(b, 7));
  chain({rays, trace, a});
  chain({trace, b});
  int32_t p = 0;
  RGL_OK(rgl_graph_node_get_priority(rays, &p));
  EXPECT_EQ(p, 7);
  RGL_OK(rgl_graph_node_get_priority(a, &p));
  EXPECT_EQ(p, 0);
  RGL_STATUS(rgl_graph_node_set_priority(trace, 6), RGL_INVALID_PIPELINE, "cannot set priority");
}

TEST_F(RglGraph, ResultsAreThereUntilTheirNodeChanges) {
  place(make_cube(), translation(0, 0, 5));
  const rgl_node_t rays = make_rays({kIdentity}), trace = make_raytrace();
  rgl_node_t move = nullptr;
  rgl_mat3x4f shift = translation(1, 0, 0);
  RGL_OK(rgl_node_points_transform(&move, &shift));
  chain({rays, trace, move});
  RGL_OK(rgl_graph_run(rays));
  shift = translation(2, 0, 0);
  RGL_OK(rgl_node_points_transform(&move, &shift));
  float xyz[3];
  RGL_STATUS(rgl_graph_get_result_data(move, RGL_FIELD_XYZ_VEC3_F32, xyz), RGL_INVALID_PIPELINE,
             "it hasn't been run yet");
  EXPECT_EQ(result<float>(trace, RGL_FIELD_XYZ_VEC3_F32)[2], 4.0F);  // of the last run
  RGL_OK(rgl_graph_run(rays));
  EXPECT_EQ(result<float>(move, RGL_FIELD_XYZ_VEC3_F32)[0], 2.0F);
  const rgl_node_t yield = make_yield({RGL_FIELD_DISTANCE_F32});
  chain({trace, yield});
  RGL_STATUS(rgl_graph_get_result_data(move, RGL_FIELD_XYZ_VEC3_F32, xyz), RGL_INVALID_PIPELINE,
             "it hasn't been run yet");
  RGL_OK(rgl_graph_run(rays));
  EXPECT_EQ(result<float>(yield, RGL_FIELD_DISTANCE_F32)[0], 4.0F);
  // New rays: everything must run again.
  rgl_node_t source = rays;
  RGL_OK(rgl_node_rays_from_mat3x4f(&source, &kIdentity, 1));
  RGL_STATUS(rgl_graph_get_result_data(yield, RGL_FIELD_DISTANCE_F32, xyz), RGL_INVALID_PIPELINE,
             "it hasn't been run yet");
}

TEST_F(RglGraph, FormatPacksWithoutPaddingOfItsOwn) {
  struct [[gnu::packed]] Point {
    unsigned char type;
    float distance;
    char gap[2];
    float xyz[3];
    float distance_again;
  };
  place(make_cube(), translation(0, 0, 5));
  const rgl_field_t fields[] = {RGL_FIELD_RETURN_TYPE_U8, RGL_FIELD_DISTANCE_F32, RGL_FIELD_PADDING_16,
                                RGL_FIELD_XYZ_VEC3_F32, RGL_FIELD_DISTANCE_F32};
  rgl_node_t format = nullptr, compact = nullptr;
  RGL_OK(rgl_node_points_format(&format, fields, 5));
  RGL_OK(rgl_node_points_compact_by_field(&compact, RGL_FIELD_IS_HIT_I32));
  std::vector<rgl_mat3x4f> rays(1000, kIdentity);
  for (std::size_t i = 0; i < rays.size(); i += 3) rays[i] = turned(3, 0);
  chain({make_rays(rays), make_raytrace(), compact, format});
  RGL_OK(rgl_graph_run(format));
  int32_t count = 0, size = 0;
  RGL_OK(rgl_graph_get_result_size(format, RGL_FIELD_DYNAMIC_FORMAT, &count, &size));
  EXPECT_EQ(size, int32_t(sizeof(Point)));
  ASSERT_EQ(count, 666);
  for (const Point& p : result<Point>(format, RGL_FIELD_DYNAMIC_FORMAT)) {
    EXPECT_EQ(p.type, RGL_RETURN_TYPE_FIRST);
    EXPECT_EQ(float(p.distance), 4.0F);
    EXPECT_EQ(float(p.xyz[2]), 4.0F);
    EXPECT_EQ(float(p.distance_again), 4.0F);
  }
  EXPECT_EQ(result<float>(format, RGL_FIELD_DISTANCE_F32), std::vector<float>(666, 4.0F));
  float none[666];
  RGL_STATUS(rgl_graph_get_result_data(format, RGL_FIELD_IS_HIT_I32, none), RGL_INVALID_PIPELINE, "IS_HIT_I32");
}

TEST_F(RglGraph, ArraysComeBackAndMerge) {
  struct Point {
    float xyz[3];
    int32_t gap;
    int32_t hit;
  };
  const Point points[3] = {{{1, 2, 3}, 9, 1}, {{4, 5, 6}, 9, 0}, {{7, 8, 9}, 9, 1}};
  const rgl_field_t fields[] = {RGL_FIELD_XYZ_VEC3_F32, RGL_FIELD_PADDING_32, RGL_FIELD_IS_HIT_I32};
  rgl_node_t a = nullptr, b = nullptr, merge = nullptr, hits = nullptr, all = nullptr;
  RGL_OK(rgl_node_points_from_array(&a, points, 3, fields, 3));
  RGL_OK(rgl_node_points_from_array(&b, points, 2, fields, 3));
  RGL_OK(rgl_node_points_spatial_merge(&merge, fields, 3));
  RGL_OK(rgl_node_points_temporal_merge(&all, fields, 1));
  RGL_OK(rgl_node_points_compact_by_field(&hits, RGL_FIELD_IS_HIT_I32));
  chain({a, merge});
  RGL_STATUS(rgl_graph_run(merge), RGL_INVALID_PIPELINE, "looked for");
  chain({b, merge, hits, all});
  for (int run = 1; run <= 3; ++run) {
    RGL_OK(rgl_graph_run(merge));
    EXPECT_EQ(result<int>(merge, RGL_FIELD_IS_HIT_I32), (std::vector<int>{1, 0, 1, 1, 0}));
    EXPECT_EQ(result<float>(hits, RGL_FIELD_XYZ_VEC3_F32), (std::vector<float>{1, 2, 3, 7, 8, 9, 1, 2, 3}));
    EXPECT_EQ(result<float>(all, RGL_FIELD_XYZ_VEC3_F32).size(), std::size_t(9 * run));
  }
  RGL_OK(rgl_node_points_temporal_merge(&all, fields, 1));
  RGL_OK(rgl_graph_run(merge));
  EXPECT_EQ(result<float>(all, RGL_FIELD_XYZ_VEC3_F32).size(), 9U);
}

TEST_F(RglGraph, GroundFilterMarksWhatIsNoGround) {
  place(make_cube(), translation(0, 0, 5));
  const rgl_mat3x4f floor = {{{100, 0, 0, 0}, {0, 1, 0, -4}, {0, 0, 100, 0}}};
  place(make_cube(), floor);
  rgl_node_t filter = nullptr, compact = nullptr;
  const rgl_vec3f up = {{0, 1, 0}};
  RGL_OK(rgl_node_points_filter_ground(&filter, &up, 0.2F));
  RGL_OK(rgl_node_points_compact_by_field(&compact, RGL_FIELD_IS_GROUND_I32));
  chain({make_rays({kIdentity, turned(0, 1.0), turned(3, -1.0)}), make_raytrace(), filter, compact});
  RGL_OK(rgl_graph_run(filter));
  EXPECT_EQ(result<int>(filter, RGL_FIELD_IS_GROUND_I32), (std::vector<int>{1, 0, 0}));
  EXPECT_EQ(result<float>(compact, RGL_FIELD_XYZ_VEC3_F32), (std::vector<float>{0, 0, 4}));
}

TEST_F(RglGraph, DownsamplingGivesMeans) {
  const float xyz[] = {0.1F, 0.1F, 0.1F,  0.3F, 0.1F, 0.1F, 5, 5, 5, std::numeric_limits<float>::infinity(),
                       0,    0,    -0.1F, 0.1F, 0.1F};
  const rgl_field_t f = RGL_FIELD_XYZ_VEC3_F32;
  rgl_node_t array = nullptr, down = nullptr;
  RGL_OK(rgl_node_points_from_array(&array, xyz, 5, &f, 1));
  RGL_OK(rgl_node_points_downsample(&down, 1, 1, 1));
  chain({array, down});
  RGL_OK(rgl_graph_run(down));
  const auto mean = result<float>(down, f);
  ASSERT_EQ(mean.size(), 9U);
  EXPECT_NEAR(mean[0], 0.2, 1e-7);
  EXPECT_EQ(mean[3], 5.0F);
  EXPECT_EQ(mean[6], -0.1F);
}

TEST_F(RglGraph, GraphsShareTheSceneAndRunSideBySide) {
  place(make_cube(), translation(0, 0, 5));
  std::vector<rgl_node_t> traces;
  for (int g = 0; g < 10; ++g) {
    traces.push_back(make_raytrace());
    chain({make_rays(std::vector<rgl_mat3x4f>(5000, translation(0, 0, -float(g)))), traces.back(),
           make_yield({RGL_FIELD_DISTANCE_F32})});
  }
  for (int round = 0; round < 5; ++round) {
    for (const rgl_node_t trace : traces) RGL_OK(rgl_graph_run(trace));
    const rgl_entity_t extra = place(make_cube(), translation(float(50 + round), 0, 0));  // waits for all of them
    RGL_OK(rgl_entity_set_laser_retro(extra, 1));
    for (std::size_t g = 0; g < traces.size(); ++g) {
      EXPECT_EQ(result<float>(traces[g], RGL_FIELD_DISTANCE_F32), std::vector<float>(5000, 4.0F + float(g)));
    }
  }
}

}  // namespace
}  // namespace fathom::test
