// SPDX-License-Identifier: MIT
// The library exports exactly the names that docs/rgl.md promises.

#include <dlfcn.h>
#include <set>

#include "rgl/tests/scene.hpp"

extern "C" int version_seen_from_c(void);

namespace fathom::test {
namespace {

/// 0.21: 63 of core.h and 4 of tape.h.
constexpr const char* kOfRgl[] = {"rgl_cleanup",
                                  "rgl_configure_logging",
                                  "rgl_entity_apply_external_animation",
                                  "rgl_entity_create",
                                  "rgl_entity_destroy",
                                  "rgl_entity_is_alive",
                                  "rgl_entity_set_id",
                                  "rgl_entity_set_ignored_by_sensor",
                                  "rgl_entity_set_intensity_texture",
                                  "rgl_entity_set_laser_retro",
                                  "rgl_entity_set_pose_world",
                                  "rgl_entity_set_transform",
                                  "rgl_get_extension_info",
                                  "rgl_get_last_error_string",
                                  "rgl_get_version_info",
                                  "rgl_graph_destroy",
                                  "rgl_graph_get_result_data",
                                  "rgl_graph_get_result_size",
                                  "rgl_graph_node_add_child",
                                  "rgl_graph_node_get_priority",
                                  "rgl_graph_node_remove_child",
                                  "rgl_graph_node_set_priority",
                                  "rgl_graph_run",
                                  "rgl_mesh_create",
                                  "rgl_mesh_destroy",
                                  "rgl_mesh_is_alive",
                                  "rgl_mesh_set_bone_weights",
                                  "rgl_mesh_set_restposes",
                                  "rgl_mesh_set_texture_coords",
                                  "rgl_node_gaussian_noise_angular_hitpoint",
                                  "rgl_node_gaussian_noise_angular_ray",
                                  "rgl_node_gaussian_noise_distance",
                                  "rgl_node_is_alive",
                                  "rgl_node_points_compact_by_field",
                                  "rgl_node_points_filter_ground",
                                  "rgl_node_points_format",
                                  "rgl_node_points_from_array",
                                  "rgl_node_points_radar_postprocess",
                                  "rgl_node_points_radar_set_classes",
                                  "rgl_node_points_radar_track_objects",
                                  "rgl_node_points_spatial_merge",
                                  "rgl_node_points_temporal_merge",
                                  "rgl_node_points_transform",
                                  "rgl_node_points_yield",
                                  "rgl_node_rays_from_mat3x4f",
                                  "rgl_node_rays_set_range",
                                  "rgl_node_rays_set_ring_ids",
                                  "rgl_node_rays_set_time_offsets",
                                  "rgl_node_rays_transform",
                                  "rgl_node_raytrace",
                                  "rgl_node_raytrace_configure_beam_divergence",
                                  "rgl_node_raytrace_configure_default_intensity",
                                  "rgl_node_raytrace_configure_distortion",
                                  "rgl_node_raytrace_configure_id",
                                  "rgl_node_raytrace_configure_mask",
                                  "rgl_node_raytrace_configure_non_hits",
                                  "rgl_node_raytrace_configure_reflectivity_alpha",
                                  "rgl_node_raytrace_configure_return_mode",
                                  "rgl_node_raytrace_configure_velocity",
                                  "rgl_scene_set_time",
                                  "rgl_tape_play",
                                  "rgl_tape_record_begin",
                                  "rgl_tape_record_end",
                                  "rgl_tape_record_is_active",
                                  "rgl_texture_create",
                                  "rgl_texture_destroy",
                                  "rgl_texture_is_alive"};
/// Older names, the extensions, and what only fathom has.
constexpr const char* kBesides[] = {"rgl_entity_set_pose",
                                    "rgl_mesh_set_vertices",
                                    "rgl_mesh_update_vertices",
                                    "rgl_node_multi_return_switch",
                                    "rgl_node_points_compact",
                                    "rgl_node_points_write_pcd_file",
                                    "rgl_node_raytrace_in_motion",
                                    "rgl_node_raytrace_with_distortion",
                                    "rgl_lidar_create",
                                    "rgl_lidar_destroy",
                                    "rgl_lidar_get_output_data",
                                    "rgl_lidar_get_output_size",
                                    "rgl_lidar_raytrace_async",
                                    "rgl_lidar_set_gaussian_noise_params",
                                    "rgl_lidar_set_pose",
                                    "rgl_lidar_set_post_raycast_transform",
                                    "rgl_lidar_set_range",
                                    "rgl_lidar_set_ring_indices",
                                    "rgl_graph_write_pcd_file",
                                    "rgl_node_points_downsample",
                                    "rgl_node_points_visualize",
                                    "rgl_node_points_remove_ground",
                                    "rgl_node_points_ros2_publish",
                                    "rgl_node_points_ros2_publish_with_qos",
                                    "rgl_node_publish_ros2_radarscan",
                                    "rgl_node_publish_ros2_radartracks",
                                    "rgl_node_configure_agnocast",
                                    "rgl_node_points_udp_publish",
                                    "rgl_node_publish_udp_objectlist",
                                    "rgl_node_points_simulate_snow",
                                    "rgl_node_points_simulate_snow_configure_defaults",
                                    "rgl_node_points_simulate_rain",
                                    "rgl_node_points_simulate_rain_configure_defaults",
                                    "rgl_node_points_simulate_fog",
                                    "rgl_node_points_simulate_fog_configure_defaults",
                                    "fathom_rgl_set_intensity_falloff",
                                    "fathom_rgl_set_keep_misses",
                                    "fathom_rgl_set_seed",
                                    "fathom_rgl_set_tapes_in_real_time",
                                    "fathom_rgl_set_threads",
                                    "fathom_rgl_set_version"};

/// One file that can be copied to another computer: besides the compiler's libraries it needs none.
TEST(RglExports, TheLibraryNeedsNoOtherThanTheCompilers) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers bring libraries along";
#endif
  const std::set<std::string> allowed = {
      "libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"};
  const std::set<std::string> needed =
      words_of("readelf -dW '" RGL_LIBRARY "'", " %*x (NEEDED) Shared library: [%511[^]]");
  EXPECT_TRUE(needed.contains("libc.so.6"));
  for (const std::string& library : needed) EXPECT_TRUE(allowed.contains(library)) << library;
}

TEST(RglExports, AreThePromisedNamesAndNoOthers) {
  std::set<std::string> wanted(std::begin(kOfRgl), std::end(kOfRgl));
  ASSERT_EQ(wanted.size(), 67U);
  wanted.insert(std::begin(kBesides), std::end(kBesides));
  EXPECT_EQ(exported_names(), wanted);
}

/// As O3DE loads its gem for ROS 2: every name is looked up at once.
TEST_F(Rgl, LoadsAClientThatNamesAllExtensionsAtOnce) {
  void* client = dlopen(RGL_CLIENT, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(client, nullptr) << dlerror();
  const auto call_extensions = reinterpret_cast<int (*)()>(dlsym(client, "call_extensions"));
  ASSERT_NE(call_extensions, nullptr) << dlerror();
  EXPECT_EQ(call_extensions(), 14);
  EXPECT_NE(last_error().find("Not implemented: rgl_node_points_remove_ground"), std::string::npos) << last_error();
  dlclose(client);
  const rgl_node_t rays = make_rays({kIdentity});  // nothing is broken
  RGL_OK(rgl_graph_run(rays));
}

TEST_F(Rgl, ReportsItsVersionToC) {
  EXPECT_EQ(version_seen_from_c(), 1900);
  RGL_OK(fathom_rgl_set_version(0, 21, 0));
  EXPECT_EQ(version_seen_from_c(), 2100);
  RGL_STATUS(fathom_rgl_set_version(0, -1, 0), RGL_INVALID_ARGUMENT, "minor >= 0");
  RGL_OK(fathom_rgl_set_version(0, 19, 0));
}

}  // namespace
}  // namespace fathom::test
