// SPDX-License-Identifier: MIT
#include "trace/tree/build.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace fathom::tree {

namespace {

/// Lower bounds and negated upper bounds, so that one min grows both; the fourth values are unused.
using Four = float __attribute__((vector_size(16)));

struct Bounds {
  Four lo = {kInf, kInf, kInf, kInf}, minus_hi = {kInf, kInf, kInf, kInf};
  static constexpr float kInf = std::numeric_limits<float>::infinity();

  void add(const Bounds& b) {
    lo = lo < b.lo ? lo : b.lo;
    minus_hi = minus_hi < b.minus_hi ? minus_hi : b.minus_hi;
  }
  [[nodiscard]] float half_area() const {
    const Four size = -minus_hi - lo;
    return size[0] >= 0.0F ? size[0] * size[1] + size[1] * size[2] + size[2] * size[0] : 0.0F;
  }
};

struct Item {
  Bounds box;
  std::uint32_t number;
};

struct Range {
  std::uint32_t begin, end;
  Bounds box;
  [[nodiscard]] std::uint32_t size() const { return end - begin; }
};

/// A range and its two parts, or a leaf.
struct Fork {
  Range range;
  std::uint32_t left = kNone, right = kNone;
  float cost[kWidth + 1] = {};  ///< [children]: the least sum of node areas if that many children replace the range

  void weigh(const Fork& l, const Fork& r);
};

/// The number of `parts` children for the left fork, 1 to parts - 1, with the least sum of areas.
std::uint32_t cheapest_share(const Fork& l, const Fork& r, std::uint32_t parts) {
  std::uint32_t best = 1;
  for (std::uint32_t k = 2; k < parts; ++k) {
    if (l.cost[k] + r.cost[parts - k] < l.cost[best] + r.cost[parts - best]) best = k;
  }
  return best;
}

void Fork::weigh(const Fork& l, const Fork& r) {
  for (std::uint32_t parts = 2; parts <= kWidth; ++parts) {
    const std::uint32_t k = cheapest_share(l, r, parts);
    cost[parts] = l.cost[k] + r.cost[parts - k];
  }
  cost[1] = range.box.half_area() + cost[kWidth];
  for (std::uint32_t parts = 2; parts <= kWidth; ++parts) cost[parts] = std::min(cost[parts], cost[parts - 1]);
}

constexpr int kBins = 16;
constexpr float kLeastExtent = 1e-36F;         ///< of centres for a split: smaller bins would overflow
constexpr std::uint32_t kSubtreeItems = 1024;  ///< most items of the subtrees that tasks build
/// From this depth on ranges are halved. Then each node above tasks has an eighth of its parent's items: a task follows
/// after at most 7 levels, and its halved subtree ends within 10.
constexpr std::uint32_t kHalvedDepth = 20;

constexpr std::uint32_t kChunkItems = 16384;  ///< of a large range, for one task

/// The data for a split: the number of item centres in each bin of each axis, and the box of these items.
struct Bins {
  Bounds box[3][kBins];
  std::uint32_t count[3][kBins] = {};

  void add(const Bins& other) {
    for (int a = 0; a < 3; ++a) {
      for (int j = 0; j < kBins; ++j) box[a][j].add(other.box[a][j]), count[a][j] += other.count[a][j];
    }
  }
};

/// The bin of an axis with the centre of an item.
class Binning {
 public:
  explicit Binning(const Bounds& centers) : origin_(centers.lo) {
    const Four extent = -centers.minus_hi - centers.lo;
    for (int a = 0; a < 3; ++a) scale_[a] = extent[a] > kLeastExtent ? kBins * 0.9999F / extent[a] : 0.0F;
  }
  [[nodiscard]] bool splits(int axis) const { return scale_[axis] > 0.0F; }
  [[nodiscard]] auto operator()(const Item& item) const {
    const Four c = (item.box.lo - item.box.minus_hi - origin_) * scale_;
    return __builtin_convertvector(c, std::int32_t __attribute__((vector_size(16))));
  }

 private:
  Four origin_, scale_ = {0.0F, 0.0F, 0.0F, 0.0F};
};

class Builder {
 public:
  /// Nodes and leaves of a subtree, the root first; numbers start at 0.
  struct Subtree {
    std::vector<Node> nodes;
    std::vector<Leaves::Range> leaves;
  };

  Builder(std::vector<Item>& items, std::uint32_t leaf_size, Executor& executor)
      : items_(items), leaf_size_(leaf_size), executor_(executor) {}

  [[nodiscard]] std::uint32_t leaf_size() const { return leaf_size_; }

  [[nodiscard]] Range range_of(std::uint32_t begin, std::uint32_t end) const {
    Range r = {begin, end, {}};
    for (std::uint32_t i = begin; i < end; ++i) r.box.add(items_[i].box);
    return r;
  }

  /// Splits a range into up to eight parts: the widest first, or the fullest if ranges are halved. Returns their
  /// number, 0 for an empty range.
  std::uint32_t open(const Range& all, std::uint32_t depth, Range (&parts)[kWidth]) const {
    if (all.size() == 0) return 0;
    const bool halve = depth >= kHalvedDepth;
    std::uint32_t count = 1;
    parts[0] = all;
    while (count < kWidth) {
      int widest = -1;
      float area = -1.0F;
      for (std::uint32_t i = 0; i < count; ++i) {
        const float a = halve ? static_cast<float>(parts[i].size()) : parts[i].box.half_area();
        if (parts[i].size() > leaf_size_ && a > area) area = a, widest = static_cast<int>(i);
      }
      if (widest < 0) break;
      const Range whole = parts[widest];
      split(whole, halve, parts[widest], parts[count++]);
    }
    return count;
  }

  /// Splits a range in two down to leaves, and gathers the parts into nodes of eight with the least sum of areas: the
  /// area of a node is proportional to the rays that reach it, and its cost does not depend on its children (H. Ylitie,
  /// T. Karras, S. Laine, "Efficient incoherent ray traversal on GPUs through compressed wide BVHs", 2017, section
  /// 3.1). `forks` is memory to work in.
  void build_subtree(const Range& all, std::uint32_t depth, std::vector<Fork>& forks, Subtree& out) const {
    forks.clear();
    split_all(all, depth, forks);
    add_node(forks, 0, out);
  }

  static std::uint32_t add_leaf(const Range& range, Subtree& out) {
    out.leaves.push_back({range.begin, range.size()});
    return kLeafBit | static_cast<std::uint32_t>(out.leaves.size() - 1);
  }

  [[nodiscard]] static Node make_node(const Range (&parts)[kWidth], std::uint32_t count) {
    Node node = {};
    for (std::uint32_t i = 0; i < kWidth; ++i) {
      const Bounds box = i < count ? parts[i].box : Bounds{};
      for (int a = 0; a < 3; ++a) node.lo[a][i] = box.lo[a], node.hi[a][i] = -box.minus_hi[a];
      node.child[i] = kNone;
    }
    return node;
  }

 private:
  std::uint32_t split_all(const Range& all, std::uint32_t depth, std::vector<Fork>& forks) const {
    const auto place = static_cast<std::uint32_t>(forks.size());
    forks.push_back({all});
    if (all.size() <= leaf_size_) return place;
    Range left, right;
    split(all, depth >= kHalvedDepth, left, right);
    const std::uint32_t l = split_all(left, depth + 1, forks), r = split_all(right, depth + 1, forks);
    forks[place].left = l, forks[place].right = r;
    forks[place].weigh(forks[l], forks[r]);
    return place;
  }

  void add_node(const std::vector<Fork>& forks, std::uint32_t fork, Subtree& out) const {
    std::uint32_t from[kWidth];
    Range parts[kWidth];
    const std::uint32_t count = children(forks, fork, from);
    for (std::uint32_t i = 0; i < count; ++i) parts[i] = forks[from[i]].range;
    const std::size_t place = out.nodes.size();
    out.nodes.push_back(make_node(parts, count));
    for (std::uint32_t i = 0; i < count; ++i) {
      const bool leaf = forks[from[i]].left == kNone;
      out.nodes[place].child[i] = leaf ? add_leaf(parts[i], out) : static_cast<std::uint32_t>(out.nodes.size());
      if (!leaf) add_node(forks, from[i], out);
    }
  }

  /// The children of a node for a fork: leaves, and forks that become nodes. A root without items has no children.
  static std::uint32_t children(const std::vector<Fork>& forks, std::uint32_t fork, std::uint32_t (&parts)[kWidth]) {
    if (forks[fork].range.size() == 0) return 0;
    return forks[fork].left == kNone ? take(fork, parts, 0) : divide(forks, fork, kWidth, parts, 0);
  }

  static std::uint32_t take(std::uint32_t fork, std::uint32_t (&parts)[kWidth], std::uint32_t count) {
    parts[count] = fork;
    return count + 1;
  }

  /// Divides a fork into up to `most` parts, 2 to 8; returns the number of parts.
  static std::uint32_t divide(const std::vector<Fork>& forks, std::uint32_t fork, std::uint32_t most,
                              std::uint32_t (&parts)[kWidth], std::uint32_t count) {
    const Fork& l = forks[forks[fork].left];
    const Fork& r = forks[forks[fork].right];
    const std::uint32_t of_left = cheapest_share(l, r, most);
    count = place(forks, forks[fork].left, of_left, parts, count);
    return place(forks, forks[fork].right, most - of_left, parts, count);
  }

  /// Divides a fork into up to `most` parts, but only as far as it pays.
  static std::uint32_t place(const std::vector<Fork>& forks, std::uint32_t fork, std::uint32_t most,
                             std::uint32_t (&parts)[kWidth], std::uint32_t count) {
    while (most > 1 && forks[fork].cost[most - 1] == forks[fork].cost[most]) --most;
    return most == 1 ? take(fork, parts, count) : divide(forks, fork, most, parts, count);
  }

  void split(const Range& all, bool halve, Range& left, Range& right) const {
    if (!halve && split_by_area(all, left, right)) return;
    const std::uint32_t middle = all.begin + all.size() / 2;
    left = range_of(all.begin, middle), right = range_of(middle, all.end);
  }

  /// Returns false if all centres are equal.
  bool split_by_area(const Range& all, Range& left, Range& right) const {
    const auto centers = sum<Bounds>(all, [](const Item& item, Bounds& out) {
      const Four c = item.box.lo - item.box.minus_hi;
      out.add(Bounds{c, -c});
    });
    const Binning bin_of(centers);
    const auto bins = sum<Bins>(all, [&](const Item& item, Bins& out) {
      const auto bin = bin_of(item);
      for (int a = 0; a < 3; ++a) out.box[a][bin[a]].add(item.box), ++out.count[a][bin[a]];
    });
    float best = std::numeric_limits<float>::infinity();
    int axis = -1, at = 0;
    for (int a = 0; a < 3; ++a) {
      if (bin_of.splits(a)) improve(bins.box[a], bins.count[a], a, best, axis, at);
    }
    if (axis < 0) return false;
    const auto begin = items_.begin();
    const auto middle =
        std::partition(begin + all.begin, begin + all.end, [&](const Item& item) { return bin_of(item)[axis] < at; });
    left = {all.begin, static_cast<std::uint32_t>(middle - begin), {}};
    right = {left.end, all.end, {}};
    for (int j = 0; j < kBins; ++j) (j < at ? left : right).box.add(bins.box[axis][j]);
    return true;
  }

  /// Takes the split before bin `at` of axis a if it is cheaper than `best`.
  void improve(const Bounds (&boxes)[kBins], const std::uint32_t (&counts)[kBins], int a, float& best, int& axis,
               int& at) const {
    const auto cost_of = [&](const Bounds& box, std::uint32_t n) {
      const std::uint32_t leaves = (n + leaf_size_ - 1) / leaf_size_;
      return box.half_area() * static_cast<float>(leaves);
    };
    float right[kBins];
    std::uint32_t counts_right[kBins];
    Bounds box;
    std::uint32_t n = 0;
    for (int j = kBins - 1; j > 0; --j) {
      box.add(boxes[j]), n += counts[j];
      right[j] = cost_of(box, n), counts_right[j] = n;
    }
    box = {}, n = 0;
    for (int j = 1; j < kBins; ++j) {
      box.add(boxes[j - 1]), n += counts[j - 1];
      const float cost = cost_of(box, n) + right[j];
      if (n > 0 && counts_right[j] > 0 && cost < best) best = cost, axis = a, at = j;
    }
  }

  /// Sums over a range by f(item, sum). Sums are boxes and counts, so the order does not matter.
  template <class Sum, class F>
  Sum sum(const Range& all, F f) const {
    const auto add = [&](std::size_t begin, std::size_t end, Sum& out) {
      for (std::size_t i = begin; i < end; ++i) f(items_[i], out);
    };
    Sum total;
    if (all.size() < 2 * kChunkItems) {
      add(all.begin, all.end, total);
      return total;
    }
    std::vector<Sum> parts((all.size() + kChunkItems - 1) / kChunkItems);
    executor_.parallel_for(parts.size(), 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        const std::size_t begin = all.begin + i * kChunkItems;
        add(begin, std::min<std::size_t>(begin + kChunkItems, all.end), parts[i]);
      }
    });
    for (const Sum& part : parts) total.add(part);
    return total;
  }

  std::vector<Item>& items_;
  std::uint32_t leaf_size_;
  Executor& executor_;
};

/// A subtree to build, and the child of `upper` for it.
struct Task {
  Range range;
  std::uint32_t depth;
  std::uint32_t node, child;
  Builder::Subtree out = {};
};

/// The nodes above the tasks.
void build_upper(const Builder& builder, const Range& all, std::uint32_t depth, Builder::Subtree& out,
                 std::vector<Task>& tasks) {
  Range parts[kWidth];
  const std::uint32_t count = builder.open(all, depth, parts);
  const auto place = static_cast<std::uint32_t>(out.nodes.size());
  out.nodes.push_back(Builder::make_node(parts, count));
  for (std::uint32_t i = 0; i < count; ++i) {
    if (parts[i].size() <= builder.leaf_size()) {
      out.nodes[place].child[i] = Builder::add_leaf(parts[i], out);
    } else if (parts[i].size() <= kSubtreeItems) {
      tasks.push_back({parts[i], depth + 1, place, i});
    } else {
      out.nodes[place].child[i] = static_cast<std::uint32_t>(out.nodes.size());
      build_upper(builder, parts[i], depth + 1, out, tasks);
    }
  }
}

/// Appends a subtree, and renumbers its children.
void append(const Builder::Subtree& part, Leaves& out) {
  const auto nodes = static_cast<std::uint32_t>(out.nodes.size());
  const auto leaves = static_cast<std::uint32_t>(out.leaves.size());
  for (Node node : part.nodes) {
    for (std::uint32_t& child : node.child) {
      if (child == kNone) continue;
      child = (child & kLeafBit) != 0 ? child + leaves : child + nodes;
    }
    out.nodes.push_back(node);
  }
  out.leaves.insert(out.leaves.end(), part.leaves.begin(), part.leaves.end());
}

}  // namespace

struct NodeBuilder::Memory {
  std::vector<Item> items;
  std::vector<Task> tasks;
  Builder::Subtree upper;
  std::vector<Fork> forks;
};

NodeBuilder::NodeBuilder() : memory_(std::make_unique<Memory>()) {}
NodeBuilder::~NodeBuilder() = default;
NodeBuilder::NodeBuilder(NodeBuilder&&) noexcept = default;
NodeBuilder& NodeBuilder::operator=(NodeBuilder&&) noexcept = default;

void NodeBuilder::build(std::span<const Box> boxes, std::uint32_t leaf_size, Executor& executor, Leaves& out) {
  std::vector<Item>& items = memory_->items;
  std::vector<Task>& tasks = memory_->tasks;
  Builder::Subtree& upper = memory_->upper;
  items.clear(), tasks.clear(), upper.nodes.clear(), upper.leaves.clear();
  items.reserve(boxes.size());
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const Box& b = boxes[i];
    if (b.empty()) continue;
    Item item;
    item.box.lo = Four{b.lo[0], b.lo[1], b.lo[2], 0.0F};
    item.box.minus_hi = Four{-b.hi[0], -b.hi[1], -b.hi[2], 0.0F};
    item.number = static_cast<std::uint32_t>(i);
    items.push_back(item);
  }
  const Builder builder(items, leaf_size, executor);
  const Range all = builder.range_of(0, static_cast<std::uint32_t>(items.size()));
  if (all.size() <= kSubtreeItems) {
    builder.build_subtree(all, 0, memory_->forks, upper);
  } else {
    build_upper(builder, all, 0, upper, tasks);
  }
  executor.parallel_for(tasks.size(), 1, [&](std::size_t begin, std::size_t end) {
    std::vector<Fork> forks;
    for (std::size_t i = begin; i < end; ++i)
      builder.build_subtree(tasks[i].range, tasks[i].depth, forks, tasks[i].out);
  });
  out.nodes.clear(), out.leaves.clear();
  append(upper, out);
  for (const Task& task : tasks) {
    out.nodes[task.node].child[task.child] = static_cast<std::uint32_t>(out.nodes.size());
    append(task.out, out);
  }
  out.order.resize(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) out.order[i] = items[i].number;
}

}  // namespace fathom::tree
