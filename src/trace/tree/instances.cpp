// SPDX-License-Identifier: MIT
#include "trace/tree/instances.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace fathom::tree {

void Meshes::sync(const Scene& scene, Walker walker) {
  for (std::size_t i = 0; i < scene.meshes().size(); ++i) {
    const Mesh& mesh = scene.meshes()[i];
    const std::uint32_t version = scene.mesh_version(static_cast<MeshId>(i));
    if (i == meshes_.size()) {
      meshes_.push_back({std::make_unique<MeshTree>(build_mesh(mesh.vertices_m, mesh.triangles, executor_)), version});
      meshes_.back().tree->number = static_cast<std::uint32_t>(i);
    }
    Entry& entry = meshes_[i];  // only read if nothing changes, because forks share it
    if (entry.version != version) {
      entry.late = true, entry.version = version;
      if (walker == Walker::kDevice) entry.tree->bounds = bounds_of(mesh.vertices_m, mesh.triangles, executor_);
    }
    if (entry.late) entry.source = &mesh;
    if (entry.late && walker == Walker::kProcessor) {
      refit_mesh(mesh.vertices_m, mesh.triangles, executor_, *entry.tree);
      entry.late = false;
    }
  }
}

namespace {

/// Above the rounding of corners of a box in single precision, as a share of the largest coordinate.
constexpr float kBoxSlack = 0x1p-20F;

/// Slack of boxes of instances as a share of the largest distance (docs/tracer.md), for maps that skew no more than
/// rotations and scales along the axes of a mesh.
constexpr float kWorldSlack = 0x1p-17F;
constexpr float kRigidSkew = 3.0F;

/// A box in the world around the box of a mesh.
Box box_in_world(const Box& mesh, const Affine& a) {
  Box box;
  float largest = 0.0F;
  for (int k = 0; k < 8; ++k) {
    const Vec3 corner = {(k & 1) != 0 ? mesh.hi[0] : mesh.lo[0], (k & 2) != 0 ? mesh.hi[1] : mesh.lo[1],
                         (k & 4) != 0 ? mesh.hi[2] : mesh.lo[2]};
    const Vec3 p = transform_point(a, corner);
    const std::array<float, 3> place = {static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)};
    box.add(place);
    for (const float c : place) largest = std::max(largest, std::abs(c));
  }
  for (int i = 0; i < 3; ++i) box.lo[i] -= kBoxSlack * largest, box.hi[i] += kBoxSlack * largest;
  return box;
}

/// The largest scale, also of inverses, that directions of up to 1e15 allow in single precision.
constexpr double kLargestEntry = 1e18;

bool is_moderate(const Affine& a) {
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      if (!(std::abs(a.m[r][c]) <= kLargestEntry)) return false;
    }
  }
  return true;
}

/// The largest entry of |A| |B|: the growth of roundings of a ray on the way into the frame of a mesh and back.
float skew_of(const Affine& a, const Affine& b) {
  double most = 0.0;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      double sum = 0.0;
      for (int k = 0; k < 3; ++k) sum += std::abs(a.m[r][k]) * std::abs(b.m[k][c]);
      most = std::max(most, sum);
    }
  }
  return static_cast<float>(most);
}

}  // namespace

void Instances::place(std::size_t i, const MeshTree& tree, const Affine& world_from_mesh, std::uint32_t mask,
                      bool one_sided) {
  if (i >= instances_.size()) resize(i + 1);
  touch(i);
  boxes_[i] = {}, skews_[i] = 0.0F;
  const std::optional<Affine> back = inverse(world_from_mesh);
  if (!back || !is_moderate(*back) || !is_moderate(world_from_mesh) || tree.bounds.empty()) return;
  Instance& instance = instances_[i];
  instance.nodes = tree.nodes.data(), instance.leaves = tree.leaves.data();
  instance.bounds = tree.bounds, instance.typical_area = tree.typical_area, instance.mesh = tree.number;
  instance.mask = mask, instance.one_sided = one_sided, instance.key_count = 0;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      instance.map.inverse[3 * c + r] = back->m[r][c];
      instance.map.m_from_w[3 * c + r] = static_cast<float>(back->m[r][c]);
      instance.w_from_m[3 * c + r] = static_cast<float>(world_from_mesh.m[r][c]);
    }
    instance.map.at[r] = world_from_mesh.m[r][3];
  }
  boxes_[i] = box_in_world(tree.bounds, world_from_mesh);
  skews_[i] = skew_of(world_from_mesh, *back);
}

void Instances::move(std::size_t i, std::span<const MotionSample> samples, double rounding_m) {
  Instance& instance = instances_[i];
  if (boxes_[i].empty()) return;
  touch(i);
  instance.first_key = static_cast<std::uint32_t>(keys_.size());
  instance.key_count = static_cast<std::uint32_t>(samples.size());
  for (const MotionSample& sample : samples) keys_.push_back(sample.key);
  if (samples.size() == 1 && samples.front().key.time_s == 0.0) return;  // it is where it was placed
  Box swept;
  for (const MotionSample& sample : samples) {
    swept.add(box_in_world(instance.bounds, sample.world_from_mesh));
    const std::optional<Affine> back = inverse(sample.world_from_mesh);
    if (back) skews_[i] = std::max(skews_[i], skew_of(sample.world_from_mesh, *back));
  }
  // Above the distance between the way of a corner and the lines between its places at keys.
  const float slack = 4.0F * static_cast<float>(kMotionErrorM + rounding_m);
  for (int a = 0; a < 3; ++a) swept.lo[a] -= slack, swept.hi[a] += slack;
  boxes_[i].add(swept);
}

void Instances::truncate(std::size_t count) {
  if (count < instances_.size()) resize(count);
}

void Instances::resize(std::size_t count) {
  instances_.resize(count), boxes_.resize(count), skews_.resize(count), revisions_.resize(count);
}

void Instances::settle() {
  Box bounds;
  for (const Box& box : boxes_) bounds.add(box);
  float skew = kRigidSkew;
  for (const float s : skews_) skew = std::max(skew, s);
  world_ = {.nodes = nullptr,
            .instances = instances_.data(),
            .boxes = boxes_.data(),
            .keys = keys_.data(),
            .bounds = bounds,
            .slack = kWorldSlack * (skew / kRigidSkew),
            .instance_count = static_cast<std::uint32_t>(instances_.size()),
            .key_count = static_cast<std::uint32_t>(keys_.size()),
            .revision = world_.revision + 1,
            .revisions = revisions_.data()};
}

void Instances::build(Executor& executor) {
  builder_.build(boxes_, 1, executor, nodes_);
  for (Node& node : nodes_.nodes) {
    for (std::uint32_t& child : node.child) {
      if (child == kNone || (child & kLeafBit) == 0) continue;
      child = kLeafBit | nodes_.order[nodes_.leaves[child & ~kLeafBit].first];  // the instance itself
    }
  }
  world_.nodes = nodes_.nodes.data();
}

}  // namespace fathom::tree
