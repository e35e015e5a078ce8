// SPDX-License-Identifier: MIT
#pragma once
// Meshes, entities and textures of the interface, and their casters.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <rgl/api/core.h>

#include <fathom/scene/mesh.hpp>

#include "parts/tracer.hpp"

namespace rgl {

fathom::Affine to_affine(const rgl_mat3x4f& m);

/// Throws INVALID_ARGUMENT if an element is not finite.
void check_finite(const rgl_mat3x4f& matrix);
/// The same, and also for a matrix without an inverse: it flattens space.
void check_invertible(const rgl_mat3x4f& matrix);

using Vertices = std::vector<std::array<float, 3>>;
Vertices to_vertices(const rgl_vec3f* vertices, std::int32_t count);

struct MeshObject {
  std::shared_ptr<fathom::CastMesh> shared = std::make_shared<fathom::CastMesh>();
  std::vector<fathom::BoneWeights> weights;  ///< [vertices], or empty
  std::vector<fathom::Affine> restposes;     ///< [bones], or empty
};

struct TextureObject {
  std::shared_ptr<const fathom::Texture> texture;
};

/// Nanoseconds since the caller's epoch; absent before the first rgl_scene_set_time.
using SceneTime = std::optional<std::uint64_t>;

class EntityObject {
 public:
  explicit EntityObject(std::shared_ptr<MeshObject> mesh) : mesh_(std::move(mesh)) {}

  void set_transform(const fathom::Affine& world_from_entity, SceneTime now);
  /// Gives the entity its own vertices: the caller's, or posed by bones. A change between the two starts from the mesh
  /// again.
  void animate(Vertices vertices, SceneTime now);
  void pose_bones(std::span<const fathom::Affine> world_from_bone, SceneTime now);

  [[nodiscard]] MeshObject& mesh() const { return *mesh_; }
  /// The instance to cast. `previous`: the scene's previous time.
  [[nodiscard]] fathom::CastInstance instance(SceneTime previous) const;

  std::int32_t id = RGL_DEFAULT_ENTITY_ID;
  std::int32_t ignored_by = RGL_SENSOR_ID_NONE;
  float laser_retro = 0.0F;
  std::shared_ptr<const fathom::Texture> texture;

 private:
  enum class Animation : std::uint8_t { kNone, kExternal, kBones };
  struct Placed {
    fathom::Affine world_from_entity;
    SceneTime at;
  };

  void replace_vertices(Vertices vertices, Animation how, SceneTime now);

  std::shared_ptr<MeshObject> mesh_;
  Placed now_, before_;
  int transforms_set_ = 0;
  Animation animation_ = Animation::kNone;
  std::shared_ptr<fathom::CastMesh> animated_;  ///< null: the mesh itself
  std::shared_ptr<Vertices> step_;              ///< displacements of the vertices by the last animation
  SceneTime animated_at_, animated_before_;
};

/// The scene.
class World {
 public:
  explicit World(fathom::Executor& executor) : executor_(&executor) {}

  void set_executor(fathom::Executor& executor) { executor_ = &executor, casters_.clear(); }
  void set_time(std::uint64_t nanoseconds);
  [[nodiscard]] SceneTime now() const { return now_; }
  /// Seconds between the last two times; 0 before the second time.
  [[nodiscard]] double step_s() const;

  void add(std::shared_ptr<EntityObject> entity);
  void remove(const EntityObject* entity);
  /// Marks a change that affects casting.
  void touch() { ++revision_; }
  void clear();

  /// The current scene as the sensor sees it.
  const fathom::RayCaster& caster_for(std::int32_t sensor_id);
  /// Whether caster_for() would change a caster that runs may use.
  [[nodiscard]] bool is_stale(std::int32_t sensor_id) const;

 private:
  struct Prepared {
    fathom::RayCaster caster;
    std::uint64_t revision;
  };

  [[nodiscard]] std::int32_t key_of(std::int32_t sensor_id) const;

  fathom::Executor* executor_;
  std::vector<std::shared_ptr<EntityObject>> entities_;
  SceneTime now_, previous_;
  std::uint64_t revision_ = 1;
  std::map<std::int32_t, Prepared> casters_;
};

}  // namespace rgl
