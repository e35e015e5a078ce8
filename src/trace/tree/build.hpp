// SPDX-License-Identifier: MIT
#pragma once
// The trees of the host: their memory, and how they are built and refitted. The shape of a tree changes the speed of
// casts and no result.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <sys/mman.h>
#include <type_traits>
#include <vector>

#include <fathom/core/compute.hpp>

#include "trace/tree/layout.hpp"

namespace fathom {

/// Puts large arrays with random access into pages of 2 MiB if the system has them: their addresses then fit into the
/// processor's cache. Rays over a million triangles are 4 to 5 % faster.
template <class T>
class LargePages {
 public:
  using value_type = T;
  using is_always_equal = std::true_type;

  LargePages() = default;
  template <class U>
  explicit LargePages(const LargePages<U>&) {}

  T* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
    const std::size_t bytes = count * sizeof(T), align = alignment_of(bytes);
    void* memory = ::operator new (bytes, std::align_val_t{align});
#ifdef MADV_HUGEPAGE
    // Only whole pages, because others may use the last one. A system without such pages refuses without harm.
    if (align == kPage) (void)madvise(memory, bytes / kPage * kPage, MADV_HUGEPAGE);
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    ::operator delete (memory, std::align_val_t{alignment_of(count * sizeof(T))});
  }
  bool operator==(const LargePages&) const { return true; }

 private:
  static constexpr std::size_t kPage = std::size_t{1} << 21U;
  /// Smaller arrays would waste much of a page.
  static std::size_t alignment_of(std::size_t bytes) { return bytes >= 2 * kPage ? kPage : alignof(T); }
};

template <class T>
using LargeVector = std::vector<T, LargePages<T>>;

}  // namespace fathom

namespace fathom::tree {

/// The tree of a mesh; node 0 is the root, without children if the mesh has no triangles.
struct MeshTree {
  LargeVector<Node> nodes;
  LargeVector<Leaf> leaves;
  Box bounds;
  float typical_area = 0.0F;  ///< typical_area() at the build
  std::uint32_t number = 0;   ///< among the meshes of a scene
};

/// Nodes over boxes, and the boxes of their leaves: `count` numbers in `order`, from `first` on.
struct Leaves {
  struct Range {
    std::uint32_t first, count;
  };
  LargeVector<Node> nodes;
  std::vector<Range> leaves;
  std::vector<std::uint32_t> order;
};

/// Builds nodes by the surface area heuristic over 16 bins an axis (I. Wald, "On fast construction of SAH-based
/// bounding volume hierarchies", 2007), with eight children. Keeps its memory from call to call.
class NodeBuilder {
 public:
  NodeBuilder();
  ~NodeBuilder();
  NodeBuilder(NodeBuilder&&) noexcept;
  NodeBuilder& operator=(NodeBuilder&&) noexcept;

  /// `boxes`: [boxes]; omits empty ones. `leaf_size`: most boxes of a leaf, 1 to 4. In out.nodes a child comes after
  /// its parent.
  void build(std::span<const Box> boxes, std::uint32_t leaf_size, Executor& executor, Leaves& out);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

/// `leaf_size`: most triangles of a leaf, up to kLeafTriangles; no result depends on it.
MeshTree build_mesh(std::span<const std::array<float, 3>> vertices,
                    std::span<const std::array<std::uint32_t, 3>> triangles, Executor& executor,
                    std::uint32_t leaf_size = kLeafTriangles);

/// The mean area of the triangle that a ray hits: sum(area^2) / sum(area); 0 without triangles. It decides how
/// neighbouring rays are cast. The same bits for any number of threads.
double typical_area(std::span<const std::array<float, 3>> vertices,
                    std::span<const std::array<std::uint32_t, 3>> triangles, Executor& executor);

/// Moves the vertices of a tree, and updates its boxes.
void refit_mesh(std::span<const std::array<float, 3>> vertices, std::span<const std::array<std::uint32_t, 3>> triangles,
                Executor& executor, MeshTree& tree);

/// The box around all triangles, MeshTree::bounds.
Box bounds_of(std::span<const std::array<float, 3>> vertices, std::span<const std::array<std::uint32_t, 3>> triangles,
              Executor& executor);

/// The nodes of a tree by height: a refit finishes nodes before `ends[h]` before it begins later ones.
struct RefitOrder {
  static constexpr std::size_t kGroup = 16;  ///< nodes of one height fill groups of this size, with kNone at the end

  std::vector<std::uint32_t> nodes;
  std::vector<std::uint32_t> ends;  ///< [heights]: the end of the nodes of a height; multiples of kGroup
};
RefitOrder refit_order(const MeshTree& tree);

/// Arrays for a Refit.
inline const float (*vertices_of(std::span<const std::array<float, 3>> vertices))[3] {
  return reinterpret_cast<const float(*)[3]>(vertices.data());
}
inline const std::uint32_t (*triangles_of(std::span<const std::array<std::uint32_t, 3>> triangles))[3] {
  return reinterpret_cast<const std::uint32_t(*)[3]>(triangles.data());
}

}  // namespace fathom::tree
