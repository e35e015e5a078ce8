// SPDX-License-Identifier: MIT
#pragma once
// The input and output of a caster: blocks of rays as separate arrays, in world coordinates relative to the caster's
// origin. An origin near the sensor keeps single precision good however far from the world's origin a robot drives.

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>

#include <fathom/base/geometry.hpp>
#include <fathom/scene/scene.hpp>

namespace fathom {

namespace tree {
class Meshes;
struct World;
}  // namespace tree

/// The mask of rays that meet every entity.
inline constexpr std::uint32_t kSeesAll = ~0U;

/// `count` rays, a multiple of 16 (pad with copies of a ray). Arrays are [count].
struct CastRays {
  const float *ox = nullptr, *oy = nullptr, *oz = nullptr;  ///< origins; null: all at `origin`
  float origin[3] = {0, 0, 0};
  const float *dx = nullptr, *dy = nullptr, *dz = nullptr;  ///< unit directions
  const float* near = nullptr;  ///< nothing nearer is met, in lengths of the direction; null: from the origin on
  std::uint32_t count = 0;
  bool coherent = true;  ///< whether 16 neighbouring rays are nearly parallel
  /// Solid angle between 16 neighbouring rays, for a caster that weighs it against the triangles it meets; 0:
  /// `coherent` says all.
  float packet_sr = 0.0F;
  /// They meet an entity whose own mask has a bit in common (Caster::set_masks). kSeesAll costs nothing.
  std::uint32_t mask = kSeesAll;
};

/// Arrays to fill, [count]; all but range_m may be null.
struct CastHits {
  float* range_m = nullptr;           ///< +inf where nothing is met
  std::uint32_t* entity = nullptr;    ///< index(kNoEntity) on a miss
  std::uint32_t* triangle = nullptr;  ///< kNoTriangle on a miss
  float *nx = nullptr, *ny = nullptr,
        *nz = nullptr;  ///< world unit normal, turned against the ray; undefined on a miss
};

/// Lines of sight from one point to `count` others, a multiple of 16. Arrays are [count].
struct SightLines {
  float eye[3] = {0, 0, 0};                                 ///< in the coordinates of CastRays
  const float *dx = nullptr, *dy = nullptr, *dz = nullptr;  ///< from the eye to the target, of any length
  const float* clear = nullptr;  ///< share of the way, below 1, that must be clear; 0: the line does not matter
  std::uint32_t count = 0;
  std::uint32_t mask = kSeesAll;  ///< as that of CastRays
};

/// The origin of casting for a sensor at `p` [world]: the nearest point of a wide grid, so a function of the place
/// alone. Casts from a place then depend on no cast before or beside them. It is at most 55 m away, where
/// single precision resolves 4 micrometres. A finer grid would do better still, but a robot crosses its lines more
/// often, and then all entities are placed anew.
inline Vec3 origin_near(const Vec3& p) {
  constexpr double kStepM = 64.0;
  const auto snap = [](double v) { return kStepM * std::round(v / kStepM); };
  return {snap(p.x), snap(p.y), snap(p.z)};
}

/// What walks the trees. A device brings those of deformed meshes up to date by itself, and builds the nodes over what
/// stands in the world.
enum class Walker : std::uint8_t { kProcessor, kDevice };

/// A scene prepared for casting.
class Caster {
 public:
  virtual ~Caster() = default;
  /// Takes over what changed in the scene at `stamp_s` since the last call: new meshes and entities, poses, vertices.
  /// Rays and hits are relative to `origin` from then on. Casts see the changes after commit().
  virtual void place(const Scene& scene, double stamp_s, const Vec3& origin, Walker walker) = 0;
  /// Gives entities their masks, [entities], from what place() took over; those beyond have kSeesAll, as all have at
  /// first. Casts see the change after commit().
  virtual void set_masks(std::span<const std::uint32_t> masks) = 0;
  /// Makes what was placed for this walker what it casts. Forks may be committed at once.
  virtual void commit(Walker walker) = 0;
  void update(const Scene& scene, double stamp_s, const Vec3& origin) {
    place(scene, stamp_s, origin, Walker::kProcessor);
    commit(Walker::kProcessor);
  }
  /// Another caster of the same scene that shares what is costly, the trees of meshes, for entities that stand
  /// elsewhere. Meshes may deform only while no fork casts.
  [[nodiscard]] virtual std::unique_ptr<Caster> fork() const = 0;
  /// World coordinates of the origin of the rays' coordinates.
  [[nodiscard]] virtual Vec3 origin() const = 0;
  /// The largest coordinate of anything in the scene, relative to origin(): what the rounding of hits grows with.
  [[nodiscard]] virtual float reach() const = 0;
  /// The trees, for a renderer that walks them itself; null for a caster that is not fathom's own. Valid until the next
  /// commit().
  [[nodiscard]] virtual const tree::World* world() const { return nullptr; }
  /// Those of the meshes, which a caster shares with its forks; null as world().
  [[nodiscard]] virtual const tree::Meshes* meshes() const { return nullptr; }
  /// Nearest hits. Thread-safe between calls of update().
  virtual void cast(const CastRays& rays, const CastHits& hits) const = 0;
  /// blocked[i] := 1 where line i meets a surface, else 0; [count]. Thread-safe as cast().
  virtual void find_blocked(const SightLines& lines, std::uint32_t* blocked) const = 0;
};

}  // namespace fathom
