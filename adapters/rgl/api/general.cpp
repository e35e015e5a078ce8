// SPDX-License-Identifier: MIT
#include <limits>

#include <rgl/api/extensions/pcl.h>
#include <rgl/api/extensions/ros2.h>
#include <rgl/api/extensions/tape.h>
#include <rgl/api/extensions/udp.h>
#include <rgl/api/extensions/weather.h>
#include <rgl/api/fathom.h>

#include <fathom/core/error.hpp>

#include "library.hpp"
#include "tape/player.hpp"
#include "topics/topic_module.hpp"

using namespace rgl;

rgl_status_t rgl_get_version_info(int32_t* out_major, int32_t* out_minor, int32_t* out_patch) {
  return guarded([&](Library& lib) {
    RGL_CHECK(out_major != nullptr);
    RGL_CHECK(out_minor != nullptr);
    RGL_CHECK(out_patch != nullptr);
    *out_major = lib.settings.version[0], *out_minor = lib.settings.version[1], *out_patch = lib.settings.version[2];
    lib.tape.record("rgl_get_version_info", *out_major, *out_minor, *out_patch);
  });
}

rgl_status_t rgl_get_extension_info(rgl_extension_t extension, int32_t* out_available) {
  return guarded([&](Library& lib) {
    RGL_CHECK(extension >= 0);
    RGL_CHECK(extension < RGL_EXTENSION_COUNT);
    RGL_CHECK(out_available != nullptr);
    // Of PCL, only two functions exist (pcl.h). Topics of ROS 2 need the module beside the library.
    *out_available = extension == RGL_EXTENSION_ROS2 && has_topic_module() ? 1 : 0;
    lib.tape.record("rgl_get_extension_info", extension, *out_available);
  });
}

rgl_status_t rgl_configure_logging(rgl_log_level_t log_level, const char* log_file_path, bool use_stdout) {
  return guarded([&](Library& lib) {
    RGL_CHECK(log_level >= RGL_LOG_LEVEL_ALL);
    RGL_CHECK(log_level <= RGL_LOG_LEVEL_OFF);
    const std::string file = log_file_path == nullptr ? "" : log_file_path;
    RGL_CHECK(log_level == RGL_LOG_LEVEL_OFF || !file.empty() || use_stdout);
    lib.log.configure(log_level, file, use_stdout);
    lib.tape.record("rgl_configure_logging", log_level, file, use_stdout);
  });
}

void rgl_get_last_error_string(const char** out_error_string) {
  if (out_error_string != nullptr) *out_error_string = last_error_text();
}

rgl_status_t rgl_cleanup() {
  return guarded([](Library& lib) {
    lib.clean_up();
    lib.tape.record("rgl_cleanup");
  });
}

rgl_status_t fathom_rgl_set_seed(uint64_t seed) {
  return guarded([&](Library& lib) { lib.set_seed(seed); });
}

rgl_status_t fathom_rgl_set_version(int32_t major, int32_t minor, int32_t patch) {
  return guarded([&](Library& lib) {
    RGL_CHECK(major >= 0);
    RGL_CHECK(minor >= 0);
    RGL_CHECK(patch >= 0);
    lib.settings.version = {major, minor, patch};
  });
}

rgl_status_t fathom_rgl_set_threads(int32_t threads) {
  return guarded([&](Library& lib) {
    RGL_CHECK(threads >= 0);
    RGL_CHECK(threads <= 1024);
    lib.set_threads(threads);
  });
}

rgl_status_t fathom_rgl_set_keep_misses(bool keep) {
  return guarded([&](Library& lib) { lib.settings.keep_misses = keep; });
}

rgl_status_t fathom_rgl_set_intensity_falloff(int32_t falloff) {
  return guarded([&](Library& lib) {
    RGL_CHECK(falloff >= -1);
    RGL_CHECK(falloff <= 1);
    lib.settings.intensity_falloff = falloff < 0 ? std::nullopt : std::optional(falloff == 1);
  });
}

rgl_status_t fathom_rgl_set_tapes_in_real_time(bool real_time) {
  return guarded([&](Library& lib) { lib.settings.tapes_in_real_time = real_time; });
}

namespace {

/// Bytes of a value. Throws INVALID_ARGUMENT for an unknown field, and for DYNAMIC_FORMAT of a node without a format.
std::size_t size_of(const PointsNode& node, rgl_field_t field) {
  if (field != RGL_FIELD_DYNAMIC_FORMAT) return info_of(field).size;
  if (node.packed_size() == 0)
    fail(RGL_INVALID_ARGUMENT, "Invalid argument: RGL_FIELD_DYNAMIC_FORMAT is of format nodes only");
  return node.packed_size();
}

}  // namespace

rgl_status_t rgl_node_is_alive(rgl_node_t node, bool* out_alive) {
  return ask_alive(&Library::nodes, "rgl_node_is_alive", node, out_alive);
}

rgl_status_t rgl_graph_run(rgl_node_t node) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    const auto start = lib.nodes.get(node);
    lib.log.write(RGL_LOG_LEVEL_TRACE, "rgl_graph_run");
    lib.run(*start);
    lib.tape.record("rgl_graph_run", node);
  });
}

rgl_status_t rgl_graph_destroy(rgl_node_t node) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    const auto any = lib.nodes.get(node);
    lib.destroy_component(*any);
    lib.tape.record("rgl_graph_destroy", node);
  });
}

rgl_status_t rgl_graph_get_result_size(rgl_node_t node, rgl_field_t field, int32_t* out_count, int32_t* out_size_of) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    const auto points = node_as<PointsNode>(lib, node, "IPointsNode");
    lib.wait_for_result(*points);
    const std::size_t size = size_of(*points, field), count = points->count();
    if (count > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
      fail(RGL_INVALID_PIPELINE, "the result has more than 2147483647 points");
    }
    if (out_count != nullptr) *out_count = static_cast<std::int32_t>(count);
    if (out_size_of != nullptr) *out_size_of = static_cast<std::int32_t>(size);
    lib.tape.record("rgl_graph_get_result_size", node, field, static_cast<std::int32_t>(count),
                    static_cast<std::int32_t>(size));
  });
}

rgl_status_t rgl_graph_get_result_data(rgl_node_t node, rgl_field_t field, void* dst) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    RGL_CHECK(dst != nullptr);
    const auto points = node_as<PointsNode>(lib, node, "IPointsNode");
    lib.wait_for_result(*points);
    if (is_padding(field) || !points->has(field)) {
      const FieldInfo* info = find_field(field);
      fail(RGL_INVALID_PIPELINE,
           fmt::format("{} does not provide field {}", points->name(), info == nullptr ? "?" : info->name));
    }
    const std::size_t bytes = points->count() * size_of(*points, field);
    points->copy(field, static_cast<std::byte*>(dst));
    lib.tape.record("rgl_graph_get_result_data", node, field, TapeArray{dst, bytes});
  });
}

rgl_status_t rgl_graph_node_add_child(rgl_node_t parent, rgl_node_t child) {
  return guarded([&](Library& lib) {
    RGL_CHECK(parent != nullptr);
    RGL_CHECK(child != nullptr);
    RGL_CHECK(parent != child);
    const auto above = lib.nodes.get(parent), below = lib.nodes.get(child);
    lib.settle(*above, *below);
    link(*above, *below);
    lib.tape.record("rgl_graph_node_add_child", parent, child);
  });
}

rgl_status_t rgl_graph_node_remove_child(rgl_node_t parent, rgl_node_t child) {
  return guarded([&](Library& lib) {
    RGL_CHECK(parent != nullptr);
    RGL_CHECK(child != nullptr);
    const auto above = lib.nodes.get(parent), below = lib.nodes.get(child);
    lib.settle(*above, *below);
    unlink(*above, *below);
    lib.tape.record("rgl_graph_node_remove_child", parent, child);
  });
}

rgl_status_t rgl_graph_node_set_priority(rgl_node_t node, int32_t priority) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    const auto changed = lib.nodes.get(node);
    lib.settle(*changed);
    set_priority(*changed, priority);
    lib.tape.record("rgl_graph_node_set_priority", node, priority);
  });
}

rgl_status_t rgl_graph_node_get_priority(rgl_node_t node, int32_t* out_priority) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    RGL_CHECK(out_priority != nullptr);
    *out_priority = lib.nodes.get(node)->priority;
    lib.tape.record("rgl_graph_node_get_priority", node, *out_priority);
  });
}

rgl_status_t rgl_tape_record_begin(const char* path) {
  return guarded([&](Library& lib) {
    RGL_CHECK(path != nullptr);
    RGL_CHECK(path[0] != '\0');
    const auto& v = lib.settings.version;
    lib.tape.begin(path, {v[0], v[1], v[2]});
  });
}

rgl_status_t rgl_tape_record_end() {
  return guarded([](Library& lib) { lib.tape.end(); });
}

rgl_status_t rgl_tape_record_is_active(bool* is_active) {
  return guarded([&](Library& lib) {
    RGL_CHECK(is_active != nullptr);
    *is_active = lib.tape.is_active();
  });
}

rgl_status_t rgl_tape_play(const char* path) {
  bool in_real_time = false;
  const rgl_status_t status = guarded([&](Library& lib) {
    RGL_CHECK(path != nullptr);
    RGL_CHECK(path[0] != '\0');
    if (lib.tape.is_active()) fail(RGL_TAPE_ERROR, "Tape error: a tape cannot be played while one is recorded");
    in_real_time = lib.settings.tapes_in_real_time;
  });
  if (status != RGL_SUCCESS) return status;
  try {
    play_tape(path, in_real_time);  // without the lock: it calls functions that take it
    return succeed();
  } catch (...) {
    return remember(std::current_exception());
  }
}

// Functions of RGL's extensions that are not implemented. Programs that name them link and load. A call returns an
// error with the reason.

namespace {

rgl_status_t not_implemented(const char* function, const char* extension) {
  return guarded([&](Library&) {
    fail(RGL_NOT_IMPLEMENTED, fmt::format("Not implemented: {} belongs to the {} extension of RGL, which is not there "
                                          "(see rgl_get_extension_info)",
                                          function, extension));
  });
}

}  // namespace

rgl_status_t rgl_node_publish_ros2_radarscan(rgl_node_t*, const char*, const char*, rgl_qos_policy_reliability_t,
                                             rgl_qos_policy_durability_t, rgl_qos_policy_history_t, int32_t) {
  return not_implemented("rgl_node_publish_ros2_radarscan", "ROS 2");
}

rgl_status_t rgl_node_configure_agnocast(rgl_node_t, bool) {
  return not_implemented("rgl_node_configure_agnocast", "ROS 2");
}

/// Exported for programs that name it. No public header declares it, because its parameters are not public.
RGL_API rgl_status_t rgl_node_publish_ros2_radartracks() {
  return not_implemented("rgl_node_publish_ros2_radartracks", "ROS 2");
}

rgl_status_t rgl_node_points_udp_publish(rgl_node_t*, rgl_lidar_model_t, rgl_udp_options_t, const char*, const char*,
                                         int32_t) {
  return not_implemented("rgl_node_points_udp_publish", "UDP");
}

rgl_status_t rgl_node_publish_udp_objectlist(rgl_node_t*, const char*, const char*, int32_t) {
  return not_implemented("rgl_node_publish_udp_objectlist", "UDP");
}

rgl_status_t rgl_node_points_simulate_snow_configure_defaults(rgl_node_t, int32_t, float, float) {
  return not_implemented("rgl_node_points_simulate_snow_configure_defaults", "weather");
}

rgl_status_t rgl_node_points_simulate_rain(rgl_node_t*, float, float, float, int32_t, float, bool, int32_t) {
  return not_implemented("rgl_node_points_simulate_rain", "weather");
}

rgl_status_t rgl_node_points_simulate_rain_configure_defaults(rgl_node_t, int32_t, float, float) {
  return not_implemented("rgl_node_points_simulate_rain_configure_defaults", "weather");
}

rgl_status_t rgl_node_points_simulate_fog(rgl_node_t*, float, float, float) {
  return not_implemented("rgl_node_points_simulate_fog", "weather");
}

rgl_status_t rgl_node_points_simulate_fog_configure_defaults(rgl_node_t, int32_t, float) {
  return not_implemented("rgl_node_points_simulate_fog_configure_defaults", "weather");
}

rgl_status_t rgl_node_points_visualize(rgl_node_t*, const char*, int32_t, int32_t, bool) {
  return not_implemented("rgl_node_points_visualize", "PCL");
}

rgl_status_t rgl_node_points_remove_ground(rgl_node_t*, rgl_axis_t, float, float, float) {
  return not_implemented("rgl_node_points_remove_ground", "PCL");
}
