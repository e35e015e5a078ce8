// SPDX-License-Identifier: MIT
#pragma once
// Casters of scenes and of lists of instances, and their blocks of rays as separate arrays. Coordinates are relative to
// the caster's origin: near the sensor, so that single precision stays good far from the world's origin.

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include <fathom/core/compute.hpp>
#include <fathom/core/geometry.hpp>
#include <fathom/scene/scene.hpp>

#include "trace/placed_mesh.hpp"
#include "trace/tile.hpp"

namespace fathom {

namespace tree {
class Meshes;
struct World;
}  // namespace tree

/// The mask of rays that see every entity.
inline constexpr std::uint32_t kSeesAll = ~0U;

/// `count` rays, a multiple of 16 (pad with copies of a ray). Arrays are [count].
struct CastRays {
  const float *ox = nullptr, *oy = nullptr, *oz = nullptr;  ///< origins; null: all at `origin`
  float origin[3] = {0, 0, 0};
  const float *dx = nullptr, *dy = nullptr, *dz = nullptr;  ///< unit directions
  const float* near = nullptr;  ///< least distance of hits, in lengths of the direction; null: 0
  std::uint32_t count = 0;
  bool coherent = true;  ///< whether 16 neighbouring rays are nearly parallel
  /// Rays see entities whose mask shares a bit (Caster::set_masks). kSeesAll costs no time.
  std::uint32_t mask = kSeesAll;
  /// Times after the stamp of the scan, among the times of Caster::place(); such rays have separate origins. Null: the
  /// stamp.
  const float* times_s = nullptr;
};

/// Arrays to fill, [count]; all but range_m may be null.
struct CastHits {
  float* range_m = nullptr;           ///< +inf on a miss
  std::uint32_t* entity = nullptr;    ///< index(kNoEntity) on a miss
  std::uint32_t* triangle = nullptr;  ///< kNoTriangle on a miss
  /// World unit normal, turned against the ray; undefined on a miss.
  float *nx = nullptr, *ny = nullptr, *nz = nullptr;
  float* speed_m_s = nullptr;  ///< of the surface along the ray; undefined on a miss
};

/// Lines of sight from one point to `count` others, a multiple of 16. Arrays are [count].
struct SightLines {
  float eye[3] = {0, 0, 0};                                 ///< in the coordinates of CastRays
  const float *dx = nullptr, *dy = nullptr, *dz = nullptr;  ///< from the eye to the target, of any length
  const float* clear = nullptr;  ///< share of the way, below 1, that must be clear; 0: ignores the line
  std::uint32_t count = 0;
  std::uint32_t mask = kSeesAll;  ///< as in CastRays
};

/// The origin of casting for a sensor at `p` [world]: the nearest point of a wide grid. It depends only on the place,
/// so casts do not depend on other casts. It is at most 55 m away, where single precision resolves 4 micrometres. A
/// robot would cross the lines of a finer grid more often, and each crossing places all entities again.
inline Vec3 origin_near(const Vec3& p) {
  constexpr double kStepM = 64.0;
  const auto snap = [](double v) { return kStepM * std::round(v / kStepM); };
  return {snap(p.x), snap(p.y), snap(p.z)};
}

/// The times for Caster::place() of rays that are all at the stamp.
inline std::span<const float> times_of_stamp(bool read_speed) {
  static constexpr float kStamp = 0.0F;
  return {&kStamp, read_speed ? 1U : 0U};
}

/// The reader of the trees. A device updates trees of deformed meshes itself, and builds the nodes over instances.
enum class Walker : std::uint8_t { kProcessor, kDevice };

/// A scene prepared for casting.
class Caster {
 public:
  virtual ~Caster() = default;
  /// Takes over changes of the scene at `stamp_s` since the last call: meshes, entities, poses, vertices. Rays and hits
  /// are relative to `origin` then. Casts see the changes after commit(). `times_s`: times of rays after the stamp,
  /// ascending, at which entities on a trajectory have moved on; empty: no ray has a time, and speeds are undefined.
  /// Casters of tests ignore them. `moved`: the entities that may have other poses than in the last call, parents
  /// before children, if it had the same stamp and origin, no times, and the same entities; empty: all.
  virtual void place(const Scene& scene, double stamp_s, const Vec3& origin, Walker walker,
                     std::span<const float> times_s, std::span<const EntityId> moved = {}) = 0;
  /// Sets the masks of the placed entities, [entities]; missing masks are kSeesAll. Casts see the change after
  /// commit().
  virtual void set_masks(std::span<const std::uint32_t> masks) = 0;
  /// Makes the placed entities visible to casts of this walker. Forks may commit in parallel.
  virtual void commit(Walker walker) = 0;
  void update(const Scene& scene, double stamp_s, const Vec3& origin) {
    place(scene, stamp_s, origin, Walker::kProcessor, {});
    commit(Walker::kProcessor);
  }
  /// Another caster of the same scene for other poses of its entities. It shares the costly trees of meshes, which may
  /// deform only while no fork casts.
  [[nodiscard]] virtual std::unique_ptr<Caster> fork() const = 0;
  /// The origin of rays and hits, in the world.
  [[nodiscard]] virtual Vec3 origin() const = 0;
  /// The largest coordinate in the scene, relative to origin(): the rounding of hits grows with it.
  [[nodiscard]] virtual float reach() const = 0;
  /// The trees, for a device that walks them itself; null for casters of tests. Valid until the next commit().
  [[nodiscard]] virtual const tree::World* world() const { return nullptr; }
  /// The trees of the meshes, shared with forks; null as world().
  [[nodiscard]] virtual const tree::Meshes* meshes() const { return nullptr; }
  /// Nearest hits. Thread-safe between updates.
  virtual void cast(const CastRays& rays, const CastHits& hits) const = 0;
  /// Sets blocked[i] to 1 if line i meets a surface, else to 0; [count]. Thread-safe between updates.
  virtual void find_blocked(const SightLines& lines, std::uint32_t* blocked) const = 0;
};

/// The rays that are cast, and limits that replace the rays' limits; [kBlockRays].
struct CastLimits {
  const std::int32_t* active;  ///< 0 for rays that are not cast, and behind the last ray
  float near;                  ///< of all rays
  const float* far;
  /// [kBlockRays / kPacketRays]: not 0 if the rays of a packet are nearly parallel and cast as one. Otherwise that
  /// costs a factor of 2 to 3. Null: none are.
  const std::int32_t* coherent;
};

/// Hits in single precision, [kBlockRays]; `t` is in lengths of the direction. On a miss `instance` is kNoInstance, and
/// the other values are undefined.
struct RoughHits {
  std::uint32_t* instance;
  std::uint32_t* triangle;
  float* t;
};

/// Casts against lists of instances, for the parts: any affine map, directions of any length, rays with limits.
class InstanceCaster {
 public:
  virtual ~InstanceCaster() = default;
  /// Takes over a list of valid instances. Trees belong to the address of a mesh, which the list keeps alive. An
  /// instance whose map flattens space is never hit.
  virtual void update(const std::vector<CastInstance>& instances) = 0;
  /// Nearest hits within the limits. Thread-safe between updates.
  virtual void cast(const RayLanes& rays, const CastLimits& limits, const RoughHits& hits) const = 0;
};

/// fathom's tracer: the same bits on every computer, and no ray slips through an edge (docs/tracer.md). `executor`
/// builds the trees, and must outlive the caster.
std::unique_ptr<Caster> make_caster(Isa isa, Executor& executor);
std::unique_ptr<InstanceCaster> make_instance_caster(Isa isa, Executor& executor);

/// Keeps a T for each mesh of a list of instances, from list to list. The address of a mesh identifies it; the list
/// keeps it alive.
template <class T>
class KeptByMesh {
 public:
  struct Entry {
    T of;
    std::uint32_t version;
    bool changed = true;  ///< since the last finish()
    bool used = true;     ///< by this list
  };

  /// Takes over a list: calls build(mesh), which returns a T, for each new mesh, and renew(mesh, T&) for each mesh with
  /// another version. Meshes of the list before stay until finish().
  template <class Build, class Renew>
  void update(const std::vector<CastInstance>& instances, Build build, Renew renew) {
    for (auto& [mesh, entry] : entries_) entry.used = false;
    for (const CastInstance& instance : instances) {
      const CastMesh& mesh = *instance.mesh;
      const auto found = entries_.find(&mesh);
      if (found == entries_.end()) {
        entries_.emplace(&mesh, Entry{build(mesh.mesh), mesh.version});
        continue;
      }
      Entry& entry = found->second;
      entry.used = true;
      if (entry.version == mesh.version) continue;
      renew(mesh.mesh, entry.of);
      entry.version = mesh.version, entry.changed = true;
    }
  }

  /// The entry of a mesh of the list.
  [[nodiscard]] const Entry& at(const CastMesh& mesh) const { return entries_.at(&mesh); }

  /// Forgets meshes that the list does not use, and marks the others as unchanged.
  void finish() {
    std::erase_if(entries_, [](const auto& entry) { return !entry.second.used; });
    for (auto& [mesh, entry] : entries_) entry.changed = false;
  }

 private:
  std::unordered_map<const CastMesh*, Entry> entries_;
};

}  // namespace fathom
