// SPDX-License-Identifier: MIT
// Every function of the interface: its valid use, each argument that it refuses, and that a refusal leaves the library
// as it was.

#include <gtest/gtest-spi.h>

#include "rgl/tests/failing_new.hpp"
#include "rgl/tests/functions.hpp"

namespace fathom::test {
namespace {

void expect_ok(rgl_status_t status) { EXPECT_EQ(status, RGL_SUCCESS) << last_error(); }

rgl_texture_t make_texture() {
  rgl_texture_t texture = nullptr;
  const char texel = 7;
  expect_ok(rgl_texture_create(&texture, &texel, 1, 1));
  return texture;
}

}  // namespace

Objects::Objects(std::string tape_path) : tape(std::move(tape_path)) {
  mesh = make_cube(), dead_mesh = make_cube(), skinned_mesh = make_cube();
  entity = place(mesh, translation(0, 0, 5)), dead_entity = place(mesh, kIdentity);
  const rgl_bone_weights_t weights[8] = {};
  expect_ok(rgl_mesh_set_bone_weights(skinned_mesh, weights, 8));
  expect_ok(rgl_mesh_set_restposes(skinned_mesh, &kIdentity, 1));
  skinned = place(skinned_mesh, translation(50, 0, 0));
  expect_ok(rgl_mesh_destroy(dead_mesh));
  expect_ok(rgl_entity_destroy(dead_entity));
  texture = make_texture(), dead_texture = make_texture();
  expect_ok(rgl_texture_destroy(dead_texture));
  rays = make_rays({kIdentity}), trace = make_raytrace(), yield = make_yield({RGL_FIELD_DISTANCE_F32});
  const rgl_field_t xyz = RGL_FIELD_XYZ_VEC3_F32;
  expect_ok(rgl_node_points_format(&format, &xyz, 1));
  chain({rays, trace, yield, format});
  expect_ok(rgl_graph_run(rays));
  expect_ok(rgl_node_points_radar_track_objects(&track, 1, 1, 1, 1, 1, 1, 0));
  expect_ok(rgl_node_points_downsample(&lone, 1, 1, 1));
  dead_node = make_raytrace();
  expect_ok(rgl_graph_destroy(dead_node));
  expect_ok(rgl_lidar_create(&lidar, &kIdentity, 1));
  expect_ok(rgl_lidar_create(&dead_lidar, &kIdentity, 1));
  expect_ok(rgl_lidar_destroy(dead_lidar));
}

namespace {

std::vector<Function> all_functions() {
  return joined({general_functions, scene_functions, ray_functions, point_functions, graph_functions, old_functions,
                 extension_functions});
}

class RglFunctions : public Rgl {
 protected:
  void SetUp() override {
    RGL_OK(rgl_cleanup());
    RGL_OK(rgl_tape_record_begin(tape().c_str()));
    RGL_OK(rgl_scene_set_time(nullptr, 1));
    RGL_OK(rgl_tape_record_end());
  }
  void TearDown() override {
    RGL_OK(rgl_configure_logging(RGL_LOG_LEVEL_OFF, nullptr, false));
    Rgl::TearDown();
  }
  [[nodiscard]] std::string tape() const { return (folder_ / "tape").string(); }
  TemporaryFolder folder_;
};

TEST_F(RglFunctions, AllOfThemAreInTheTable) {
  std::set<std::string> named;
  for (const Function& f : all_functions()) EXPECT_TRUE(named.insert(f.name).second) << f.name << " twice";
  EXPECT_EQ(named, exported_names());
}

TEST_F(RglFunctions, AreFineWithWhatTheyAreMadeFor) {
  for (const Function& f : all_functions()) {
    RGL_OK(rgl_cleanup());
    Objects o(tape());
    EXPECT_EQ(f.valid(o), f.answer) << f.name << ": " << last_error();
    EXPECT_EQ(last_error() == "Success", f.answer == RGL_SUCCESS) << f.name;
  }
}

TEST_F(RglFunctions, RefuseEachBadArgumentAndGoOn) {
  std::size_t refusals = 0;
  for (const Function& f : all_functions()) {
    RGL_OK(rgl_cleanup());
    Objects o(tape());
    for (const Refusal& bad : f.refusals) {
      const rgl_status_t status = bad.call(o);
      const std::string text = last_error();
      EXPECT_EQ(status, bad.status) << f.name << ": " << bad.text << " / " << text;
      EXPECT_TRUE(contains(text, bad.text)) << f.name << ": '" << bad.text << "' is not in '" << text << "'";
      ++refusals;
    }
    // Nothing was made, written or broken.
    EXPECT_TRUE(o.out_mesh == nullptr && o.out_entity == nullptr && o.out_texture == nullptr && o.out_lidar == nullptr)
        << f.name;
    EXPECT_TRUE(std::all_of(o.room.begin(), o.room.end(), [](char c) { return c == 0; })) << f.name;
    EXPECT_EQ(f.valid(o), f.answer) << f.name << ": " << last_error();
  }
  EXPECT_GT(refusals, 500U);
}

/// A function with its n-th allocation failing, and all of a run that it starts. Returns whether an allocation failed.
bool call_in_need(const Function& f, Objects& o, int n, bool for_good, rgl_status_t& status) {
  testing::TestPartResultArray unheard;  // expectations of the valid use, which may fail here
  const testing::ScopedFakeTestPartResultReporter reporter(&unheard);
  const FailingNew need(n, for_good);
  try {
    status = f.valid(o);
  } catch (const std::bad_alloc&) {  // of the use itself
    status = RGL_INTERNAL_EXCEPTION;
  }
  rgl_graph_get_result_size(o.format, RGL_FIELD_XYZ_VEC3_F32, nullptr, nullptr);  // waits for a run, whatever it says
  return need.has_failed();
}

/// The next call that waits for a failed run reports its error, once.
void expect_usable_after_need(Objects& o) {
  rgl_tape_record_end();  // of a use that ended before its end
  for (int told = 0; told < 3 && rgl_scene_set_time(nullptr, 5) != RGL_SUCCESS; ++told) {
    EXPECT_TRUE(contains(last_error(), "out of memory"));
  }
  bool alive = false;
  RGL_OK(rgl_node_is_alive(o.yield, &alive));
  if (!alive) return;
  const rgl_status_t status = rgl_graph_run(o.yield);
  if (status == RGL_INVALID_PIPELINE) return;  // the use took a link away
  EXPECT_EQ(status, RGL_SUCCESS) << last_error();
  EXPECT_EQ(result<float>(o.yield, RGL_FIELD_DISTANCE_F32).size(), 1U);
}

/// Each allocation of each function fails once, alone or with all after it. Only this call fails: what existed before
/// stays usable, and the same call succeeds afterwards.
TEST_F(RglFunctions, SurviveEachAllocationThatFails) {
  int failures = 0;
  for (const Function& f : all_functions()) {
    if (f.answer != RGL_SUCCESS) continue;
    for (const bool for_good : {false, true}) {
      for (int n = 1;; ++n, ++failures) {
        SCOPED_TRACE(f.name + ": allocation " + std::to_string(n) + (for_good ? " and all after it" : ""));
        RGL_OK(rgl_cleanup());
        Objects o(tape());
        RGL_OK(rgl_graph_get_result_size(o.format, RGL_FIELD_XYZ_VEC3_F32, nullptr, nullptr));  // its run has ended
        rgl_status_t status = RGL_SUCCESS;
        if (!call_in_need(f, o, n, for_good, status)) break;
        EXPECT_NE(status, RGL_INVALID_STATE);
        expect_usable_after_need(o);
        if (status != RGL_SUCCESS) EXPECT_EQ(f.valid(o), RGL_SUCCESS) << last_error();
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_GT(failures, 500);
}

}  // namespace
}  // namespace fathom::test
