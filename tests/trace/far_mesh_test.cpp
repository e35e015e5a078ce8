// SPDX-License-Identifier: MIT
// Meshes far from the origin of their file, such as meshes in UTM coordinates. Every format gives the ranges of the
// same shapes near the origin, and the ranges of the oracle.

#include <iomanip>

#include <fathom/scene/expected_ranges.hpp>
#include <fathom/sensor/pattern.hpp>

#include "io/mesh/mesh_files.hpp"
#include "io/mesh/read_mesh.hpp"
#include "trace/compare.hpp"

namespace fathom::test::far_mesh_test {
namespace {

constexpr double kToleranceM = 1e-4;

/// Zone 32, and 5000 km in each direction.
const std::vector<Vec3> kOffsetsM = {{512743.5, 5403547.5, 0.0}, {5e6, -5e6, 512.25}, {-5e6, 5e6, -5e6}};

/// Places near the origin, all of them multiples of 1/4096 m: single precision holds them, and double precision holds
/// their sums with kOffsetsM.
struct Shapes {
  std::vector<MeshPlace> places_m;
  std::vector<std::array<std::uint32_t, 3>> triangles;
};

Shapes random_bars(std::mt19937& random, int count) {
  const auto real = [&](double low, double high) {
    return std::round((low + (high - low) * static_cast<double>(random()) / 4294967296.0) * 4096) / 4096;
  };
  Shapes made;
  for (int i = 0; i < count; ++i) {
    const Vec3 way = real(4, 12) * random_direction(random);
    const Vec3 middle = {std::round(way.x * 4096) / 4096, std::round(way.y * 4096) / 4096,
                         std::round(way.z * 4096) / 4096};
    const double half[3] = {real(0.125, 1), real(0.125, 1), real(0.125, 1)};
    const auto first = static_cast<std::uint32_t>(made.places_m.size());
    const Mesh box = make_box({2, 2, 2});
    for (const auto& v : box.vertices_m) {
      made.places_m.push_back({middle.x + half[0] * v[0], middle.y + half[1] * v[1], middle.z + half[2] * v[2]});
    }
    for (const auto& t : box.triangles) made.triangles.push_back({first + t[0], first + t[1], first + t[2]});
  }
  return made;
}

MeshPlace moved(const MeshPlace& place, const Vec3& by) { return {place[0] + by.x, place[1] + by.y, place[2] + by.z}; }

/// All digits of the coordinates.
std::string digits(const MeshPlace& place) {
  std::ostringstream out;
  out << std::setprecision(17) << place[0] << ' ' << place[1] << ' ' << place[2];
  return out.str();
}

Mesh by_obj(const Shapes& shapes, const Vec3& offset) {
  std::string text;
  for (const MeshPlace& p : shapes.places_m) text += "v " + digits(moved(p, offset)) + "\n";
  for (const auto& [a, b, c] : shapes.triangles) {
    text += "f " + std::to_string(a + 1) + ' ' + std::to_string(b + 1) + ' ' + std::to_string(c + 1) + "\n";
  }
  MeshReading reading;
  return parse_obj_mesh(text, "a.obj", reading);
}

std::string ply_head(const Shapes& shapes, const std::string& format) {
  return "ply\nformat " + format + " 1.0\nelement vertex " + std::to_string(shapes.places_m.size()) +
         "\nproperty double x\nproperty double y\nproperty double z\nelement face " +
         std::to_string(shapes.triangles.size()) + "\nproperty list uchar uint vertex_indices\nend_header\n";
}

Mesh by_ascii_ply(const Shapes& shapes, const Vec3& offset) {
  std::string text = ply_head(shapes, "ascii");
  for (const MeshPlace& p : shapes.places_m) text += digits(moved(p, offset)) + "\n";
  for (const auto& [a, b, c] : shapes.triangles) {
    text += "3 " + std::to_string(a) + ' ' + std::to_string(b) + ' ' + std::to_string(c) + "\n";
  }
  MeshReading reading;
  return parse_ply_mesh(text, "a.ply", reading);
}

Mesh by_binary_ply(const Shapes& shapes, const Vec3& offset) {
  std::string bytes = ply_head(shapes, "binary_big_endian");
  for (const MeshPlace& p : shapes.places_m) {
    for (const double c : moved(p, offset)) bytes += raw(c, true);
  }
  for (const auto& t : shapes.triangles) {
    bytes += raw(std::uint8_t{3});
    for (const std::uint32_t corner : t) bytes += raw(corner, true);
  }
  MeshReading reading;
  Mesh mesh = parse_ply_mesh(bytes, "a.ply", reading);
  EXPECT_TRUE(reading.notes.empty()) << "doubles lose nothing";
  return mesh;
}

Mesh by_ascii_stl(const Shapes& shapes, const Vec3& offset) {
  std::string text = "solid s\n";
  for (const auto& t : shapes.triangles) {
    text += "facet normal 0 0 0\nouter loop\n";
    for (const std::uint32_t corner : t) text += "vertex " + digits(moved(shapes.places_m[corner], offset)) + "\n";
    text += "endloop\nendfacet\n";
  }
  MeshReading reading;
  return parse_stl_mesh(text + "endsolid s\n", "a.stl", reading);
}

std::string list_of(const Vec3& v) {
  std::ostringstream out;
  out << std::setprecision(17) << '[' << v.x << ',' << v.y << ',' << v.z << ']';
  return out.str();
}

/// Positions near the origin in single precision, as glTF has them; two nodes share the offset.
Mesh by_gltf(const Shapes& shapes, const Vec3& offset) {
  std::string buffer;
  for (const MeshPlace& p : shapes.places_m) {
    for (const double c : p) buffer += raw(static_cast<float>(c));
  }
  const std::size_t vertex_bytes = buffer.size();
  for (const auto& t : shapes.triangles) {
    for (const std::uint32_t corner : t) buffer += raw(corner);
  }
  const auto number = [](std::size_t n) { return std::to_string(n); };
  const Vec3 part = {offset.x, 0, 0.5 * offset.z}, rest = {0, offset.y, 0.5 * offset.z};
  const std::string text =
      R"({"asset":{"version":"2.0"},"buffers":[{"byteLength":)" + number(buffer.size()) +
      R"(,"uri":"data:application/octet-stream;base64,)" + base64(buffer) +
      R"("}],"bufferViews":[{"buffer":0,"byteLength":)" + number(vertex_bytes) + R"(},{"buffer":0,"byteOffset":)" +
      number(vertex_bytes) + R"(,"byteLength":)" + number(buffer.size() - vertex_bytes) +
      R"(}],"accessors":[{"bufferView":0,"componentType":5126,"count":)" + number(shapes.places_m.size()) +
      R"(,"type":"VEC3"},{"bufferView":1,"componentType":5125,"count":)" + number(3 * shapes.triangles.size()) +
      R"(,"type":"SCALAR"}],"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],)"
      R"("nodes":[{"children":[1],"translation":)" +
      list_of(part) + R"(},{"mesh":0,"translation":)" + list_of(rest) + R"(}],"scenes":[{"nodes":[0]}],"scene":0})";
  MeshReading reading;
  return parse_gltf_mesh(text, "a.gltf", reading);
}

std::string dae_text(const Shapes& shapes, const Vec3& places_by, const Vec3& node_by) {
  std::string places, corners;
  for (const MeshPlace& p : shapes.places_m) places += digits(moved(p, places_by)) + "\n";
  for (const auto& t : shapes.triangles) {
    for (const std::uint32_t corner : t) corners += std::to_string(corner) + " ";
  }
  const auto number = [](std::size_t n) { return std::to_string(n); };
  return R"(<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">)"
         R"(<library_geometries><geometry id="g"><mesh><source id="p"><float_array id="pa" count=")" +
         number(3 * shapes.places_m.size()) + "\">" + places +
         R"(</float_array><technique_common><accessor source="#pa" count=")" + number(shapes.places_m.size()) +
         R"(" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>)"
         R"(</accessor></technique_common></source><vertices id="v"><input semantic="POSITION" source="#p"/>)"
         "</vertices>"
         R"(<triangles count=")" +
         number(shapes.triangles.size()) + R"("><input semantic="VERTEX" source="#v" offset="0"/><p>)" + corners +
         R"(</p></triangles></mesh></geometry></library_geometries><library_visual_scenes><visual_scene id="s"><node>)"
         "<translate>" +
         digits({node_by.x, node_by.y, node_by.z}) +
         R"(</translate><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>)"
         R"(<scene><instance_visual_scene url="#s"/></scene></COLLADA>)";
}

Mesh by_dae(const Shapes& shapes, const Vec3& offset) {
  MeshReading reading;
  return parse_dae_mesh(dae_text(shapes, offset, {}), "a.dae", reading).mesh;
}

Mesh by_dae_node(const Shapes& shapes, const Vec3& offset) {
  MeshReading reading;
  return parse_dae_mesh(dae_text(shapes, {}, offset), "a.dae", reading).mesh;
}

using Reader = Mesh (*)(const Shapes&, const Vec3&);
const std::vector<std::pair<std::string, Reader>> kReaders = {{"obj", by_obj},
                                                              {"ascii_ply", by_ascii_ply},
                                                              {"binary_ply", by_binary_ply},
                                                              {"ascii_stl", by_ascii_stl},
                                                              {"gltf", by_gltf},
                                                              {"dae", by_dae},
                                                              {"dae_node", by_dae_node}};

Scene scene_of(Mesh mesh, const Pose& pose = {}, const Vec3& scale = {1, 1, 1}) {
  Scene scene;
  const MeshId id = scene.add_mesh(std::move(mesh));
  scene.add_entity({.name = "bars", .mesh = id, .parent_from_entity = pose, .scale = scale});
  return scene;
}

std::vector<WorldRay> moved(std::vector<WorldRay> rays, const Vec3& by) {
  for (WorldRay& ray : rays) ray.origin = ray.origin + by;
  return rays;
}

struct Difference {
  int disputed = 0;          ///< the two rays meet different triangles, near an edge
  int hits = 0;              ///< of both, on one triangle
  double worst_m = 0;        ///< the largest difference of two ranges, where the cosine of incidence is above 0.25
  double off_surface_m = 0;  ///< the largest difference of all, across the surface
};

/// What a caster gives for two scenes that differ by a translation.
Difference compare_moved(const CasterChoice& choice, const Scene& here, const Scene& there, const Vec3& there_m,
                         const std::vector<WorldRay>& rays) {
  CasterBench near_bench(choice), far_bench(choice);
  near_bench.caster->update(here, 0.0, {});
  far_bench.caster->update(there, 0.0, origin_near(there_m));
  const std::vector<Shot> a = shoot(*near_bench.caster, rays), b = shoot(*far_bench.caster, moved(rays, there_m));
  Difference found;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].entity != b[i].entity || a[i].triangle != b[i].triangle) {
      ++found.disputed;
      continue;
    }
    if (std::isinf(a[i].range_m)) continue;
    ++found.hits;
    const double cosine = std::abs(dot(a[i].normal, rays[i].direction));
    const double error_m = std::abs(double{a[i].range_m} - double{b[i].range_m});
    found.off_surface_m = std::max(found.off_surface_m, cosine * error_m);
    if (cosine > 0.25) found.worst_m = std::max(found.worst_m, error_m);
  }
  return found;
}

TEST(FarMesh, EveryFormatGivesTheRangesOfTheSameShapesNearTheOrigin) {
  std::mt19937 random(5);
  const Shapes shapes = random_bars(random, 40);
  const auto rays = random_rays(random, repetitions(1024), {}, 1.0);
  for (const auto& [name, reader] : kReaders) {
    const Mesh here = reader(shapes, {});
    EXPECT_EQ(here.origin_m, Vec3{}) << name;
    for (const Vec3& offset : kOffsetsM) {
      const Mesh there = reader(shapes, offset);
      ASSERT_NE(there.origin_m, Vec3{}) << name;
      ASSERT_EQ(there.triangles.size(), here.triangles.size()) << name;
      EXPECT_EQ(there.vertices_m.size(), here.vertices_m.size()) << name;
      for (const CasterKind kind : test::casters()) {
        const CasterChoice choice = {.caster = kind};
        const Difference d = compare_moved(choice, scene_of(here), scene_of(there), offset, rays);
        EXPECT_LE(d.worst_m, kToleranceM) << name << " at " << list_of(offset);
        EXPECT_LE(d.disputed, static_cast<int>(rays.size()) / 100) << name << " at " << list_of(offset);
        EXPECT_GT(d.hits, static_cast<int>(rays.size()) / 20) << name;
      }
    }
  }
}

TEST(FarMesh, CastersAgreeWithTheOracle) {
  std::mt19937 random(6);
  const Shapes shapes = random_bars(random, 40);
  const auto rays = random_rays(random, repetitions(1024), {}, 1.0);
  for (const Vec3& offset : kOffsetsM) {
    const Scene scene = scene_of(by_obj(shapes, offset));
    // The oracle has the corners where the file has them.
    const BruteCaster brute(scene, 0.0), near_brute(scene_of(by_obj(shapes, {})), 0.0);
    for (std::size_t i = 0; i < rays.size(); i += 8) {
      const auto far_hit = brute.cast(rays[i].origin + offset, rays[i].direction);
      const auto near_hit = near_brute.cast(rays[i].origin, rays[i].direction);
      if (far_hit.triangle != near_hit.triangle || std::isinf(near_hit.range_m)) continue;
      const double cosine = std::abs(dot(near_hit.normal, rays[i].direction));
      EXPECT_NEAR(far_hit.range_m, near_hit.range_m, 1e-5 / cosine) << i;
    }
    for (const CasterChoice& choice : casters_and_isas()) {
      CasterBench bench(choice);
      bench.caster->update(scene, 0.0, origin_near(offset));
      const Comparison c = test::compare(*bench.caster, scene, 0.0, moved(rays, offset));
      EXPECT_EQ(c.wrong, std::string()) << name_of(choice);
      EXPECT_LE(c.disputed, static_cast<int>(rays.size()) / 50) << name_of(choice);
      EXPECT_GT(c.hits, static_cast<int>(rays.size()) / 20);
    }
  }
}

RC_GTEST_PROP(FarMesh, AnyOffsetPoseAndScaleGiveTheSameRanges, (std::uint32_t seed)) {
  std::mt19937 random(seed);
  const auto real = [&](double size) { return size * (static_cast<double>(random()) / 2147483648.0 - 1.0); };
  const Shapes shapes = random_bars(random, 20);
  const double far_m = std::round(std::pow(10.0, 5.1 + real(1.6)));  // 3 to 5000 km
  const Vec3 offset = {random() % 2 == 0 ? far_m : -far_m, std::round(real(far_m) * 8) / 8,
                       std::round(real(far_m) * 8) / 8};
  const Vec3 scale = {real(0.4) + 1.0, real(0.4) - 1.0, real(0.4) + 1.0};  // mirrored along y
  const Pose pose = {{real(1e4), real(1e4), real(100)}, from_roll_pitch_yaw(real(3), real(1.5), real(3))};
  const Mesh there = kReaders[random() % kReaders.size()].second(shapes, offset), here = by_obj(shapes, {});
  const Vec3 place = pose * Vec3{scale.x * offset.x, scale.y * offset.y, scale.z * offset.z};
  const Scene far = scene_of(there, pose, scale), near = scene_of(here, {{}, pose.rotation}, scale);
  const auto rays = random_rays(random, repetitions(256), {}, 1.0);
  for (const CasterKind kind : test::casters()) {
    const CasterChoice choice = {.caster = kind};
    const Difference d = compare_moved(choice, near, far, place, rays);
    RC_ASSERT(d.off_surface_m <= kToleranceM);
    RC_ASSERT(d.disputed <= static_cast<int>(rays.size()) / 40);
  }
}

TEST(FarMesh, ExpectedRangesOfALaserAreThoseNearTheOrigin) {
  std::mt19937 random(7);
  const Shapes shapes = random_bars(random, 40);
  RayFan fan;
  for (int i = 0; i < 360; ++i) {
    const double angle = i * 0.017453292519943295;
    fan.x.push_back(static_cast<float>(std::cos(angle))), fan.y.push_back(static_cast<float>(std::sin(angle)));
    fan.z.push_back(0.0F);
  }
  const auto cast = [&](const Vec3& offset) {
    const Scene scene = scene_of(by_obj(shapes, offset));
    std::vector<float> range_m(fan.size());
    const std::vector<Pose> poses = {{offset, {}}};
    make_scene_ranges(scene)->cast(poses, fan, 30.0, range_m);
    return range_m;
  };
  const std::vector<float> here = cast({});
  for (const Vec3& offset : kOffsetsM) {
    const std::vector<float> there = cast(offset);
    int different = 0;  // rays that graze an edge or a side may go either way
    for (std::size_t i = 0; i < here.size(); ++i) different += std::abs(here[i] - there[i]) > kToleranceM ? 1 : 0;
    EXPECT_LE(different, 4) << list_of(offset);
  }
}

TEST(FarMesh, DeformsAboutItsOrigin) {
  std::mt19937 random(8);
  const Shapes before = random_bars(random, 20), after = random_bars(random, 20);
  const auto rays = random_rays(random, repetitions(512), {}, 1.0);
  for (const CasterKind kind : test::casters()) {
    const Vec3 offset = kOffsetsM[0];
    Scene scene = scene_of(by_ascii_ply(before, offset));
    const Vec3 origin_m = scene.meshes()[0].origin_m;
    CasterBench bench(kind);
    bench.caster->update(scene, 0.0, origin_near(offset));
    std::vector<std::array<float, 3>> vertices_m;
    for (const MeshPlace& place : after.places_m) vertices_m.push_back(vertex_at(moved(place, offset), origin_m));
    scene.replace_vertices(MeshId{0}, vertices_m);
    EXPECT_EQ(scene.meshes()[0].origin_m, origin_m);
    bench.caster->update(scene, 0.0, origin_near(offset));
    const Comparison c = test::compare(*bench.caster, scene, 0.0, moved(rays, offset));
    EXPECT_EQ(c.wrong, std::string());
    EXPECT_GT(c.hits, static_cast<int>(rays.size()) / 20);
  }
}

}  // namespace
}  // namespace fathom::test::far_mesh_test
