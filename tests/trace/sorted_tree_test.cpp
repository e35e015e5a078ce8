// SPDX-License-Identifier: MIT
// Trees as a device builds and refits them, thread by thread.

#include <fathom/core/compute.hpp>
#include <fathom/scene/mesh.hpp>

#include "core/compute.hpp"
#include "support/expect.hpp"
#include "trace/tree/build.hpp"
#include "trace/tree/refit.hpp"
#include "trace/tree/sorted_tree.hpp"

namespace fathom {
namespace {

using tree::Box, tree::kLeafBit, tree::kNone, tree::kWidth, tree::Node;

/// A tree over boxes, by threads in the order that `backwards` says.
class Sorted {
 public:
  Sorted(const std::vector<Box>& boxes, bool backwards) : backwards_(backwards) {
    const auto count = static_cast<std::uint32_t>(boxes.size());
    for (auto& keys : keys_) keys.assign(count, ~0ULL);
    nodes.resize(tree::sorted_nodes(count));
    Box bounds;
    for (const Box& box : boxes) bounds.add(box);
    const tree::SortedTree t = {boxes.data(), bounds, count, {keys_[0].data(), keys_[1].data()}, nodes.data()};
    for_each(count, [&](std::uint32_t i) { tree::sort_in_run(t, i); });
    for (std::uint32_t pass = 0; pass < tree::merge_passes(count); ++pass) {
      for_each(count, [&](std::uint32_t i) { tree::merge_key(t, pass, i); });
    }
    for (std::uint32_t level = 0; level <= tree::sorted_root_level(count); ++level) {
      for_each(tree::sorted_nodes_of(count, level), [&](std::uint32_t k) { tree::build_sorted_node(t, level, k); });
    }
  }

  std::vector<Node> nodes;

 private:
  /// More threads than are needed, as a device starts them.
  template <class F>
  void for_each(std::uint32_t count, F f) const {
    const std::uint32_t threads = (count + 127) / 128 * 128;
    for (std::uint32_t i = 0; i < threads; ++i) f(backwards_ ? threads - 1 - i : i);
  }
  bool backwards_;
  std::vector<std::uint64_t> keys_[2];
};

Box box_of(const Node& node, std::uint32_t k) {
  return {{node.lo[0][k], node.lo[1][k], node.lo[2][k]}, {node.hi[0][k], node.hi[1][k], node.hi[2][k]}};
}

bool same(const Box& a, const Box& b) { return std::memcmp(&a, &b, sizeof(Box)) == 0; }

/// Walks the tree and returns its leaves. Each must have the box of its instance, and existing children come first.
std::multiset<std::uint32_t> leaves_of(const std::vector<Node>& nodes, const std::vector<Box>& boxes,
                                       std::uint32_t number) {
  std::multiset<std::uint32_t> found;
  const Node& node = nodes[number];
  bool ended = false;
  for (std::uint32_t k = 0; k < kWidth; ++k) {
    const std::uint32_t child = node.child[k];
    if (child == kNone) {
      ended = true;
      EXPECT_TRUE(box_of(node, k).empty());
      continue;
    }
    EXPECT_FALSE(ended) << "a child behind none";
    if ((child & kLeafBit) != 0) {
      found.insert(child & ~kLeafBit);
      EXPECT_TRUE(same(box_of(node, k), boxes[child & ~kLeafBit]));
      continue;
    }
    EXPECT_GT(child, number) << "a child comes after its parent";
    Box around;
    for (std::uint32_t j = 0; j < kWidth; ++j) around.add(box_of(nodes[child], j));
    EXPECT_TRUE(same(box_of(node, k), around));
    found.merge(leaves_of(nodes, boxes, child));
  }
  return found;
}

std::vector<Box> any_boxes(std::size_t count) {
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  std::uniform_real_distribution<float> place(-100.0F, 100.0F), size(0.0F, 3.0F);
  const bool in_a_plane = *rc::gen::inRange(0, 4) == 0, with_twins = *rc::gen::inRange(0, 3) == 0;
  std::vector<Box> boxes(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (random() % 5 == 0) continue;  // one that is hidden
    for (int a = 0; a < 3; ++a) {
      boxes[i].lo[a] = in_a_plane && a == 2 ? 1.0F : place(random);
      boxes[i].hi[a] = boxes[i].lo[a] + (in_a_plane && a == 2 ? 0.0F : size(random));
    }
    if (with_twins && i > 0 && random() % 2 == 0) boxes[i] = boxes[i - 1];
  }
  return boxes;
}

RC_GTEST_PROP(SortedTree, HoldsEachBoxOnceForAnyOrderOfThreads, ()) {
  const auto boxes = any_boxes(*rc::gen::element<std::size_t>(0, 1, 2, 7, 8, 9, 63, 64, 65, 128, 129, 500, 513, 4097));
  const Sorted forwards(boxes, false), backwards(boxes, true);
  RC_ASSERT(forwards.nodes.size() == backwards.nodes.size());
  RC_ASSERT(std::memcmp(forwards.nodes.data(), backwards.nodes.data(), forwards.nodes.size() * sizeof(Node)) == 0);
  std::multiset<std::uint32_t> wanted;
  for (std::uint32_t i = 0; i < boxes.size(); ++i) {
    if (!boxes[i].empty()) wanted.insert(i);
  }
  RC_ASSERT(leaves_of(forwards.nodes, boxes, 0) == wanted);
}

TEST(SortedTree, PutsNeighboursIntoOneNode) {
  std::vector<Box> boxes;
  for (int i = 0; i < 64; ++i) {  // eight heaps of eight, in turns
    const auto heap = static_cast<float>(i % 8);
    boxes.push_back({{100 * heap, 0, 0}, {100 * heap + 1, 1, 1}});
  }
  const Sorted sorted(boxes, false);
  ASSERT_EQ(sorted.nodes.size(), 9U);
  for (std::uint32_t k = 0; k < kWidth; ++k)
    EXPECT_EQ(box_of(sorted.nodes[0], k).hi[0] - box_of(sorted.nodes[0], k).lo[0], 1);
}

RC_GTEST_PROP(Refit, BringsATreeToTheSameBytesAsTheProcessor, ()) {
  const auto executor = make_executor(1);
  const Mesh sphere = make_sphere(1.0, static_cast<std::uint32_t>(*rc::gen::inRange(8, 40)));
  tree::MeshTree host = tree::build_mesh(sphere.vertices_m, sphere.triangles, *executor);
  tree::MeshTree device = host;
  auto vertices = sphere.vertices_m;
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  std::uniform_real_distribution<float> shift(-0.3F, 0.3F);
  for (auto& v : vertices) {
    for (float& c : v) c += shift(random);
  }
  tree::refit_mesh(vertices, sphere.triangles, *executor, host);
  const tree::RefitOrder order = tree::refit_order(device);
  const tree::Refit refit = {tree::vertices_of(vertices), tree::triangles_of(sphere.triangles), order.nodes.data(),
                             device.nodes.data(), device.leaves.data()};
  std::uint32_t begin = 0;
  for (const std::uint32_t end : order.ends) {
    RC_ASSERT(end % tree::RefitOrder::kGroup == 0);
    for (std::uint32_t task = end * kWidth; task-- > begin * kWidth;) tree::refit_task(refit, task);
    begin = end;
  }
  RC_ASSERT(std::memcmp(host.nodes.data(), device.nodes.data(), host.nodes.size() * sizeof(Node)) == 0);
  RC_ASSERT(std::memcmp(host.leaves.data(), device.leaves.data(), host.leaves.size() * sizeof(tree::Leaf)) == 0);
  RC_ASSERT(same(tree::bounds_of(vertices, sphere.triangles, *executor), host.bounds));
}

}  // namespace
}  // namespace fathom
