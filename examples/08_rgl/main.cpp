// SPDX-License-Identifier: MIT
// Two cubes seen by a lidar like the VLP-16, through the C interface of Robotec GPU Lidar only: this file compiles
// against RGL's own header, too.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <rgl/api/core.h>

namespace {

void must(rgl_status_t status) {
  if (status == RGL_SUCCESS) return;
  const char* text = nullptr;
  rgl_get_last_error_string(&text);
  std::fprintf(stderr, "rgl: %s\n", text);
  std::exit(1);
}

rgl_mesh_t make_cube() {
  const rgl_vec3f corners[8] = {{{-1, -1, -1}}, {{1, -1, -1}}, {{-1, 1, -1}}, {{1, 1, -1}},
                                {{-1, -1, 1}},  {{1, -1, 1}},  {{-1, 1, 1}},  {{1, 1, 1}}};
  const rgl_vec3i faces[12] = {{{0, 2, 1}}, {{1, 2, 3}}, {{4, 5, 6}}, {{5, 7, 6}}, {{0, 1, 4}}, {{1, 5, 4}},
                               {{2, 6, 3}}, {{3, 6, 7}}, {{0, 4, 2}}, {{2, 4, 6}}, {{1, 3, 5}}, {{3, 7, 5}}};
  rgl_mesh_t mesh = nullptr;
  must(rgl_mesh_create(&mesh, corners, 8, faces, 12));
  return mesh;
}

void place_cube(rgl_mesh_t mesh, float x, float y, float z, float size, int id) {
  const rgl_mat3x4f place = {{{size, 0, 0, x}, {0, size, 0, y}, {0, 0, size, z}}};
  rgl_entity_t entity = nullptr;
  must(rgl_entity_create(&entity, nullptr, mesh));
  must(rgl_entity_set_transform(entity, &place));
  must(rgl_entity_set_id(entity, id));
}

/// 16 rings from -15 to 15 degrees, 1800 columns around y: a ray is a turn about y, then about x, of the z axis.
std::vector<rgl_mat3x4f> make_rays() {
  const double degree = 3.14159265358979323846 / 180.0;
  std::vector<rgl_mat3x4f> rays;
  for (int ring = 0; ring < 16; ++ring) {
    for (int column = 0; column < 1800; ++column) {
      const double pitch = (-15.0 + 2.0 * ring) * degree, yaw = 0.2 * column * degree;
      const float cy = float(std::cos(yaw)), sy = float(std::sin(yaw));
      const float cp = float(std::cos(pitch)), sp = float(std::sin(pitch));
      rays.push_back({{{cy, sy * sp, sy * cp, 0}, {0, cp, -sp, 0}, {-sy, cy * sp, cy * cp, 0}}});
    }
  }
  return rays;
}

}  // namespace

int main() {
  int32_t major = 0, minor = 0, patch = 0;
  must(rgl_get_version_info(&major, &minor, &patch));
  std::printf("RGL interface %d.%d.%d\n", major, minor, patch);

  rgl_mesh_t cube = make_cube();
  place_cube(cube, 0.0F, 0.0F, 6.0F, 1.0F, 1);
  place_cube(cube, 4.0F, 0.0F, -2.0F, 0.5F, 2);

  const std::vector<rgl_mat3x4f> rays = make_rays();
  const rgl_mat3x4f lidar_pose = {{{1, 0, 0, 0.5F}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
  const rgl_mat3x4f lidar_from_world = {{{1, 0, 0, -0.5F}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
  const rgl_field_t fields[] = {RGL_FIELD_XYZ_VEC3_F32, RGL_FIELD_DISTANCE_F32, RGL_FIELD_ENTITY_ID_I32};

  // rays -> pose -> ray noise -> raytrace -> hit-point noise -> distance noise -> hits -> world cloud -> lidar cloud
  rgl_node_t source = nullptr, pose = nullptr, ray_noise = nullptr, trace = nullptr, hit_noise = nullptr;
  rgl_node_t distance_noise = nullptr, hits = nullptr, world = nullptr, to_lidar = nullptr, lidar = nullptr;
  must(rgl_node_rays_from_mat3x4f(&source, rays.data(), int32_t(rays.size())));
  must(rgl_node_rays_transform(&pose, &lidar_pose));
  must(rgl_node_gaussian_noise_angular_ray(&ray_noise, 0.0F, 0.0005F, RGL_AXIS_Y));
  must(rgl_node_raytrace(&trace, nullptr));
  must(rgl_node_gaussian_noise_angular_hitpoint(&hit_noise, 0.0F, 0.0005F, RGL_AXIS_Y));
  must(rgl_node_gaussian_noise_distance(&distance_noise, 0.0F, 0.02F, 0.001F));
  must(rgl_node_points_compact_by_field(&hits, RGL_FIELD_IS_HIT_I32));
  must(rgl_node_points_format(&world, fields, 3));
  must(rgl_node_points_transform(&to_lidar, &lidar_from_world));
  must(rgl_node_points_format(&lidar, fields, 3));
  rgl_node_t line[] = {source, pose, ray_noise, trace, hit_noise, distance_noise, hits};
  for (int i = 0; i < 6; ++i) must(rgl_graph_node_add_child(line[i], line[i + 1]));
  must(rgl_graph_node_add_child(hits, world));
  must(rgl_graph_node_add_child(hits, to_lidar));
  must(rgl_graph_node_add_child(to_lidar, lidar));

  must(rgl_graph_run(source));
  struct Point {
    float xyz[3], distance;
    int32_t entity;
  };
  int32_t count = 0, size = 0;
  must(rgl_graph_get_result_size(world, RGL_FIELD_DYNAMIC_FORMAT, &count, &size));
  if (size != int32_t(sizeof(Point))) return 1;
  std::vector<Point> in_world, in_lidar;
  in_world.resize(std::size_t(count)), in_lidar.resize(std::size_t(count));
  must(rgl_graph_get_result_data(world, RGL_FIELD_DYNAMIC_FORMAT, in_world.data()));
  must(rgl_graph_get_result_data(lidar, RGL_FIELD_DYNAMIC_FORMAT, in_lidar.data()));

  int on_first = 0;
  double shift = 0.0;
  for (std::size_t i = 0; i < in_world.size(); ++i) {
    on_first += in_world[i].entity == 1;
    shift += double(in_world[i].xyz[0]) - in_lidar[i].xyz[0];
  }
  std::printf("%d of %d rays hit, %d of them the first cube\n", count, int(rays.size()), on_first);
  std::printf("world and lidar cloud are %.3f m apart\n", shift / count);
  must(rgl_cleanup());
}
