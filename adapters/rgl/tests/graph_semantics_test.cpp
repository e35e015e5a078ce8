// SPDX-License-Identifier: MIT
// Section 7 of the interface's facts: order of execution, what a refused run leaves, errors of the background thread.

#include "rgl/tests/scene.hpp"

namespace fathom::test::graph_semantics_test {
namespace {

class RglSemantics : public Rgl {};

constexpr rgl_field_t kXyz = RGL_FIELD_XYZ_VEC3_F32;

rgl_node_t make_array(std::vector<float> xyz_distance, const std::vector<rgl_field_t>& fields) {
  rgl_node_t node = nullptr;
  EXPECT_EQ(rgl_node_points_from_array(&node, xyz_distance.data(), 1, fields.data(), int32_t(fields.size())),
            RGL_SUCCESS)
      << last_error();
  return node;
}

rgl_node_t make_transform(const rgl_mat3x4f& m) {
  rgl_node_t node = nullptr;
  EXPECT_EQ(rgl_node_points_transform(&node, &m), RGL_SUCCESS) << last_error();
  return node;
}

/// A node whose run fails in the background: noise below a transform that flattens space.
rgl_node_t make_failing(rgl_node_t input) {
  const rgl_node_t flat = make_transform({{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 0, 0}}});
  rgl_node_t noise = nullptr;
  EXPECT_EQ(rgl_node_gaussian_noise_angular_hitpoint(&noise, 0, 0.1F, RGL_AXIS_X), RGL_SUCCESS);
  chain({input, flat, noise});
  return noise;
}

float room[64];

/// Section 5, "Async errors": thrown once, from the call that waits for the node that failed.
TEST_F(RglSemantics, ErrorsOfTheBackgroundComeOnceFromWhoeverWaitsForThem) {
  const rgl_node_t array = make_array({1, 2, 3}, {kXyz}), failing = make_failing(array);
  for (int round = 0; round < 20; ++round) {
    RGL_OK(rgl_graph_run(array));
    RGL_OK(rgl_graph_get_result_data(array, kXyz, room));  // done before the failure: fine at any moment
    RGL_STATUS(rgl_graph_get_result_data(failing, kXyz, room), RGL_INVALID_PIPELINE, "flattens space");
    RGL_OK(rgl_graph_get_result_data(array, kXyz, room));
    RGL_STATUS(rgl_graph_get_result_data(failing, kXyz, room), RGL_INVALID_PIPELINE, "it hasn't been run yet");
  }
  // Without a request for results: the next run, a setter of the scene, or a change of the node reports the error.
  RGL_OK(rgl_graph_run(array));
  RGL_STATUS(rgl_graph_run(array), RGL_INVALID_PIPELINE, "flattens space");
  RGL_OK(rgl_graph_run(array));
  RGL_STATUS(rgl_scene_set_time(nullptr, 5), RGL_INVALID_PIPELINE, "flattens space");
  RGL_OK(rgl_scene_set_time(nullptr, 5));
  RGL_OK(rgl_graph_run(array));
  rgl_node_t node = failing;
  RGL_STATUS(rgl_node_gaussian_noise_angular_hitpoint(&node, 0, 0, RGL_AXIS_X), RGL_INVALID_PIPELINE, "flattens space");
  RGL_OK(rgl_graph_run(array));
  RGL_OK(rgl_cleanup());  // says nothing
}

/// Section 7.6: children by falling priority, then in the order of add_child. What ran before a failure is readable.
TEST_F(RglSemantics, ChildrenRunByPriorityThenByAge) {
  for (const int priority_of_failing : {-1, 1}) {
    const rgl_node_t array = make_array({1, 2, 3}, {kXyz});
    const rgl_node_t failing = make_failing(array), younger = make_yield({kXyz});
    chain({array, younger});
    RGL_OK(rgl_graph_node_set_priority(younger, priority_of_failing < 0 ? 1 : 0));
    RGL_OK(rgl_graph_run(array));
    int32_t count = 0;
    const bool ran = rgl_graph_get_result_size(younger, kXyz, &count, nullptr) == RGL_SUCCESS;
    EXPECT_EQ(ran, priority_of_failing < 0) << last_error();
    static_cast<void>(rgl_graph_get_result_size(failing, kXyz, &count, nullptr));
    // And with equal priorities the other way round, by age alone.
    RGL_OK(rgl_cleanup());
  }
  const rgl_node_t array = make_array({1, 2, 3}, {kXyz}), older = make_yield({kXyz});
  chain({array, older});
  make_failing(array);
  RGL_OK(rgl_graph_run(array));
  RGL_OK(rgl_graph_get_result_data(older, kXyz, room));
}

/// Section 7.2: a refused run leaves the node that was refused dirty, and those behind it. Those before it show what
/// the last run left, and no field that was asked for since.
TEST_F(RglSemantics, ARefusedRunLeavesTheRefusedNodeUnreadable) {
  place(make_cube(), translation(0, 0, 5));
  const rgl_node_t trace = make_raytrace(), array = make_array({1, 2, 3}, {kXyz});
  rgl_node_t merge = nullptr, format = nullptr;
  RGL_OK(rgl_node_points_spatial_merge(&merge, &kXyz, 1));
  RGL_OK(rgl_node_points_format(&format, &kXyz, 1));
  chain({make_rays({kIdentity}), trace, merge});
  chain({array, merge});
  chain({trace, format});
  RGL_OK(rgl_graph_run(trace));
  RGL_OK(rgl_graph_get_result_data(merge, kXyz, room));
  // The array has no distance: the run is refused at the merge, after raytrace and format have been found valid.
  const rgl_field_t more[] = {kXyz, RGL_FIELD_DISTANCE_F32, RGL_FIELD_RAY_POSE_MAT3x4_F32};
  RGL_OK(rgl_node_points_format(&format, more, 3));
  RGL_OK(rgl_node_points_spatial_merge(&merge, more, 2));
  for (const rgl_node_t node : {trace, merge, format}) {
    RGL_STATUS(rgl_graph_get_result_data(node, kXyz, room), RGL_INVALID_PIPELINE, "it hasn't been run yet");
  }
  RGL_STATUS(rgl_graph_run(trace), RGL_INVALID_PIPELINE, "requires DISTANCE_F32 to be present");
  for (const rgl_node_t node : {trace, format}) {
    EXPECT_EQ(result<float>(node, kXyz), (std::vector<float>{0, 0, 4}));
    RGL_STATUS(rgl_graph_get_result_data(node, RGL_FIELD_DISTANCE_F32, room), RGL_INVALID_PIPELINE,
               "it hasn't been run yet");
  }
  EXPECT_EQ(result<float>(format, RGL_FIELD_DYNAMIC_FORMAT), (std::vector<float>{0, 0, 4}));  // as it was packed then
  for (const rgl_field_t field : {kXyz, RGL_FIELD_DISTANCE_F32}) {
    RGL_STATUS(rgl_graph_get_result_data(merge, field, room), RGL_INVALID_PIPELINE, "it hasn't been run yet");
  }
  RGL_OK(rgl_node_points_spatial_merge(&merge, more, 1));
  RGL_OK(rgl_graph_run(trace));
  EXPECT_EQ(result<float>(format, RGL_FIELD_DISTANCE_F32), std::vector<float>{4});
}

/// What was put into an array is what it has: nothing of the last run can be read any more.
TEST_F(RglSemantics, ANewArrayTakesTheLastResultsAway) {
  rgl_node_t array = make_array({1, 2, 3}, {kXyz}), noise = nullptr, format = nullptr;
  const rgl_field_t distance = RGL_FIELD_DISTANCE_F32;
  RGL_OK(rgl_node_gaussian_noise_angular_hitpoint(&noise, 0, 0, RGL_AXIS_X));
  RGL_OK(rgl_node_points_format(&format, &kXyz, 1));
  chain({array, noise, format});
  RGL_OK(rgl_graph_run(array));
  RGL_OK(rgl_graph_get_result_data(noise, kXyz, room));
  const std::vector<float> more(300, 1.0F);
  RGL_OK(rgl_node_points_from_array(&array, more.data(), 100, &kXyz, 1));
  RGL_OK(rgl_node_points_format(&format, &distance, 1));
  RGL_STATUS(rgl_graph_run(array), RGL_INVALID_PIPELINE, "requires DISTANCE_F32 to be present");
  for (const rgl_node_t node : {array, noise, format}) {
    RGL_STATUS(rgl_graph_get_result_data(node, kXyz, room), RGL_INVALID_PIPELINE, "");
    RGL_STATUS(rgl_graph_get_result_size(node, kXyz, nullptr, nullptr), RGL_INVALID_PIPELINE, "it hasn't been run yet");
  }
}

/// 0.11 and 0.12: the points of all runs, in a file when the node ends, whichever way.
TEST_F(RglSemantics, ANodeWritesThePointsOfAllRunsWhenItEnds) {
  const TemporaryFolder folder;
  const auto write_to = [&](const std::string& file) {
    rgl_node_t array = make_array({1, 2, 3}, {kXyz}), write = nullptr;
    EXPECT_EQ(rgl_node_points_write_pcd_file(&write, "/nowhere/first.pcd"), RGL_SUCCESS) << last_error();
    chain({array, write});
    EXPECT_EQ(rgl_graph_run(array), RGL_SUCCESS);
    const float more[6] = {4, 5, 6, 7, 8, 9};
    EXPECT_EQ(rgl_node_points_from_array(&array, more, 2, &kXyz, 1), RGL_SUCCESS);
    EXPECT_EQ(rgl_node_points_write_pcd_file(&write, file.c_str()), RGL_SUCCESS);  // keeps its points
    EXPECT_EQ(rgl_graph_run(array), RGL_SUCCESS);
    EXPECT_FALSE(std::filesystem::exists(file));
    return write;
  };
  const auto expect_points = [](const std::string& file) {
    const std::string bytes = bytes_of(file);
    EXPECT_TRUE(contains(bytes, "FIELDS x y z\n"));
    EXPECT_TRUE(contains(bytes, "POINTS 3\nDATA binary\n"));
    ASSERT_GT(bytes.size(), 36U);
    std::array<float, 9> xyz = {};
    std::memcpy(xyz.data(), bytes.data() + bytes.size() - 36, 36);
    EXPECT_EQ(xyz, (std::array<float, 9>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  };
  const std::string a = (folder / "a.pcd").string(), b = (folder / "b.pcd").string(), c = (folder / "c.pcd").string();
  RGL_OK(rgl_graph_destroy(write_to(a)));
  expect_points(a);
  write_to(b);
  RGL_OK(rgl_cleanup());
  expect_points(b);
  // No points: no file.
  rgl_node_t none = nullptr;
  RGL_OK(rgl_node_points_write_pcd_file(&none, c.c_str()));
  RGL_OK(rgl_graph_destroy(none));
  EXPECT_FALSE(std::filesystem::exists(c));
  // A node whose file cannot be written ends as well, and the call reports the error.
  const rgl_node_t lost = write_to("/nowhere/at/all.pcd");
  RGL_STATUS(rgl_graph_destroy(lost), RGL_INVALID_FILE_PATH, "/nowhere/at/all.pcd");
  bool alive = true;
  RGL_OK(rgl_node_is_alive(lost, &alive));
  EXPECT_FALSE(alive);
  write_to("/nowhere/at/all.pcd");
  RGL_STATUS(rgl_cleanup(), RGL_INVALID_FILE_PATH, "/nowhere/at/all.pcd");
  RGL_OK(rgl_cleanup());
}

/// A field that was asked for after the last run is not there, even through nodes that did not change.
TEST_F(RglSemantics, FieldsOfARefusedRunAreNotThere) {
  const rgl_node_t trace = make_raytrace(), yield = make_yield({kXyz});
  rgl_node_t compact = nullptr, again = trace;
  RGL_OK(rgl_node_points_compact_by_field(&compact, RGL_FIELD_IS_HIT_I32));
  chain({make_rays({kIdentity}), trace, yield});
  chain({trace, compact});
  RGL_OK(rgl_graph_run(trace));
  RGL_OK(rgl_node_points_compact_by_field(&compact, RGL_FIELD_IS_GROUND_I32));
  RGL_OK(rgl_node_raytrace(&again, nullptr));
  const int8_t mask[2] = {1, 1};
  RGL_OK(rgl_node_raytrace_configure_mask(trace, mask, 2));
  RGL_STATUS(rgl_graph_run(trace), RGL_INVALID_PIPELINE, "mask");
  RGL_OK(rgl_graph_get_result_data(yield, kXyz, room));  // unchanged: of the last run
  RGL_STATUS(rgl_graph_get_result_data(yield, RGL_FIELD_IS_GROUND_I32, room), RGL_INVALID_PIPELINE, "IS_GROUND_I32");
}

/// Section 7.3: mask and distortion are only looked at while the node is dirty; afterwards the run itself fails.
TEST_F(RglSemantics, SettingsOfCleanNodesAreNotCheckedBeforeTheRun) {
  const rgl_node_t trace = make_raytrace();
  chain({make_rays({kIdentity, kIdentity, kIdentity}), trace});
  RGL_OK(rgl_graph_run(trace));
  const int8_t mask[2] = {1, 1};
  RGL_OK(rgl_node_raytrace_configure_mask(trace, mask, 2));
  RGL_OK(rgl_graph_run(trace));
  RGL_STATUS(rgl_graph_get_result_data(trace, kXyz, room), RGL_INVALID_PIPELINE, "mask");
  const int8_t good[3] = {1, 1, 1};
  RGL_OK(rgl_node_raytrace_configure_mask(trace, good, 3));
  RGL_OK(rgl_node_raytrace_configure_distortion(trace, true));  // without time offsets: as if they were 0
  RGL_OK(rgl_graph_run(trace));
  RGL_OK(rgl_graph_get_result_data(trace, kXyz, room));
}

/// Section 7.3, "Parents of other kinds are ignored"; sources have none.
TEST_F(RglSemantics, ParentsOfOtherKindsAreIgnored) {
  const rgl_node_t rays = make_rays({kIdentity}), trace = make_raytrace(), array = make_array({1, 2, 3}, {kXyz}),
                   yield = make_yield({kXyz});
  chain({rays, trace, yield});
  chain({array, trace});  // points into raytrace
  chain({rays, yield});   // rays into points
  RGL_OK(rgl_graph_run(yield));
  RGL_OK(rgl_graph_get_result_data(yield, kXyz, room));
  chain({array, yield});  // two parents of a kind
  RGL_STATUS(rgl_graph_run(yield), RGL_INVALID_PIPELINE, "looked for");
  RGL_OK(rgl_graph_node_remove_child(array, yield));
  RGL_OK(rgl_graph_run(yield));
  chain({make_array({4, 5, 6}, {kXyz}), array});
  RGL_STATUS(rgl_graph_run(yield), RGL_INVALID_PIPELINE, "can have no parents");
}

/// Section 6.3: counts of ring ids, ranges and offsets are compared with the rays when the graph runs.
TEST_F(RglSemantics, CountsOfRayNodesMustFit) {
  const rgl_node_t rays = make_rays(std::vector<rgl_mat3x4f>(4, kIdentity)), trace = make_raytrace();
  const std::vector<float> offsets(4);
  const std::vector<rgl_vec2f> ranges(4, rgl_vec2f{{0, 1}});
  const std::vector<int32_t> rings(4);
  rgl_node_t time = nullptr, range = nullptr, ring = nullptr;
  const auto set = [&](int times, int limits, int ids) {
    RGL_OK(rgl_node_rays_set_time_offsets(&time, offsets.data(), times));
    RGL_OK(rgl_node_rays_set_range(&range, ranges.data(), limits));
    RGL_OK(rgl_node_rays_set_ring_ids(&ring, rings.data(), ids));
  };
  set(4, 4, 4);
  chain({rays, time, range, ring, trace});
  RGL_OK(rgl_graph_run(rays));
  set(4, 1, 2);
  RGL_OK(rgl_graph_run(rays));
  set(1, 1, 1);
  RGL_STATUS(rgl_graph_run(rays), RGL_INVALID_PIPELINE, "time offsets");
  set(4, 2, 1);
  RGL_STATUS(rgl_graph_run(rays), RGL_INVALID_PIPELINE, "ranges");
  set(4, 1, 3);
  RGL_STATUS(rgl_graph_run(rays), RGL_INVALID_PIPELINE, "ring ids doesn't match number of rays");
  set(4, 1, 4);
  RGL_OK(rgl_graph_run(rays));
}

/// Section 7.7: the rest of a graph lives on; a fragment is destroyed alone.
TEST_F(RglSemantics, FragmentsAreDestroyedAlone) {
  const rgl_node_t rays = make_rays({kIdentity}), trace = make_raytrace(), yield = make_yield({RGL_FIELD_DISTANCE_F32});
  chain({rays, trace, yield});
  RGL_OK(rgl_graph_run(rays));
  RGL_OK(rgl_graph_node_remove_child(rays, trace));
  RGL_OK(rgl_graph_destroy(rays));
  RGL_STATUS(rgl_graph_run(trace), RGL_INVALID_PIPELINE, "IRaysNode");
  RGL_STATUS(rgl_graph_get_result_data(yield, kXyz, room), RGL_INVALID_PIPELINE, "it hasn't been run yet");
  chain({make_rays({kIdentity, kIdentity}), trace});
  RGL_OK(rgl_graph_run(trace));
  EXPECT_EQ(result<float>(yield, RGL_FIELD_DISTANCE_F32).size(), 2U);
}

/// Section 7.4: raytrace computes what points nodes ask for down to the first node of another kind, and nothing else.
TEST_F(RglSemantics, OnlyFieldsThatAreAskedForAreThere) {
  const rgl_node_t trace = make_raytrace(), yield = make_yield({RGL_FIELD_NORMAL_VEC3_F32, RGL_FIELD_PADDING_16});
  chain({make_rays({kIdentity}), trace, make_transform(kIdentity), yield});
  RGL_OK(rgl_graph_run(trace));
  RGL_OK(rgl_graph_get_result_data(trace, RGL_FIELD_NORMAL_VEC3_F32, room));
  RGL_STATUS(rgl_graph_get_result_data(trace, RGL_FIELD_DISTANCE_F32, room), RGL_INVALID_PIPELINE, "DISTANCE_F32");
  // A format node hides what it does not list.
  const rgl_field_t only = RGL_FIELD_DISTANCE_F32;
  rgl_node_t format = nullptr;
  RGL_OK(rgl_node_points_format(&format, &only, 1));
  chain({yield, format, make_yield({kXyz})});
  RGL_STATUS(rgl_graph_run(trace), RGL_INVALID_PIPELINE, "requires XYZ_VEC3_F32 to be present");
}

}  // namespace
}  // namespace fathom::test::graph_semantics_test
