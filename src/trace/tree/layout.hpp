// SPDX-License-Identifier: MIT
#pragma once
// The trees as flat arrays of plain structs for hosts and devices: indices instead of pointers, eight children per
// node, four triangles per leaf.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace fathom::tree {

inline constexpr std::uint32_t kNone = 0xffffffffU;              ///< no child, no triangle, no instance
inline constexpr std::uint32_t kLeafBit = 0x80000000U;           ///< marks a child that is a leaf
inline constexpr std::uint32_t kLeafTriangles = 4;               ///< most that a leaf of a mesh holds
inline constexpr std::uint32_t kWidth = 8;                       ///< children of a node
inline constexpr std::uint32_t kMaxDepth = 40;                   ///< levels of nodes, a limit of the builder
inline constexpr std::uint32_t kSortedDepth = 11;                ///< levels of a SortedTree: 8^11 is beyond 2^32
inline constexpr std::uint32_t kStack = 7 * kMaxDepth + kWidth;  ///< open entries of a walk

/// Boxes of eight children, by axis. A child is kLeafBit | leaf, the number of a node, or kNone. Existing children come
/// first; the box of kNone is empty: lo = +inf, hi = -inf.
struct alignas(64) Node {
  float lo[3][kWidth], hi[3][kWidth];
  std::uint32_t child[kWidth];
  std::uint32_t spare[kWidth];
};

/// Four triangles, by corner and axis; kNone in `id` behind the last.
struct alignas(32) Leaf {
  float v[3][3][kLeafTriangles];
  std::uint32_t id[kLeafTriangles];
};

struct Box {
  float lo[3] = {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::infinity(),
                 std::numeric_limits<float>::infinity()};
  float hi[3] = {-std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                 -std::numeric_limits<float>::infinity()};

  [[nodiscard]] bool empty() const { return !(lo[0] <= hi[0]); }
  void add(const std::array<float, 3>& point) {
    for (int a = 0; a < 3; ++a) lo[a] = std::min(lo[a], point[a]), hi[a] = std::max(hi[a], point[a]);
  }
  void add(const Box& o) {
    for (int a = 0; a < 3; ++a) lo[a] = std::min(lo[a], o.lo[a]), hi[a] = std::max(hi[a], o.hi[a]);
  }
};

/// The map from the world `w` into the frame of a mesh `m`.
struct MeshMap {
  double inverse[9];         ///< linear part for origins, column-major
  double at[3];              ///< origin of the mesh in the world
  float m_from_w[9], spare;  ///< `inverse` in single precision, for directions
};

/// The map of a moving mesh at a time of a scan. Between two keys each number is linear in time.
struct MotionKey {
  double time_s;        ///< after the stamp of the scan
  double per_s;         ///< 1 over the time to the next key; 0 for the last key
  double inverse[9];    ///< as MeshMap
  double at[3];         ///< as MeshMap
  double velocity[3];   ///< of `at`, m/s
  double turn_rate[3];  ///< of the mesh about `at`, rad/s, world axes
};

/// A mesh in the world. If it moves, `map` holds at the stamp of the scan.
struct Instance {
  const Node* nodes;
  const Leaf* leaves;
  Box bounds;          ///< of the mesh, m
  float typical_area;  ///< of its triangles, m
  MeshMap map;
  float w_from_m[9];                   ///< inverse of map.m_from_w, for side planes
  std::uint32_t mesh;                  ///< MeshTree::number
  std::uint32_t first_key, key_count;  ///< in World::keys; no key: it does not move
  std::uint32_t mask;                  ///< visible to rays whose mask shares a bit
  bool one_sided;                      ///< rays pass through triangles from behind (Entity::one_sided)
};

/// The scene of a cast. A leaf of `nodes` is an instance.
struct World {
  const Node* nodes;  ///< null before they are built
  const Instance* instances;
  const Box* boxes;       ///< [instances], in the world, over the whole scan; empty if hidden
  const MotionKey* keys;  ///< of the instances that move; null if none moves
  Box bounds;
  float slack;  ///< of the boxes of instances, as a share of the largest distance from an origin
  std::uint32_t instance_count, key_count;
  std::uint64_t revision;          ///< counts the changes of instances
  const std::uint64_t* revisions;  ///< [instances]: the revision of the last change; null on a device
};

}  // namespace fathom::tree
