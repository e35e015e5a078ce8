// SPDX-License-Identifier: MIT
// The C interface of docs/rgl.md against `fathom simulate`'s own renderer: the house, 128 x 2048 rays, three noises,
// points of the hits packed; contenders interleaved in one process, medians over rounds, of the ratio too.
//
//   bench_rgl [part of the names of the sets to run] [threads]

#include <rgl/api/core.h>
#include <rgl/api/fathom.h>

#include <fathom/simulate/simulator.hpp>

#include "interleave.hpp"
#include "scenes.hpp"

namespace fathom::bench {
namespace {

constexpr int kRounds = 61;

void must(rgl_status_t status) {
  if (status == RGL_SUCCESS) return;
  const char* text = nullptr;
  rgl_get_last_error_string(&text);
  std::fprintf(stderr, "bench_rgl: %s\n", text);
  std::exit(1);
}

rgl_mat3x4f to_matrix(const Pose& pose, const Vec3& scale) {
  const Vec3 x = scale.x * rotate(pose.rotation, {1, 0, 0}), y = scale.y * rotate(pose.rotation, {0, 1, 0}),
             z = scale.z * rotate(pose.rotation, {0, 0, 1}), t = pose.translation_m;
  const auto f = [](double v) { return static_cast<float>(v); };
  return {{{f(x.x), f(y.x), f(z.x), f(t.x)}, {f(x.y), f(y.y), f(z.y), f(t.y)}, {f(x.z), f(y.z), f(z.z), f(t.z)}}};
}

void copy_scene(const Scene& scene) {
  std::vector<rgl_mesh_t> meshes;
  for (const Mesh& mesh : scene.meshes()) {
    meshes.push_back(nullptr);
    must(rgl_mesh_create(&meshes.back(), reinterpret_cast<const rgl_vec3f*>(mesh.vertices_m.data()),
                         static_cast<std::int32_t>(mesh.vertices_m.size()),
                         reinterpret_cast<const rgl_vec3i*>(mesh.triangles.data()),
                         static_cast<std::int32_t>(mesh.triangles.size())));
  }
  for (std::uint32_t e = 0; e < scene.entities().size(); ++e) {
    const Entity& entity = scene.entities()[e];
    const rgl_mat3x4f place = to_matrix(scene.world_from_entity(EntityId{e}, 0.0), entity.scale);
    rgl_entity_t handle = nullptr;
    must(rgl_entity_create(&handle, nullptr, meshes[index(entity.mesh)]));
    must(rgl_entity_set_transform(handle, &place));
    must(rgl_entity_set_id(handle, static_cast<std::int32_t>(e) + 1));
  }
}

/// Matrices whose z axis is the direction of a ray.
std::vector<rgl_mat3x4f> to_matrices(const RayPattern& pattern) {
  std::vector<rgl_mat3x4f> rays;
  for (std::size_t i = 0; i < pattern.direction_x.size(); ++i) {
    const Vec3 z = {pattern.direction_x[i], pattern.direction_y[i], pattern.direction_z[i]};
    const Vec3 across = cross({0, 0, 1}, z), y = (1.0 / norm(across)) * across, x = cross(y, z);
    const auto f = [](double v) { return static_cast<float>(v); };
    rays.push_back({{{f(x.x), f(y.x), f(z.x), 0}, {f(x.y), f(y.y), f(z.y), 0}, {f(x.z), f(y.z), f(z.z), 0}}});
  }
  return rays;
}

/// rays -> pose -> ray noise -> raytrace -> hit noise -> distance noise -> compact -> format
class Graph {
 public:
  Graph(const std::vector<rgl_mat3x4f>& rays, const rgl_mat3x4f& pose) {
    const rgl_field_t fields[] = {RGL_FIELD_XYZ_VEC3_F32, RGL_FIELD_DISTANCE_F32, RGL_FIELD_ENTITY_ID_I32};
    rgl_node_t node[8] = {};
    must(rgl_node_rays_from_mat3x4f(&node[0], rays.data(), static_cast<std::int32_t>(rays.size())));
    must(rgl_node_rays_transform(&node[1], &pose));
    must(rgl_node_gaussian_noise_angular_ray(&node[2], 0.0F, 0.0005F, RGL_AXIS_Z));
    must(rgl_node_raytrace(&node[3], nullptr));
    must(rgl_node_gaussian_noise_angular_hitpoint(&node[4], 0.0F, 0.0005F, RGL_AXIS_Z));
    must(rgl_node_gaussian_noise_distance(&node[5], 0.0F, 0.01F, 0.001F));
    must(rgl_node_points_compact_by_field(&node[6], RGL_FIELD_IS_HIT_I32));
    must(rgl_node_points_format(&node[7], fields, 3));
    for (int i = 0; i < 7; ++i) must(rgl_graph_node_add_child(node[i], node[i + 1]));
    format_ = node[7];
  }
  void start() { must(rgl_graph_run(format_)); }
  void finish() {
    std::int32_t count = 0, size = 0;
    must(rgl_graph_get_result_size(format_, RGL_FIELD_DYNAMIC_FORMAT, &count, &size));
    packed_.resize(static_cast<std::size_t>(count) * static_cast<std::size_t>(size));
    must(rgl_graph_get_result_data(format_, RGL_FIELD_DYNAMIC_FORMAT, packed_.data()));
  }

 private:
  rgl_node_t format_ = nullptr;
  std::vector<char> packed_;
};

void run(const Set& set, int threads) {
  must(rgl_cleanup());
  must(fathom_rgl_set_threads(threads));
  must(fathom_rgl_set_seed(1));
  Simulator simulator(*set.scene, {.seed = 1, .compute = {.threads = threads}});
  const SensorId id = simulator.add_sensor(make_sensor(set.model, set.world_from_sensor, three_gaussians()));
  Frame frame({Channel::kHitWorld, Channel::kRange, Channel::kEntityId, Channel::kReason});
  copy_scene(*set.scene);
  const std::vector<rgl_mat3x4f> rays = to_matrices(simulator.pattern(id, 0));
  const rgl_mat3x4f pose = to_matrix(set.world_from_sensor, {1, 1, 1});
  std::vector<Graph> graphs;
  graphs.reserve(10);
  for (int i = 0; i < 10; ++i) graphs.emplace_back(rays, pose);
  // One thread is timed by the core time that it had, as neighbours on the machine would else be measured as well.
  const auto clock = threads == 1 ? cpu_seconds_now : seconds_now;
  const auto pair = interleaved_times(
      kRounds, {[&] { simulator.render(id, 0, frame); }, [&] { graphs[0].start(), graphs[0].finish(); }}, clock);
  const std::vector<double> ten = interleave(kRounds / 3, {[&] {
                                               for (Graph& graph : graphs) graph.start();
                                               for (Graph& graph : graphs) graph.finish();
                                             }});
  const double million = static_cast<double>(frame.size()) * 1e-6;
  std::printf("| %s, %d threads | %.1f | %.1f | %.2f | %.1f |\n", set.name.c_str(), simulator.threads(),
              million / median(pair[0]), million / median(pair[1]), median_ratio(pair[0], pair[1]),
              10.0 * million / ten[0]);
  std::fflush(stdout);
}

}  // namespace
}  // namespace fathom::bench

int main(int argc, char** argv) {
  namespace bench = fathom::bench;
  const std::string wanted = argc > 1 ? argv[1] : "";
  const fathom::Scene house = bench::make_house(FATHOM_SOURCE_DIR "/examples/house/house.yaml");
  const fathom::Scene terrain = bench::make_terrain();
  std::printf(
      "million rays per second\n\n| set | simulate | graph | graph / simulate | 10 graphs |\n|---|---|---|---|---|\n");
  const std::vector<int> thread_counts = argc > 2 ? std::vector<int>{std::atoi(argv[2])} : std::vector<int>{1, 0};
  for (const int threads : thread_counts) {
    for (const bench::Set& set : bench::make_sets(house, terrain)) {
      if (set.name.find("lidar") == std::string::npos || set.name.find(wanted) == std::string::npos) continue;
      bench::run(set, threads);
    }
  }
}
