// SPDX-License-Identifier: MIT
// The real house: every caster against the oracle over 112 000 triangles, with a separate importer.

#include <assimp/Importer.hpp>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include "trace/compare.hpp"

namespace fathom::test {
namespace {

Mesh load(const std::filesystem::path& file) {
  Assimp::Importer importer;
  const aiScene* scene = importer.ReadFile(file.string(), aiProcess_JoinIdenticalVertices | aiProcess_Triangulate);
  Mesh mesh;
  for (unsigned m = 0; scene != nullptr && m < scene->mNumMeshes; ++m) {
    const auto first = static_cast<std::uint32_t>(mesh.vertices_m.size());
    const aiMesh& part = *scene->mMeshes[m];
    for (unsigned i = 0; i < part.mNumVertices; ++i) {
      mesh.vertices_m.push_back({part.mVertices[i].x, part.mVertices[i].y, part.mVertices[i].z});
    }
    for (unsigned i = 0; i < part.mNumFaces; ++i) {
      if (part.mFaces[i].mNumIndices != 3) continue;
      const unsigned* t = part.mFaces[i].mIndices;
      mesh.triangles.push_back({first + t[0], first + t[1], first + t[2]});
    }
  }
  return mesh;
}

Scene load_house(const std::filesystem::path& folder) {
  Scene scene;
  std::ifstream table(folder / "placement.csv");
  std::vector<std::string> files;
  std::string line;
  std::getline(table, line);  // names of the columns: entity,mesh,x_m,y_m,z_m,roll_rad,pitch_rad,yaw_rad
  while (std::getline(table, line)) {
    std::istringstream cells(line);
    Entity entity;
    std::string file, cell;
    std::getline(cells, entity.name, ',');
    std::getline(cells, file, ',');
    double v[6] = {};
    for (double& value : v) std::getline(cells, cell, ','), value = std::stod(cell);
    entity.parent_from_entity = Pose{{v[0], v[1], v[2]}, from_roll_pitch_yaw(v[3], v[4], v[5])};
    const auto known = std::find(files.begin(), files.end(), file);
    entity.mesh = static_cast<MeshId>(known - files.begin());
    if (known == files.end()) {
      scene.add_mesh(load(folder / file), file);
      files.push_back(file);
    }
    scene.add_entity(entity);
  }
  return scene;
}

TEST(House, EveryCasterEqualsTheOracle) {
  const std::filesystem::path folder = FATHOM_SOURCE_DIR "/examples/house";
  if (!std::filesystem::exists(folder / "placement.csv")) GTEST_SKIP() << "examples/house is not there";
  const Scene scene = load_house(folder);
  ASSERT_EQ(scene.entities().size(), 85U);
  std::mt19937 random(3);
  const auto rays = random_rays(random, repetitions(2000), {-1, 0, 1.2}, 1.1);
  std::vector<BruteCaster::Hit> truth;  // all casters get the same rays
  for (const CasterChoice& choice : casters_and_isas()) {
    const bool usual = choice.isa == detect_isa();
    if (!usual && kSanitized) continue;
    CasterBench bench(choice);
    bench.caster->update(scene, 0.0, {});
    const std::size_t count = usual ? rays.size() : rays.size() / 8;
    if (truth.empty()) truth = cast_all(BruteCaster(scene, 0.0), rounded(*bench.caster, rays));
    const Comparison c = compare(*bench.caster, scene, 0.0, std::span(rays).first(count), truth);
    EXPECT_EQ(c.wrong, "") << name_of(choice);
    EXPECT_LE(c.unusual, static_cast<int>(count) / 500);  // none was seen on two processors; others round otherwise
    if (choice.caster == CasterKind::kTree) {
      EXPECT_LE(c.worst, 0.5);
      EXPECT_LE(c.off_grazing, 2e-6);
    }
    EXPECT_GT(c.hits, static_cast<int>(count) / 2);
    // Doubled and touching surfaces of furniture: ties.
    EXPECT_LT(c.disputed, static_cast<int>(count) / 20);
    RecordProperty("disputed_" + name_of(choice), c.disputed);
  }
}

}  // namespace
}  // namespace fathom::test
