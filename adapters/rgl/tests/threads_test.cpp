// SPDX-License-Identifier: MIT
// Calls of the interface from several threads: on separate graphs, on the same graph, and on objects that others
// destroy.

#include "rgl/tests/scene.hpp"

namespace fathom::test {
namespace {

class RglThreads : public Rgl {};

void in_threads(int count, const std::function<void(int)>& work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back(work, i);
  for (std::thread& t : threads) t.join();
}

TEST_F(RglThreads, EachWithAGraphOfItsOwn) {
  place(make_cube(), translation(0, 0, 5));
  std::vector<rgl_entity_t> apart;  // placed before: a new entity first stands at the origin, where all would see it
  for (int id = 0; id < 4; ++id) apart.push_back(place(make_cube(), translation(1000.0F + float(id), 0, 0)));
  in_threads(4, [&](int id) {
    const rgl_node_t trace = make_raytrace();
    rgl_node_t pose = nullptr;
    const rgl_mat3x4f start = translation(0, 0, -float(id));
    ASSERT_EQ(rgl_node_rays_transform(&pose, &start), RGL_SUCCESS);
    chain({make_rays(std::vector<rgl_mat3x4f>(600, kIdentity)), pose, trace, make_yield({RGL_FIELD_DISTANCE_F32})});
    for (int run = 0; run < 15; ++run) {
      const rgl_mat3x4f m = translation(0, 0, -float(id + run));
      ASSERT_EQ(rgl_node_rays_transform(&pose, &m), RGL_SUCCESS) << last_error();
      ASSERT_EQ(rgl_graph_run(trace), RGL_SUCCESS) << last_error();
      ASSERT_EQ(result<float>(trace, RGL_FIELD_DISTANCE_F32), std::vector<float>(600, 4.0F + float(id + run)));
      // Each thread also changes the scene, out of the others' sight, and makes its own mistakes.
      const rgl_mat3x4f there = translation(1000.0F + float(id), float(run), 0);
      ASSERT_EQ(rgl_entity_set_transform(apart[std::size_t(id)], &there), RGL_SUCCESS) << last_error();
      ASSERT_EQ(rgl_entity_set_laser_retro(nullptr, 0), RGL_INVALID_ARGUMENT);
      ASSERT_TRUE(contains(last_error(), "entity != nullptr"));
    }
  });
}

/// A thread that comes too late gets a status. No thread reads an object that another has destroyed.
TEST_F(RglThreads, OnTheSameGraphs) {
  place(make_cube(), translation(0, 0, 5));
  std::atomic<rgl_node_t> rays = nullptr, trace = nullptr, yield = nullptr;
  std::atomic<int> fatal = 0;
  const auto check = [&](rgl_status_t status) {
    if (status != RGL_SUCCESS && status != RGL_INVALID_API_OBJECT && status != RGL_INVALID_PIPELINE &&
        status != RGL_INVALID_ARGUMENT)
      ++fatal;
  };
  const auto build = [&] {
    const std::vector<rgl_mat3x4f> many(3000, kIdentity);
    const rgl_field_t field = RGL_FIELD_NORMAL_VEC3_F32;
    rgl_node_t a = nullptr, b = nullptr, c = nullptr;
    check(rgl_node_rays_from_mat3x4f(&a, many.data(), 3000));
    check(rgl_node_raytrace(&b, nullptr));
    check(rgl_node_points_yield(&c, &field, 1));
    check(rgl_graph_node_add_child(a, b));
    check(rgl_graph_node_add_child(b, c));
    rays = a, trace = b, yield = c;
  };
  build();
  in_threads(5, [&](int id) {
    std::vector<float> room(9000);
    for (int i = 0; i < 120; ++i) {
      rgl_node_t node = trace;
      switch ((i + id) % 8) {
        case 0:
          check(rgl_graph_run(node));
          break;
        case 1:
          check(rgl_graph_get_result_data(yield, RGL_FIELD_NORMAL_VEC3_F32, room.data()));
          break;
        case 2:
          check(rgl_node_raytrace(&node, nullptr));
          break;
        case 3:
          check(rgl_graph_node_remove_child(node, yield));
          break;
        case 4:
          check(rgl_graph_node_add_child(node, yield));
          break;
        case 5:
          check(rgl_scene_set_time(nullptr, std::uint64_t(i)));
          break;
        case 6:
          check(rgl_graph_run(yield));
          break;
        default:
          if (id == 0) {
            check(rgl_graph_run(node));
            check(i % 40 == 7 ? rgl_cleanup() : rgl_graph_destroy(node));
            build();
          }
      }
    }
  });
  EXPECT_EQ(fatal, 0);
  RGL_OK(rgl_graph_destroy(rays));
}

TEST_F(RglThreads, OnTheSameOldLidar) {
  place(make_cube(), translation(0, 0, 5));
  std::atomic<rgl_lidar_t> lidar = nullptr;
  const std::vector<rgl_mat3x4f> many(2000, kIdentity);
  rgl_lidar_t first = nullptr;
  RGL_OK(rgl_lidar_create(&first, many.data(), 2000));
  lidar = first;
  std::atomic<int> fatal = 0;
  in_threads(3, [&](int id) {
    for (int i = 0; i < 40; ++i) {
      rgl_status_t status = RGL_SUCCESS;
      int32_t size = 0;
      if (id == 0 && i % 10 == 9) {
        status = rgl_lidar_destroy(lidar);
        rgl_lidar_t next = nullptr;
        if (rgl_lidar_create(&next, many.data(), 2000) != RGL_SUCCESS) ++fatal;
        lidar = next;
      } else if ((i + id) % 3 == 0) {
        status = rgl_lidar_get_output_size(lidar, &size);
      } else if ((i + id) % 3 == 1) {
        status = rgl_lidar_set_range(lidar, 100);
      } else {
        status = rgl_lidar_raytrace_async(nullptr, lidar);
      }
      if (status != RGL_SUCCESS && status != RGL_INVALID_API_OBJECT && status != RGL_INVALID_PIPELINE) ++fatal;
    }
  });
  EXPECT_EQ(fatal, 0);
}

/// Their numbers, which the system gives out one after the other.
std::set<std::string> threads_of_this_process() {
  std::set<std::string> numbers;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    numbers.insert(entry.path().filename().string());
  }
  return numbers;
}

/// A run finds the thread of the one before it.
TEST_F(RglThreads, OfGraphsStayForTheNextRun) {
  RGL_OK(fathom_rgl_set_threads(1));  // all threads that start and end belong to graphs
  const std::set<std::string> before = threads_of_this_process();
  const float point[3] = {1, 2, 3};
  const rgl_field_t xyz = RGL_FIELD_XYZ_VEC3_F32;
  rgl_node_t array = nullptr;
  RGL_OK(rgl_node_points_from_array(&array, point, 1, &xyz, 1));
  const rgl_node_t yield = make_yield({xyz});
  chain({array, yield});
  std::set<std::string> seen = before;
  for (int run = 0; run < 100; ++run) {
    RGL_OK(rgl_graph_run(array));
    EXPECT_EQ(result<float>(yield, xyz)[2], 3.0F);
    seen.merge(threads_of_this_process());
  }
  EXPECT_EQ(seen.size(), before.size() + 1);
  RGL_OK(rgl_cleanup());
  RGL_OK(fathom_rgl_set_threads(0));
}

}  // namespace
}  // namespace fathom::test
