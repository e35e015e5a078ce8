#include <fathom/cast.hpp>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include <fathom/error.hpp>

#include "cast/embree/instance_tree.hpp"
#include "trace/surface.hpp"
#include "trace/trace_lanes.hpp"

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

/// The plane of a triangle in the frame of its mesh: n . p = c.
struct Plane {
  Vec3 n;
  double c;
};

/// The planes of all triangles of a mesh, as they were at one version of it.
struct Planes {
  std::vector<Plane> of;  // [triangles]
  std::uint32_t version = 0;
  bool used = true;
};

void compute(const Mesh& mesh, Executor& executor, std::vector<Plane>& planes) {
  planes.resize(mesh.triangles.size());
  executor.parallel_for(planes.size(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto& corner = mesh.triangles[i];
      const Vec3 a = vertex_of(mesh, corner[0]);
      const Vec3 n = cross(vertex_of(mesh, corner[1]) - a, vertex_of(mesh, corner[2]) - a);
      planes[i] = {n, dot(n, a)};
    }
  });
}

/// An instance as hits on it need it: planes n . p = c of its mesh lie in the world at (B^T n) . p = c - n . t, where
/// B p + t is mesh_from_world.
struct Placed {
  Affine mesh_from_world;
  const Plane* planes;
};

}  // namespace

class RayCaster::Impl {
 public:
  Impl(Executor& executor, Isa isa) : executor_(executor), lanes_(trace_kernels(isa)), tree_(executor, isa) {}

  void update(std::vector<CastInstance> instances) {
    for (const CastInstance& instance : instances) {
      if (instance.mesh == nullptr) throw InputError("an instance needs a mesh");
    }
    tree_.update(instances);  // before the old list goes: the tree and the planes know meshes by their address
    for (auto& [mesh, planes] : planes_) planes.used = false;
    placed_.clear();
    for (const CastInstance& instance : instances) {
      placed_.push_back({inverse(instance.world_from_mesh).value_or(Affine{}), planes_of(*instance.mesh)});
    }
    std::erase_if(planes_, [](const auto& entry) { return !entry.second.used; });
    instances_ = std::move(instances);
  }

  [[nodiscard]] const std::vector<CastInstance>& instances() const { return instances_; }

  void cast(const RayLanes& rays, HitLanes& hits) const {
    AskedLanes asked;
    PlaneLanes planes;
    lanes_.ask(rays, asked);
    tree_.cast(rays, {asked.active, 0.0F, asked.far, asked.coherent}, {hits.instance, hits.triangle, asked.t});
    load_planes(hits, rays.count, planes);
    lanes_.place(rays, planes, asked, hits);
    for (std::uint32_t i = 0; i < rays.count; ++i) {
      if (asked.again[i] != 0 && hits.instance[i] != kNoInstance) look_beyond(rays, i, asked.t[i], hits);
    }
  }

 private:
  const Plane* planes_of(const CastMesh& mesh) {
    const auto [entry, fresh] = planes_.try_emplace(&mesh);
    Planes& planes = entry->second;
    if (fresh || planes.version != mesh.version) compute(mesh.mesh, executor_, planes.of);
    planes.version = mesh.version;
    planes.used = true;
    return planes.of.data();
  }

  /// The planes that rays hit, in the world; for a miss, one that is harmless. Rays that follow each other often hit
  /// the same triangle, whose plane is then at hand.
  void load_planes(const HitLanes& hits, std::uint32_t count, PlaneLanes& planes) const {
    Plane plane = kNowhere;
    std::uint32_t instance = kNoInstance, triangle = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (hits.instance[i] != instance || hits.triangle[i] != triangle) {
        instance = hits.instance[i], triangle = hits.triangle[i];
        plane = instance == kNoInstance ? kNowhere : plane_in_world(placed_[instance], triangle);
      }
      planes.nx[i] = plane.n.x, planes.ny[i] = plane.n.y, planes.nz[i] = plane.n.z, planes.c[i] = plane.c;
    }
  }

  static Plane plane_in_world(const Placed& placed, std::uint32_t triangle) {
    const auto& [n, c] = placed.planes[triangle];
    const auto& b = placed.mesh_from_world.m;
    return {{b[0][0] * n.x + b[1][0] * n.y + b[2][0] * n.z, b[0][1] * n.x + b[1][1] * n.y + b[2][1] * n.z,
             b[0][2] * n.x + b[1][2] * n.y + b[2][2] * n.z},
            c - (b[0][3] * n.x + b[1][3] * n.y + b[2][3] * n.z)};
  }

  /// For a ray whose hit does not count: the next one that does, if the ray reaches that far.
  void look_beyond(const RayLanes& rays, std::uint32_t i, float rough, HitLanes& hits) const {
    HitLanes found;
    AskedLanes asked;
    PlaneLanes planes;
    const float v[7] = {rays.ox[i], rays.oy[i], rays.oz[i], rays.dx[i], rays.dy[i], rays.dz[i], rays.far[i]};
    float lanes[7][16];
    for (int k = 0; k < 7; ++k) std::fill_n(lanes[k], 16, v[k]);
    const std::int32_t active[16] = {-1};
    const RayLanes one = {lanes[0], lanes[1], lanes[2], lanes[3], lanes[4], lanes[5], lanes[6], active, 1};
    lanes_.ask(one, asked);
    for (int attempt = 0; attempt < kMaxOwnSurfaces; ++attempt) {
      const float near = std::nextafter(std::max(rough, 0.0F), math::kInfinity);
      tree_.cast(one, {asked.active, near, asked.far, nullptr}, {found.instance, found.triangle, asked.t});
      if (found.instance[0] == kNoInstance) break;
      load_planes(found, 1, planes);
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

  static constexpr Plane kNowhere = {{1.0, 1.0, 1.0}, 0.0};
  static constexpr int kMaxOwnSurfaces = 16;  ///< surfaces that meet in one point

  Executor& executor_;
  const TraceKernels& lanes_;
  InstanceTree tree_;
  std::vector<CastInstance> instances_;
  std::vector<Placed> placed_;  // [instances]
  std::unordered_map<const CastMesh*, Planes> planes_;
};

RayCaster::RayCaster(Executor& executor, Isa isa) : impl_(std::make_unique<Impl>(executor, isa)) {}
RayCaster::~RayCaster() = default;
RayCaster::RayCaster(RayCaster&&) noexcept = default;
RayCaster& RayCaster::operator=(RayCaster&&) noexcept = default;
void RayCaster::update(std::vector<CastInstance> instances) { impl_->update(std::move(instances)); }
const std::vector<CastInstance>& RayCaster::instances() const { return impl_->instances(); }
void RayCaster::cast(const RayLanes& rays, HitLanes& hits) const { impl_->cast(rays, hits); }

}  // namespace fathom
