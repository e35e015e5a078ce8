// SPDX-License-Identifier: MIT
#include "cast/tree/build.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace fathom::tree {

namespace {

/// Lower bounds and minus the upper bounds, so that both grow by the same min; the fourth values are not used.
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

constexpr int kBins = 16;
constexpr std::uint32_t kSubtreeItems = 1024;  ///< a task builds subtrees of up to so many
/// From this depth on ranges are halved, the one with the most items first, which ends within 11 more levels.
constexpr std::uint32_t kHalvedDepth = 20;

constexpr std::uint32_t kChunkItems = 16384;  ///< of a large range, looked at by one task

/// What a split looks at: how many items have their centre in each bin of each axis, and their box.
struct Bins {
  Bounds box[3][kBins];
  std::uint32_t count[3][kBins] = {};

  void add(const Bins& other) {
    for (int a = 0; a < 3; ++a) {
      for (int j = 0; j < kBins; ++j) box[a][j].add(other.box[a][j]), count[a][j] += other.count[a][j];
    }
  }
};

/// Which bin of an axis the centre of an item is in.
class Binning {
 public:
  explicit Binning(const Bounds& centers) : origin_(centers.lo) {
    const Four extent = -centers.minus_hi - centers.lo;
    for (int a = 0; a < 3; ++a) scale_[a] = extent[a] > 0.0F ? kBins * 0.9999F / extent[a] : 0.0F;
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
  /// Nodes and leaves of a subtree, the root first; numbers count from its own start.
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

  /// Splits a range into up to eight, the widest first, or the fullest where ranges are halved; returns into how many,
  /// 0 of nothing.
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

  void build_subtree(const Range& all, std::uint32_t depth, Subtree& out) const {
    Range parts[kWidth];
    const std::uint32_t count = open(all, depth, parts);
    const std::size_t place = out.nodes.size();
    out.nodes.push_back(make_node(parts, count));
    for (std::uint32_t i = 0; i < count; ++i) {
      out.nodes[place].child[i] =
          parts[i].size() <= leaf_size_ ? add_leaf(parts[i], out) : static_cast<std::uint32_t>(out.nodes.size());
      if (parts[i].size() > leaf_size_) build_subtree(parts[i], depth + 1, out);
    }
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
  void split(const Range& all, bool halve, Range& left, Range& right) const {
    if (!halve && split_by_area(all, left, right)) return;
    const std::uint32_t middle = all.begin + all.size() / 2;
    left = range_of(all.begin, middle), right = range_of(middle, all.end);
  }

  /// Returns false where all centres are in one place.
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

  /// Takes the cheapest split before bin `at` of axis a, if it is cheaper than `best`.
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

  /// Adds up what f(item, sum) makes of the items of a range. Sums are boxes and counts: their order does not matter.
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

/// A subtree that is still to be built, and the child of `upper` that will point to it.
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

/// Appends a subtree, whose numbers then count from the start of the whole.
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
  build_upper(builder, builder.range_of(0, static_cast<std::uint32_t>(items.size())), 0, upper, tasks);
  executor.parallel_for(tasks.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) builder.build_subtree(tasks[i].range, tasks[i].depth, tasks[i].out);
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
