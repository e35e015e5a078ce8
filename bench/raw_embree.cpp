// SPDX-License-Identifier: MIT
#include "raw_embree.hpp"

#include <cstring>
#include <string>

namespace fathom::bench {

namespace {

RTCDevice new_device(Isa isa) {
  const std::string limit = isa < detect_isa() ? "isa=" + std::string(to_string(isa)) : "";
  return rtcNewDevice(limit.c_str());
}

}  // namespace

RawEmbree::RawEmbree(const Scene& scene, Isa isa) : device_(new_device(isa)), top_(rtcNewScene(device_)) {
  for (const Mesh& mesh : scene.meshes()) {
    RTCGeometry geometry = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_TRIANGLE);
    std::memcpy(
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 12, mesh.vertices_m.size()),
        mesh.vertices_m.data(), 12 * mesh.vertices_m.size());
    std::memcpy(
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 12, mesh.triangles.size()),
        mesh.triangles.data(), 12 * mesh.triangles.size());
    rtcCommitGeometry(geometry);
    RTCScene tree = rtcNewScene(device_);
    rtcSetSceneFlags(tree, RTC_SCENE_FLAG_ROBUST);
    rtcAttachGeometry(tree, geometry);
    rtcReleaseGeometry(geometry);
    rtcCommitScene(tree);
    trees_.push_back(tree);
  }
  rtcSetSceneFlags(top_, RTC_SCENE_FLAG_ROBUST);
  for (std::size_t e = 0; e < scene.entities().size(); ++e) {
    const Entity& entity = scene.entities()[e];
    if (entity.mesh == kNoMesh) continue;
    const Pose pose = scene.world_from_entity(static_cast<EntityId>(e), 0.0);
    const Vec3 x = entity.scale.x * rotate(pose.rotation, {1, 0, 0});
    const Vec3 y = entity.scale.y * rotate(pose.rotation, {0, 1, 0});
    const Vec3 z = entity.scale.z * rotate(pose.rotation, {0, 0, 1});
    const Vec3 t = pose.translation_m;
    const auto f = [](double v) { return static_cast<float>(v); };
    const float matrix[12] = {f(x.x), f(x.y), f(x.z), f(y.x), f(y.y), f(y.z),
                              f(z.x), f(z.y), f(z.z), f(t.x), f(t.y), f(t.z)};
    RTCGeometry instance = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_INSTANCE);
    rtcSetGeometryInstancedScene(instance, trees_[index(entity.mesh)]);
    rtcSetGeometryTransform(instance, 0, RTC_FORMAT_FLOAT3X4_COLUMN_MAJOR, matrix);
    rtcCommitGeometry(instance);
    rtcAttachGeometryByID(top_, instance, static_cast<unsigned>(e));
    rtcReleaseGeometry(instance);
  }
  rtcCommitScene(top_);
}

RawEmbree::~RawEmbree() {
  rtcReleaseScene(top_);
  for (RTCScene tree : trees_) rtcReleaseScene(tree);
  rtcReleaseDevice(device_);
}

namespace {

struct Width16 {
  static constexpr unsigned kRays = 16;
  using Packet = RTCRayHit16;
  static constexpr auto kIntersect = rtcIntersect16;
};
struct Width8 {
  static constexpr unsigned kRays = 8;
  using Packet = RTCRayHit8;
  static constexpr auto kIntersect = rtcIntersect8;
};

}  // namespace

template <class Width>
void RawEmbree::intersect_packets(const RawRays& rays, bool coherent, float* range, std::uint32_t* id) const {
  constexpr unsigned kRays = Width::kRays, kBytes = 4 * kRays;
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  context.flags = coherent ? RTC_INTERSECT_CONTEXT_FLAG_COHERENT : RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT;
  alignas(64) int valid[kRays];
  typename Width::Packet packet;
  for (unsigned k = 0; k < kRays; ++k) {
    valid[k] = -1;
    packet.ray.org_x[k] = rays.origin[0], packet.ray.org_y[k] = rays.origin[1], packet.ray.org_z[k] = rays.origin[2];
    packet.ray.tnear[k] = 0.0F, packet.ray.time[k] = 0.0F, packet.ray.mask[k] = ~0U;
    packet.ray.id[k] = 0, packet.ray.flags[k] = 0;
  }
  for (std::size_t i = 0; i < rays.dx.size(); i += kRays) {
    std::memcpy(packet.ray.dir_x, rays.dx.data() + i, kBytes);
    std::memcpy(packet.ray.dir_y, rays.dy.data() + i, kBytes);
    std::memcpy(packet.ray.dir_z, rays.dz.data() + i, kBytes);
    for (unsigned k = 0; k < kRays; ++k) {
      packet.ray.tfar[k] = __builtin_inff();
      packet.hit.geomID[k] = packet.hit.instID[0][k] = RTC_INVALID_GEOMETRY_ID;
    }
    Width::kIntersect(valid, top_, &context, &packet);
    std::memcpy(range + i, packet.ray.tfar, kBytes);
    std::memcpy(id + i, packet.hit.instID[0], kBytes);
  }
}

void RawEmbree::intersect(const RawRays& rays, RawMode mode, float* range, std::uint32_t* id) const {
  const bool coherent = mode == RawMode::k16Coherent || mode == RawMode::k8Coherent;
  if (mode == RawMode::k1) return intersect1(rays, range, id);
  if (mode == RawMode::k16Coherent || mode == RawMode::k16)
    return intersect_packets<Width16>(rays, coherent, range, id);
  intersect_packets<Width8>(rays, coherent, range, id);
}

void RawEmbree::occluded16(const RawSights& rays, std::uint32_t* blocked) const {
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  alignas(64) int valid[16];
  RTCRay16 packet;
  for (unsigned k = 0; k < 16; ++k) {
    packet.org_x[k] = rays.origin[0], packet.org_y[k] = rays.origin[1], packet.org_z[k] = rays.origin[2];
    packet.tnear[k] = 0.0F, packet.time[k] = 0.0F, packet.mask[k] = ~0U, packet.id[k] = 0, packet.flags[k] = 0;
  }
  for (std::size_t i = 0; i < rays.dx.size(); i += 16) {
    std::memcpy(packet.dir_x, rays.dx.data() + i, 64);
    std::memcpy(packet.dir_y, rays.dy.data() + i, 64);
    std::memcpy(packet.dir_z, rays.dz.data() + i, 64);
    std::memcpy(packet.tfar, rays.tfar.data() + i, 64);
    int any = 0;
    for (unsigned k = 0; k < 16; ++k) any |= valid[k] = packet.tfar[k] > 0.0F ? -1 : 0;
    if (any != 0) rtcOccluded16(valid, top_, &context, &packet);
    for (unsigned k = 0; k < 16; ++k) blocked[i + k] = packet.tfar[k] < 0.0F ? 1 : 0;
  }
}

void RawEmbree::occluded1(const RawSights& rays, std::uint32_t* blocked) const {
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  for (std::size_t i = 0; i < rays.dx.size(); ++i) {
    blocked[i] = 0;
    if (rays.tfar[i] <= 0.0F) continue;
    RTCRay r;
    r.org_x = rays.origin[0], r.org_y = rays.origin[1], r.org_z = rays.origin[2];
    r.dir_x = rays.dx[i], r.dir_y = rays.dy[i], r.dir_z = rays.dz[i];
    r.tnear = 0.0F, r.tfar = rays.tfar[i], r.time = 0.0F, r.mask = ~0U, r.id = 0, r.flags = 0;
    rtcOccluded1(top_, &context, &r);
    blocked[i] = r.tfar < 0.0F ? 1 : 0;
  }
}

void RawEmbree::intersect1(const RawRays& rays, float* range, std::uint32_t* id) const {
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  for (std::size_t i = 0; i < rays.dx.size(); ++i) {
    RTCRayHit r;
    r.ray.org_x = rays.origin[0], r.ray.org_y = rays.origin[1], r.ray.org_z = rays.origin[2];
    r.ray.dir_x = rays.dx[i], r.ray.dir_y = rays.dy[i], r.ray.dir_z = rays.dz[i];
    r.ray.tnear = 0.0F, r.ray.tfar = __builtin_inff(), r.ray.time = 0.0F;
    r.ray.mask = ~0U, r.ray.id = 0, r.ray.flags = 0;
    r.hit.geomID = r.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
    rtcIntersect1(top_, &context, &r);
    range[i] = r.ray.tfar;
    id[i] = r.hit.instID[0];
  }
}

}  // namespace fathom::bench
