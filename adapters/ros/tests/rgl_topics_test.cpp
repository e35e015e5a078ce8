// SPDX-License-Identifier: MIT
// Clouds that the C interface of Robotec GPU Lidar publishes, as Fast DDS in another program reads them.
#ifdef RGL_LIBRARY

#include <dlfcn.h>

#include <rgl/api/core.h>
#include <rgl/api/extensions/ros2.h>
#include <rgl_topics.h>

#include "io/message/sensors.hpp"
#include "ros/participant.hpp"
#include "ros/tests/judge.hpp"
#include "support/expect.hpp"

namespace fathom::test {
namespace {

using topic_test::Judge;

/// A copy of the library in another folder, with the module beside it or without.
class RglCopy {
 public:
  explicit RglCopy(bool with_module) {
    const auto put = [&](const std::filesystem::path& file) {
      std::filesystem::copy_file(file, folder_ / file.filename().string());
    };
    put(RGL_LIBRARY);
    if (with_module) put(RGL_TOPICS_MODULE);
    const std::string file = folder_ / std::filesystem::path(RGL_LIBRARY).filename().string();
    library_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library_, nullptr) << dlerror();
  }
  template <class F>
  F* find(const char* name) const {
    F* const function = library_ == nullptr ? nullptr : reinterpret_cast<F*>(dlsym(library_, name));
    EXPECT_NE(function, nullptr) << name;
    return function;
  }
  [[nodiscard]] std::string error() const {
    const char* text = nullptr;
    find<decltype(rgl_get_last_error_string)>("rgl_get_last_error_string")(&text);
    return text == nullptr ? "" : text;
  }
  [[nodiscard]] rgl_status_t publish(rgl_node_t* node, const char* topic, const char* frame, std::int32_t depth = 7,
                                     rgl_qos_policy_history_t history = QOS_POLICY_HISTORY_KEEP_LAST) const {
    return find<decltype(rgl_node_points_ros2_publish_with_qos)>("rgl_node_points_ros2_publish_with_qos")(
        node, topic, frame, QOS_POLICY_RELIABILITY_RELIABLE, QOS_POLICY_DURABILITY_VOLATILE, history, depth);
  }
  [[nodiscard]] std::int32_t has_topics() const {
    std::int32_t available = -1;
    const auto ask = find<decltype(rgl_get_extension_info)>("rgl_get_extension_info");
    EXPECT_EQ(ask(RGL_EXTENSION_ROS2, &available), RGL_SUCCESS);
    return available;
  }
  [[nodiscard]] std::string module_file() const {
    return folder_ / std::filesystem::path(RGL_TOPICS_MODULE).filename().string();
  }

 private:
  TemporaryFolder folder_;
  void* library_ = nullptr;  // stays loaded: its threads may run
};

TEST(RglTopics, WithoutTheModuleTheAnswerNamesItsFile) {
  const RglCopy rgl(false);
  rgl_node_t node = nullptr;
  EXPECT_EQ(rgl.has_topics(), 0);
  EXPECT_EQ(rgl.publish(&node, "points", "lidar"), RGL_NOT_IMPLEMENTED);
  EXPECT_EQ(node, nullptr);
  EXPECT_TRUE(contains(rgl.error(), rgl.module_file() + " is missing"));
}

TEST(RglTopics, RefuseBadArguments) {
  const RglCopy rgl(true);
  ASSERT_EQ(rgl.has_topics(), 1);
  rgl_node_t node = nullptr;
  const auto refuses = [&](rgl_status_t status, const char* text) {
    EXPECT_EQ(status, RGL_INVALID_ARGUMENT) << text;
    EXPECT_TRUE(contains(rgl.error(), text));
    EXPECT_EQ(node, nullptr);
  };
  refuses(rgl.publish(nullptr, "points", "lidar"), "node != nullptr");
  refuses(rgl.publish(&node, nullptr, "lidar"), "topic_name != nullptr");
  refuses(rgl.publish(&node, "", "lidar"), "topic_name[0] != '\\0'");
  refuses(rgl.publish(&node, "points", nullptr), "frame_id != nullptr");
  refuses(rgl.publish(&node, "points", ""), "frame_id[0] != '\\0'");
  refuses(rgl.publish(&node, "points", "lidar", -1), "qos_history_depth >= 0");
  refuses(rgl.publish(&node, "points", "lidar", 7, static_cast<rgl_qos_policy_history_t>(3)),
          "qos_history <= QOS_POLICY_HISTORY_KEEP_ALL");
  for (const char* topic : {"my points", "a//b", "a/", "/", "1st", "a/2nd", "~/a"}) {
    refuses(rgl.publish(&node, topic, "lidar"), "is no name of a topic");
  }
}

TEST(RglTopics, HaveOneWriterForBothSpellingsAndNoneInAForkedChild) {
  void* const module = dlopen(RGL_TOPICS_MODULE, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(module, nullptr) << dlerror();
  const auto open = reinterpret_cast<fathom_topic_open_t*>(dlsym(module, "fathom_topic_open"));
  ASSERT_NE(open, nullptr);
  const std::uint32_t domain = topic_test::any_domain() + 2;
  std::array<char, 500> error = {};
  const auto writer_of = [&](const char* topic) {
    void* writer = nullptr;
    open(domain, "", topic, {1, 0, 10}, &writer, error.data(), error.size());
    return writer;
  };
  void* const writer = writer_of("points");
  ASSERT_NE(writer, nullptr) << error.data();
  EXPECT_EQ(writer_of("/points"), writer);
  const pid_t child = fork();
  if (child == 0) {
    const bool is_refused = writer_of("points") == nullptr;
    _exit(is_refused && std::string(error.data()).find("do not survive a fork") != std::string::npos ? 7 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
}

TEST(RglTopics, AreReadByFastDds) {
#ifndef FATHOM_TOPIC_JUDGE
  GTEST_SKIP() << "this build has no Fast DDS to judge topics (libfastrtps-dev, libfastcdr-dev)";
#else
  const std::string domain = std::to_string(topic_test::any_domain() + 1);
  setenv("ROS_DOMAIN_ID", domain.c_str(), 1);
  const RglCopy rgl(true);
  struct Point {
    float xyz[3];
    std::uint16_t ring;
    std::uint8_t padding[2];
  };
  const std::vector<Point> points = {{{1, 2, 3}, 4, {}}, {{-1, 0.5F, 7}, 65535, {}}};
  const rgl_field_t fields[] = {RGL_FIELD_XYZ_VEC3_F32, RGL_FIELD_RING_ID_U16, RGL_FIELD_PADDING_16};
  rgl_node_t array = nullptr, format = nullptr, topic = nullptr;
  const auto ok = [&](rgl_status_t status) { ASSERT_EQ(status, RGL_SUCCESS) << rgl.error(); };
  ok(rgl.find<decltype(rgl_node_points_from_array)>("rgl_node_points_from_array")(
      &array, points.data(), static_cast<std::int32_t>(points.size()), fields, 3));
  ok(rgl.find<decltype(rgl_node_points_format)>("rgl_node_points_format")(&format, fields, 3));
  ok(rgl.publish(&topic, "/lidar/points", "lidar_link"));
  const auto add_child = rgl.find<decltype(rgl_graph_node_add_child)>("rgl_graph_node_add_child");
  const auto run = rgl.find<decltype(rgl_graph_run)>("rgl_graph_run");
  ok(rgl.find<decltype(rgl_scene_set_time)>("rgl_scene_set_time")(nullptr, 3'000'000'005));
  ok(add_child(array, topic));
  EXPECT_EQ(run(array), RGL_INVALID_PIPELINE) << "a topic needs packed points";
  ok(rgl.find<decltype(rgl_graph_node_remove_child)>("rgl_graph_node_remove_child")(array, topic));
  ok(add_child(array, format));
  ok(add_child(format, topic));
  msg::PointCloud2 cloud;
  cloud.header.stamp = {3, 5}, cloud.header.frame_id = "lidar_link";
  cloud.width = 2, cloud.point_step = 16, cloud.row_step = 32;
  cloud.point_fields = {{"x", 0, 7, 1}, {"y", 4, 7, 1}, {"z", 8, 7, 1}, {"channel", 12, 4, 1}};
  cloud.data = std::as_bytes(std::span(points));
  const Judge judge({"listen", domain, "reliable", "volatile", "0",
                     dds_topic_name("/lidar/points") + "=" + dds_type_name(msg::PointCloud2::kType.name)});
  // Who listens is found in a while.
  ASSERT_TRUE(topic_test::wait_until([&] {
    return run(array) == RGL_SUCCESS && !judge.line_of("rt/lidar/points ").empty();
  })) << rgl.error();
  EXPECT_EQ(judge.line_of("rt/lidar/points "), "rt/lidar/points" + topic_test::text_of(cloud));
  ok(rgl.find<decltype(rgl_cleanup)>("rgl_cleanup")());
#endif
}

}  // namespace
}  // namespace fathom::test

#endif
