#include <fathom/cast.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <fathom/error.hpp>

#include "cast/embree/instance_tree.hpp"
#include "trace/surface.hpp"

namespace fathom {

void validate(const CastMesh& shared) {
  const Mesh& mesh = shared.mesh;
  if (mesh.vertices_m.empty() || mesh.triangles.empty()) throw InputError("mesh is empty");
  for (std::size_t i = 0; i < mesh.vertices_m.size(); ++i) {
    for (const float c : mesh.vertices_m[i]) {
      if (!std::isfinite(c)) throw InputError(fmt::format("vertex {} = {} is not finite", i, c));
    }
  }
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    for (const std::uint32_t index : mesh.triangles[i]) {
      if (index >= mesh.vertices_m.size()) {
        throw InputError(fmt::format("triangle {}: vertex index {} is not in [0, {})", i, index, mesh.vertices_m.size()));
      }
    }
  }
  if (!shared.uv.empty() && shared.uv.size() != mesh.vertices_m.size()) {
    throw InputError(fmt::format("{} texture coordinates for {} vertices", shared.uv.size(), mesh.vertices_m.size()));
  }
}

namespace {

/// Coordinates beyond this are no place for a sensor, and break the tree's arithmetic.
constexpr float kFarAway = 1e15F;

bool can_be_cast(const RayLanes& r, std::uint32_t i) {
  const auto finite = [](float v) { return std::abs(v) < kFarAway; };
  return finite(r.ox[i]) && finite(r.oy[i]) && finite(r.oz[i]) && finite(r.dx[i]) && finite(r.dy[i]) &&
         finite(r.dz[i]) && (r.dx[i] != 0.0F || r.dy[i] != 0.0F || r.dz[i] != 0.0F) && r.far[i] > 0.0F;
}

/// Beyond the limit by a few roundings, because the exact place decides.
float rounded_up(float far) { return far * 1.000001F; }

/// A surface this near to the origin of a ray, in metres, is a surface in the origin: coordinates are single precision.
double own_surface_m(const RayLanes& r, std::uint32_t i) {
  return 0x1p-22 * std::max({std::abs(r.ox[i]), std::abs(r.oy[i]), std::abs(r.oz[i])});
}

}  // namespace

class RayCaster::Impl {
 public:
  Impl(Executor& executor, Isa isa) : tree_(executor, isa) {}

  void update(std::vector<CastInstance> instances) {
    for (const CastInstance& instance : instances) {
      if (instance.mesh == nullptr) throw InputError("an instance needs a mesh");
    }
    tree_.update(instances);  // before the old list goes: the tree knows meshes by their address
    instances_ = std::move(instances);
  }

  [[nodiscard]] const std::vector<CastInstance>& instances() const { return instances_; }

  void cast(const RayLanes& rays, HitLanes& hits) const {
    RayLanes asked;
    float t[kBlockRays];
    prepare(rays, asked);
    tree_.cast(asked, nullptr, {hits.instance, hits.triangle, t});
    for (std::uint32_t i = 0; i < rays.count; ++i) {
      if (hits.instance[i] != kNoInstance) place(rays, asked, i, t[i], hits);
    }
  }

 private:
  static void prepare(const RayLanes& rays, RayLanes& asked) {
    asked = rays;
    for (std::uint32_t i = 0; i < rays.count; ++i) {
      asked.active[i] = rays.active[i] != 0 && can_be_cast(rays, i) ? -1 : 0;
      asked.far[i] = rounded_up(rays.far[i]);
    }
  }

  /// The exact place of a hit; one that lies in the ray's origin is passed over.
  void place(const RayLanes& rays, const RayLanes& asked, std::uint32_t i, float rough, HitLanes& hits) const {
    const Vec3 direction = {rays.dx[i], rays.dy[i], rays.dz[i]};
    const Vec3 origin = {rays.ox[i], rays.oy[i], rays.oz[i]};
    const double length = norm(direction), own = own_surface_m(rays, i);
    for (int attempt = 0; attempt < kMaxOwnSurfaces; ++attempt) {
      const WorldTriangle triangle = triangle_in_world(instances_[hits.instance[i]], hits.triangle[i]);
      hits.t[i] = plane_distance(triangle, origin, direction, rough);
      if (hits.t[i] * length > own) break;
      if (!cast_beyond(asked, i, rough, hits)) return;
    }
    if (!(hits.t[i] <= rays.far[i])) hits.instance[i] = kNoInstance;
  }

  /// The next hit of one ray behind `rough`. Returns whether there is one.
  bool cast_beyond(const RayLanes& asked, std::uint32_t i, float& rough, HitLanes& hits) const {
    const float near = std::nextafter(std::max(rough, 0.0F), math::kInfinity);
    RayLanes one;
    one.count = 1;
    one.ox[0] = asked.ox[i], one.oy[0] = asked.oy[i], one.oz[0] = asked.oz[i];
    one.dx[0] = asked.dx[i], one.dy[0] = asked.dy[i], one.dz[0] = asked.dz[i];
    one.far[0] = asked.far[i], one.active[0] = -1;
    tree_.cast(one, &near, {hits.instance + i, hits.triangle + i, &rough});
    return hits.instance[i] != kNoInstance;
  }

  static constexpr int kMaxOwnSurfaces = 16;  ///< surfaces that meet in one point

  InstanceTree tree_;
  std::vector<CastInstance> instances_;
};

RayCaster::RayCaster(Executor& executor, Isa isa) : impl_(std::make_unique<Impl>(executor, isa)) {}
RayCaster::~RayCaster() = default;
RayCaster::RayCaster(RayCaster&&) noexcept = default;
RayCaster& RayCaster::operator=(RayCaster&&) noexcept = default;
void RayCaster::update(std::vector<CastInstance> instances) { impl_->update(std::move(instances)); }
const std::vector<CastInstance>& RayCaster::instances() const { return impl_->instances(); }
void RayCaster::cast(const RayLanes& rays, HitLanes& hits) const { impl_->cast(rays, hits); }

}  // namespace fathom
