// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

#include "parts/lanes.hpp"
#include "parts/surface.hpp"
#include "parts/tracer.hpp"
#include "scene/mesh.hpp"
#include "trace/caster.hpp"
#include "trace/tile.hpp"

namespace fathom {

void validate(const CastMesh& shared) {
  const Mesh& mesh = shared.mesh;
  if (mesh.vertices_m.empty() || mesh.triangles.empty()) throw InputError("mesh is empty");
  for (std::size_t i = 0; i < mesh.vertices_m.size(); ++i) {
    for (const float c : mesh.vertices_m[i]) {
      if (!std::isfinite(c)) throw InputError(fmt::format("vertex {} = {} is not finite", i, c));
    }
  }
  if (!std::isfinite(norm(mesh.origin_m))) throw InputError("the origin of the mesh is not finite");
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    for (const std::uint32_t index : mesh.triangles[i]) {
      if (index >= mesh.vertices_m.size()) {
        throw InputError(
            fmt::format("triangle {}: vertex index {} is not in [0, {})", i, index, mesh.vertices_m.size()));
      }
    }
  }
  if (!shared.uv.empty() && shared.uv.size() != mesh.vertices_m.size()) {
    throw InputError(fmt::format("{} texture coordinates for {} vertices", shared.uv.size(), mesh.vertices_m.size()));
  }
}

namespace {

/// The planes of all triangles, in the memory of `planes`.
std::vector<Plane> planes_of(const Mesh& mesh, Executor& executor, std::vector<Plane> planes = {}) {
  planes.resize(mesh.triangles.size());
  executor.parallel_for(planes.size(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto& corner = mesh.triangles[i];
      const Vec3 n = area_normal(mesh, corner);
      planes[i] = {{n.x, n.y, n.z, dot(n, vertex_of(mesh, corner[0]))}};
    }
  });
  return planes;
}

Placed place(const Affine& mesh_from_world, const Plane* planes) {
  Placed placed = {{}, planes};
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 4; ++k) placed.row[i].part[k] = (k == 3 ? -1.0 : 1.0) * mesh_from_world.m[i][k];
  }
  return placed;
}

}  // namespace

class RayCaster::Impl {
 public:
  Impl(Executor& executor, const Compute& compute)
      : executor_(executor), lanes_(trace_kernels(compute.isa)), caster_(make_instance_caster(compute.isa, executor)) {}

  void update(std::vector<CastInstance> instances) {
    for (const CastInstance& instance : instances) {
      if (instance.mesh == nullptr) throw InputError("an instance needs a mesh");
    }
    caster_->update(instances);  // before dropping the old list: the tree and the planes identify meshes by address
    planes_.update(
        instances, [&](const Mesh& mesh) { return planes_of(mesh, executor_); },
        [&](const Mesh& mesh, std::vector<Plane>& planes) { planes = planes_of(mesh, executor_, std::move(planes)); });
    placed_.clear();
    for (const CastInstance& instance : instances) {
      const std::vector<Plane>& planes = planes_.at(*instance.mesh).of;
      const Affine world_from_origin = at_mesh_origin(instance.world_from_mesh, instance.mesh->mesh);
      placed_.push_back(place(inverse(world_from_origin).value_or(Affine{}), planes.data()));
    }
    planes_.finish();
    instances_ = std::move(instances);
  }

  [[nodiscard]] const std::vector<CastInstance>& instances() const { return instances_; }

  void cast(const RayLanes& rays, HitLanes& hits) const {
    AskedLanes asked;
    PlaneLanes planes;
    lanes_.ask(rays, asked);
    caster_->cast(rays, {asked.active, 0.0F, asked.far, asked.coherent}, {hits.instance, hits.triangle, asked.t});
    lanes_.planes(placed_.data(), hits, rays.count, planes);
    lanes_.place(rays, planes, asked, hits);
    for (std::uint32_t i = 0; i < rays.count && asked.any_again != 0; ++i) {
      if (asked.again[i] != 0) look_beyond(rays, i, asked.t[i], hits);
    }
  }

 private:
  /// Replaces an invalid hit by the next valid one along the ray, or by a miss.
  void look_beyond(const RayLanes& rays, std::uint32_t i, float rough, HitLanes& hits) const {
    HitLanes found;
    AskedLanes asked;
    PlaneLanes planes;
    const float v[7] = {rays.ox[i], rays.oy[i], rays.oz[i], rays.dx[i], rays.dy[i], rays.dz[i], rays.far[i]};
    float lanes[7][kPacketRays];
    for (int k = 0; k < 7; ++k) std::fill_n(lanes[k], kPacketRays, v[k]);
    const std::int32_t active[kPacketRays] = {-1};
    const RayLanes one = {lanes[0], lanes[1], lanes[2], lanes[3], lanes[4], lanes[5], lanes[6], active, 1};
    lanes_.ask(one, asked);
    for (int attempt = 0; attempt < kMaxOwnSurfaces; ++attempt) {
      const float near = std::nextafter(std::max(rough, 0.0F), math::kInfinity);
      caster_->cast(one, {asked.active, near, asked.far, nullptr}, {found.instance, found.triangle, asked.t});
      if (found.instance[0] == kNoInstance) break;
      lanes_.planes(placed_.data(), found, 1, planes);
      lanes_.place(one, planes, asked, found);
      if (asked.again[0] == 0) {
        hits.instance[i] = found.instance[0], hits.triangle[i] = found.triangle[0];
        hits.t[i] = found.t[0], hits.distance_m[i] = found.distance_m[0];
        return;
      }
      rough = asked.t[0];
    }
    hits.instance[i] = kNoInstance;
  }

  static constexpr int kMaxOwnSurfaces = 16;  ///< surfaces that meet at one point

  Executor& executor_;
  const TraceKernels& lanes_;
  std::unique_ptr<InstanceCaster> caster_;
  std::vector<CastInstance> instances_;
  std::vector<Placed> placed_;             // [instances]
  KeptByMesh<std::vector<Plane>> planes_;  // [triangles] of each
};

RayCaster::RayCaster(Executor& executor, const Compute& compute)
    : impl_((validate(compute), std::make_unique<Impl>(executor, compute))) {}
RayCaster::~RayCaster() = default;
RayCaster::RayCaster(RayCaster&&) noexcept = default;
RayCaster& RayCaster::operator=(RayCaster&&) noexcept = default;
void RayCaster::update(std::vector<CastInstance> instances) { impl_->update(std::move(instances)); }
const std::vector<CastInstance>& RayCaster::instances() const { return impl_->instances(); }
void RayCaster::cast(const RayLanes& rays, HitLanes& hits) const { impl_->cast(rays, hits); }

}  // namespace fathom
