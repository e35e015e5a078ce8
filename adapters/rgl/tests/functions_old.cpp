// SPDX-License-Identifier: MIT
// Names that 0.19 dropped, and the lidars of 0.6 to 0.10 (sections 10 and 11).
#include <rgl/api/extensions/ros2.h>
#include <rgl/api/extensions/udp.h>
#include <rgl/api/extensions/weather.h>

#include "rgl/tests/functions.hpp"

extern "C" rgl_status_t rgl_node_publish_ros2_radartracks();

namespace fathom::test {
namespace {

constexpr rgl_vec3f kEight[8] = {}, kVelocity = {{0, 0, 1}};
constexpr std::int32_t kRing = 4;
rgl_scene_t a_scene(Objects& o) { return reinterpret_cast<rgl_scene_t>(o.mesh); }

std::vector<Function> up_to_0_18() {
  const auto compact = TAKING(rgl_node_t * n, rgl_node_points_compact(n));
  const auto pick = TAKING(rgl_node_t * n, rgl_node_multi_return_switch(n, RGL_RETURN_TYPE_LAST));
  const auto trace = TAKING(rgl_node_t * n, rgl_node_raytrace_with_distortion(n, nullptr, &kVelocity, &kVelocity));
  const auto motion = TAKING(rgl_node_t * n, rgl_node_raytrace_in_motion(n, nullptr, &kVelocity, &kVelocity, true));
  const auto pcd = TAKING(rgl_node_t * n, rgl_node_points_write_pcd_file(n, (o.tape + ".pcd").c_str()));
  const auto making_switch = [](int type) {
    return [type](Objects&) {
      rgl_node_t n = nullptr;
      return rgl_node_multi_return_switch(&n, static_cast<rgl_return_type_t>(type));
    };
  };
  const auto tracing = [](auto call) {
    return [call](Objects& o) {
      rgl_node_t n = nullptr;
      return call(o, &n);
    };
  };
  return {
      Function("rgl_entity_set_pose", CALL(rgl_entity_set_pose(o.entity, &kIdentity)))
          .entity(TAKING(rgl_entity_t h, rgl_entity_set_pose(h, &kIdentity)))
          .refuses("transform != nullptr", CALL(rgl_entity_set_pose(o.entity, nullptr)))
          .refuses("max", CALL(rgl_entity_set_pose(o.entity, &kTorn))),
      Function("rgl_mesh_update_vertices", CALL(rgl_mesh_update_vertices(o.mesh, kEight, 8)))
          .mesh(TAKING(rgl_mesh_t h, rgl_mesh_update_vertices(h, kEight, 8)))
          .refuses("vertices != nullptr", CALL(rgl_mesh_update_vertices(o.mesh, nullptr, 8)))
          .refuses("vertex_count > 0", CALL(rgl_mesh_update_vertices(o.mesh, kEight, 0)))
          .refuses("vertex counts do not match", CALL(rgl_mesh_update_vertices(o.mesh, kEight, 7))),
      Function("rgl_mesh_set_vertices", CALL(rgl_mesh_set_vertices(o.mesh, kEight, 8)))
          .mesh(TAKING(rgl_mesh_t h, rgl_mesh_set_vertices(h, kEight, 8)))
          .refuses("vertices != nullptr", CALL(rgl_mesh_set_vertices(o.mesh, nullptr, 8)))
          .refuses("vertex_count > 0", CALL(rgl_mesh_set_vertices(o.mesh, kEight, 0)))
          .refuses("vertex counts do not match", CALL(rgl_mesh_set_vertices(o.mesh, kEight, 7))),
      Function("rgl_node_points_write_pcd_file", made_and_changed(pcd))
          .makes(pcd)
          .refuses("file_path != nullptr", tracing(TAKING(rgl_node_t * n, rgl_node_points_write_pcd_file(n, nullptr))))
          .refuses("file_path[0]", tracing(TAKING(rgl_node_t * n, rgl_node_points_write_pcd_file(n, "")))),
      Function("rgl_node_points_compact", made_and_changed(compact)).makes(compact),
      Function("rgl_node_multi_return_switch", made_and_changed(pick))
          .makes(pick)
          .refuses("return_type != RGL_RETURN_TYPE_UNKNOWN", making_switch(0))
          .refuses("return_type <=", making_switch(6)),
      Function("rgl_node_raytrace_in_motion", made_and_changed(motion))
          .makes(motion)
          .refuses("scene == nullptr",
                   tracing(TAKING(rgl_node_t * n,
                                  rgl_node_raytrace_in_motion(n, a_scene(o), &kVelocity, &kVelocity, false))))
          .refuses("linear_velocity != nullptr",
                   tracing(TAKING(rgl_node_t * n, rgl_node_raytrace_in_motion(n, nullptr, nullptr, &kVelocity, false))))
          .refuses(
              "angular_velocity != nullptr",
              tracing(TAKING(rgl_node_t * n, rgl_node_raytrace_in_motion(n, nullptr, &kVelocity, nullptr, false)))),
      Function("rgl_node_raytrace_with_distortion", made_and_changed(trace))
          .makes(trace)
          .refuses("scene == nullptr", tracing(TAKING(rgl_node_t * n, rgl_node_raytrace_with_distortion(
                                                                          n, a_scene(o), &kVelocity, &kVelocity))))
          .refuses("linear_velocity != nullptr",
                   tracing(TAKING(rgl_node_t * n, rgl_node_raytrace_with_distortion(n, nullptr, nullptr, &kVelocity))))
          .refuses("angular_velocity != nullptr",
                   tracing(TAKING(rgl_node_t * n, rgl_node_raytrace_with_distortion(n, nullptr, &kVelocity, nullptr)))),
  };
}

/// A function of lidars, with the handles that it refuses.
Function of_lidar(const char* name, Call valid, rgl_status_t (*call)(Objects&, rgl_lidar_t)) {
  Function f(name, std::move(valid));
  f.handle<rgl_lidar_t>("lidar", "Lidar", &Objects::dead_lidar, call);
  return f;
}
Function of_lidar(const char* name, rgl_status_t (*call)(Objects&, rgl_lidar_t)) {
  return of_lidar(
      name, [call](Objects& o) { return call(o, o.lidar); }, call);
}

rgl_status_t noise(rgl_lidar_t lidar, int type, float angular, float base, float rise) {
  return rgl_lidar_set_gaussian_noise_params(lidar, static_cast<rgl_angular_noise_type_t>(type), angular, 0, base, rise,
                                             0);
}

std::vector<Function> lidars() {
  const auto noisy = [](int type, float angular, float base, float rise) {
    return [=](Objects& o) { return noise(o.lidar, type, angular, base, rise); };
  };
  return {
      Function("rgl_lidar_create",
               [](Objects& o) {
                 const rgl_status_t status = rgl_lidar_create(&o.out_lidar, &kIdentity, 1);
                 EXPECT_NE(o.out_lidar, nullptr);
                 return status;
               })
          .refuses("out_lidar != nullptr", CALL(rgl_lidar_create(nullptr, &kIdentity, 1)))
          .refuses("ray_transforms != nullptr", CALL(rgl_lidar_create(&o.out_lidar, nullptr, 1)))
          .refuses("ray_transforms_count > 0", CALL(rgl_lidar_create(&o.out_lidar, &kIdentity, 0))),
      of_lidar("rgl_lidar_destroy", TAKING(rgl_lidar_t h, rgl_lidar_destroy(h))),
      of_lidar("rgl_lidar_set_range", TAKING(rgl_lidar_t h, rgl_lidar_set_range(h, 5)))
          .refuses("range > 0", CALL(rgl_lidar_set_range(o.lidar, 0)))
          .refuses("range > 0", CALL(rgl_lidar_set_range(o.lidar, kNotANumber))),
      of_lidar("rgl_lidar_set_pose", TAKING(rgl_lidar_t h, rgl_lidar_set_pose(h, &kIdentity)))
          .refuses("pose != nullptr", CALL(rgl_lidar_set_pose(o.lidar, nullptr)))
          .refuses("max", CALL(rgl_lidar_set_pose(o.lidar, &kTorn)))
          .refuses("flattens space", CALL(rgl_lidar_set_pose(o.lidar, &kFlat))),
      of_lidar("rgl_lidar_set_ring_indices", TAKING(rgl_lidar_t h, rgl_lidar_set_ring_indices(h, &kRing, 1)))
          .refuses("ring_ids != nullptr", CALL(rgl_lidar_set_ring_indices(o.lidar, nullptr, 1)))
          .refuses("ring_ids_count > 0", CALL(rgl_lidar_set_ring_indices(o.lidar, &kRing, 0))),
      of_lidar("rgl_lidar_set_post_raycast_transform",
               TAKING(rgl_lidar_t h, rgl_lidar_set_post_raycast_transform(h, &kIdentity)))
          .refuses("transform != nullptr", CALL(rgl_lidar_set_post_raycast_transform(o.lidar, nullptr)))
          .refuses("max", CALL(rgl_lidar_set_post_raycast_transform(o.lidar, &kTorn))),
      of_lidar("rgl_lidar_set_gaussian_noise_params", TAKING(rgl_lidar_t h, noise(h, 1, 0.1F, 0.1F, 0.1F)))
          .refuses("angular_noise_type ==", noisy(2, 0, 0, 0))
          .refuses("angular_noise_type ==", noisy(-1, 0, 0, 0))
          .refuses("angular_noise_stddev >= 0", noisy(0, -1, 0, 0))
          .refuses("angular_noise_stddev >= 0", noisy(0, kNotANumber, 0, 0))
          .refuses("distance_noise_stddev_base >= 0", noisy(0, 0, -1, 0))
          .refuses("distance_noise_stddev_rise_per_meter >= 0", noisy(0, 0, 0, -1)),
      of_lidar("rgl_lidar_raytrace_async", TAKING(rgl_lidar_t h, rgl_lidar_raytrace_async(nullptr, h)))
          .refuses("scene == nullptr", CALL(rgl_lidar_raytrace_async(a_scene(o), o.lidar))),
      of_lidar(
          "rgl_lidar_get_output_size",
          [](Objects& o) {
            EXPECT_EQ(rgl_lidar_raytrace_async(nullptr, o.lidar), RGL_SUCCESS);
            const rgl_status_t status = rgl_lidar_get_output_size(o.lidar, &o.number);
            EXPECT_EQ(o.number, 1);
            return status;
          },
          TAKING(rgl_lidar_t h, rgl_lidar_get_output_size(h, &o.number)))
          .refuses("out_size != nullptr", CALL(rgl_lidar_get_output_size(o.lidar, nullptr))),
      of_lidar(
          "rgl_lidar_get_output_data",
          [](Objects& o) {
            EXPECT_EQ(rgl_lidar_raytrace_async(nullptr, o.lidar), RGL_SUCCESS);
            return rgl_lidar_get_output_data(o.lidar, RGL_FORMAT_E2E_PCL48, o.room.data());
          },
          TAKING(rgl_lidar_t h, rgl_lidar_get_output_data(h, RGL_FORMAT_XYZ, o.room.data())))
          .refuses("out_data != nullptr", CALL(rgl_lidar_get_output_data(o.lidar, RGL_FORMAT_XYZ, nullptr)))
          .refuses("format ==", CALL(rgl_lidar_get_output_data(o.lidar, RGL_FORMAT_INVALID, o.room.data())))
          .refuses("format ==", CALL(rgl_lidar_get_output_data(o.lidar, RGL_FORMAT_E2E_COUNT, o.room.data()))),
  };
}

}  // namespace

std::vector<Function> old_functions() { return joined({up_to_0_18, lidars}); }

// Functions of RGL's absent extensions (section 12): they return NOT_IMPLEMENTED for any arguments.

namespace {

/// A function that needs the module for topics, which the build tree has elsewhere: the answer names its file.
Function without_module(const char* name, rgl_status_t (*call)(rgl_node_t*)) {
  return Function(name,
                  [=](Objects&) {
                    rgl_node_t node = nullptr;
                    EXPECT_EQ(call(&node), RGL_NOT_IMPLEMENTED);
                    EXPECT_EQ(node, nullptr);
                    const rgl_status_t status = call(nullptr);
                    const std::string text = last_error();
                    EXPECT_EQ(text.find(std::string("Not implemented: ") + name +
                                        " belongs to the ROS 2 extension of "
                                        "RGL, which is not there"),
                              0U)
                        << text;
                    EXPECT_TRUE(contains(text, "/libfathom-rgl-topics-"));
                    EXPECT_TRUE(contains(text, ".so is missing"));
                    return status;
                  })
      .answers(RGL_NOT_IMPLEMENTED);
}

/// A function that answers NOT_IMPLEMENTED, with its name and that of its extension, and makes no node.
Function missing(const char* name, const char* extension, rgl_status_t (*call)(rgl_node_t*)) {
  return Function(name,
                  [=](Objects&) {
                    rgl_node_t node = nullptr;
                    EXPECT_EQ(call(&node), RGL_NOT_IMPLEMENTED);
                    EXPECT_EQ(node, nullptr);
                    const rgl_status_t status = call(nullptr);
                    EXPECT_EQ(last_error(), std::string("Not implemented: ") + name + " belongs to the " + extension +
                                                " extension of RGL, which is not there (see rgl_get_extension_info)");
                    return status;
                  })
      .answers(RGL_NOT_IMPLEMENTED);
}

}  // namespace

std::vector<Function> extension_functions() {
  return {
      without_module("rgl_node_points_ros2_publish",
                     [](rgl_node_t* n) { return rgl_node_points_ros2_publish(n, "topic", "frame"); }),
      without_module("rgl_node_points_ros2_publish_with_qos",
                     [](rgl_node_t* n) {
                       return rgl_node_points_ros2_publish_with_qos(
                           n, nullptr, nullptr, QOS_POLICY_RELIABILITY_SYSTEM_DEFAULT,
                           QOS_POLICY_DURABILITY_SYSTEM_DEFAULT, QOS_POLICY_HISTORY_SYSTEM_DEFAULT, -1);
                     }),
      missing("rgl_node_publish_ros2_radarscan", "ROS 2",
              [](rgl_node_t* n) {
                return rgl_node_publish_ros2_radarscan(n, "topic", "frame", QOS_POLICY_RELIABILITY_RELIABLE,
                                                       QOS_POLICY_DURABILITY_VOLATILE, QOS_POLICY_HISTORY_KEEP_ALL, 0);
              }),
      missing("rgl_node_publish_ros2_radartracks", "ROS 2",
              [](rgl_node_t*) { return rgl_node_publish_ros2_radartracks(); }),
      missing("rgl_node_configure_agnocast", "ROS 2",
              [](rgl_node_t* n) { return rgl_node_configure_agnocast(n == nullptr ? nullptr : *n, true); }),
      missing("rgl_node_points_udp_publish", "UDP",
              [](rgl_node_t* n) {
                return rgl_node_points_udp_publish(n, RGL_HESAI_PANDAR_XT32, RGL_UDP_HIGH_RESOLUTION_MODE, "", "", 0);
              }),
      missing("rgl_node_publish_udp_objectlist", "UDP",
              [](rgl_node_t* n) { return rgl_node_publish_udp_objectlist(n, "", "", 0); }),
      missing("rgl_node_points_simulate_snow_configure_defaults", "weather",
              [](rgl_node_t*) { return rgl_node_points_simulate_snow_configure_defaults(nullptr, 0, 0, 0); }),
      missing("rgl_node_points_simulate_rain", "weather",
              [](rgl_node_t* n) { return rgl_node_points_simulate_rain(n, 0, 0, 0, 0, 0, false, 0); }),
      missing("rgl_node_points_simulate_rain_configure_defaults", "weather",
              [](rgl_node_t*) { return rgl_node_points_simulate_rain_configure_defaults(nullptr, 0, 0, 0); }),
      missing("rgl_node_points_simulate_fog", "weather",
              [](rgl_node_t* n) { return rgl_node_points_simulate_fog(n, 0, 0, 0); }),
      missing("rgl_node_points_simulate_fog_configure_defaults", "weather",
              [](rgl_node_t*) { return rgl_node_points_simulate_fog_configure_defaults(nullptr, 0, 0); }),
      missing("rgl_node_points_visualize", "PCL", [](rgl_node_t* n) { return rgl_node_points_visualize(n, "window"); }),
      missing("rgl_node_points_remove_ground", "PCL",
              [](rgl_node_t* n) { return rgl_node_points_remove_ground(n, RGL_AXIS_Z, 0, 0, 0); }),
  };
}

}  // namespace fathom::test
