// SPDX-License-Identifier: MIT
#pragma once
// Nodes and the graphs of linked nodes. Links are plain pointers: the registry owns nodes, and only rgl_graph_destroy
// and rgl_cleanup destroy them, always in whole components.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <rgl/api/core.h>

#include <fathom/core/compute.hpp>
#include <fathom/core/geometry.hpp>
#include <fathom/core/random.hpp>

#include "fields.hpp"
#include "parts/tracer.hpp"

namespace rgl {

class Run;
class World;

/// The settings of a run, common to all its nodes.
struct RunContext {
  fathom::Executor& executor;
  fathom::Isa isa;
  std::uint64_t seed;
  bool keep_misses;
  bool intensity_falls_off;
};

/// The kind of input that a node takes from its parents.
enum class Input : std::uint8_t { kNothing, kRays, kPoints, kManyPoints };

class Node : public std::enable_shared_from_this<Node> {
 public:
  virtual ~Node() = default;
  Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual Input input_kind() const = 0;
  /// Finds the parents that it reads from. Throws INVALID_PIPELINE if they are missing or too many.
  virtual void bind() {}
  /// Throws INVALID_PIPELINE if the node cannot run at its place in the graph. Its inputs are already valid.
  virtual void validate(const World& world) { static_cast<void>(world); }
  /// Runs in the caller's thread before each run: copies the configuration and the state of the world.
  virtual void prepare(World& world) { static_cast<void>(world); }
  /// Whether prepare() would change data that other graphs may be using.
  [[nodiscard]] virtual bool uses_stale_scene(const World& world) const { return static_cast<void>(world), false; }
  /// Called once, before the node is destroyed. Writes its file if it has one. Throws INVALID_FILE_PATH.
  virtual void close() {}
  /// Runs in the graph's thread, after its inputs.
  virtual void run(const RunContext& context) { static_cast<void>(context); }

  /// The key of this run's random numbers.
  [[nodiscard]] fathom::NoiseKey noise_key(const RunContext& context, std::string_view slug) const {
    return {context.seed, runs, fathom::make_stream("rgl", ordinal, slug)};
  }

  // graph.cpp and library.cpp maintain these.
  std::vector<Node*> parents, children;  ///< children: by falling priority
  std::int32_t priority = 0;
  bool dirty = true;            ///< changed since the last validation
  bool removed = false;         ///< destroyed while another thread waited for it
  std::shared_ptr<Run> run_of;  ///< the last run, if the component has not changed since
  std::size_t place = 0;        ///< in that run's order
  std::uint32_t ordinal = 0;    ///< identifies its random numbers
  std::uint32_t runs = 0;       ///< number of runs
};

class RaysNode : public Node, public fathom::PosedRaySource {
 public:
  [[nodiscard]] Input input_kind() const override { return Input::kRays; }

  // By default everything passes through from the parent. Rays are in the frame of the sensor, so transforms do not
  // change them.
  void load(fathom::PosedRayBlock& block) const override { input().load(block); }
  [[nodiscard]] virtual std::uint32_t ray_count() const { return input().ray_count(); }
  [[nodiscard]] virtual std::span<const std::int32_t> rings() const { return input().rings(); }
  [[nodiscard]] virtual std::span<const std::array<float, 2>> ranges() const { return input().ranges(); }
  [[nodiscard]] virtual std::span<const float> time_offsets_ms() const { return input().time_offsets_ms(); }
  [[nodiscard]] virtual fathom::RayGrid grid() const { return input().grid(); }
  [[nodiscard]] virtual const fathom::Affine& world_from_sensor() const { return input().world_from_sensor(); }
  /// Called once per run before load(), for work common to all blocks.
  virtual void prepare_rays(const RunContext& context) { input().prepare_rays(context); }

  void bind() override;
  [[nodiscard]] RaysNode& input() const { return *input_; }

 private:
  RaysNode* input_ = nullptr;
};

/// Points [begin, end) of a node.
struct Strip {
  std::size_t begin, end;
};

class PointsNode : public Node {
 public:
  [[nodiscard]] Input input_kind() const override { return Input::kPoints; }

  // Nodes that work point by point share a stage (run.cpp) with the nodes above them. Each strip passes through all of
  // them, so that points stay in the cache from node to node and threads synchronise once.
  [[nodiscard]] virtual bool runs_in_strips() const { return false; }
  /// Before the first strip: the number of points is known, and memory is allocated.
  virtual void begin(const RunContext& context) { static_cast<void>(context); }
  /// In any thread, after the same strip of its input. Begins at a multiple of 4.
  virtual void run_strip(std::size_t number, Strip points) { static_cast<void>(number), static_cast<void>(points); }
  /// After the last strip.
  virtual void finish() {}
  /// The strips of its input's points, if it is the first node of a stage.
  [[nodiscard]] virtual std::size_t strips() const { return (input().count() + kStripPoints - 1) / kStripPoints; }
  [[nodiscard]] virtual Strip strip(std::size_t number) const {
    return {number * kStripPoints, std::min((number + 1) * kStripPoints, input().count())};
  }
  /// Whether its number of points is known only after finish().
  [[nodiscard]] virtual bool selects() const { return false; }

  /// Fields that its input must have.
  [[nodiscard]] virtual std::vector<rgl_field_t> required() const { return {}; }
  /// These, and others that it reads from inputs that have them.
  [[nodiscard]] virtual std::vector<rgl_field_t> read() const { return required(); }

  // By default everything passes through from the parent.
  [[nodiscard]] virtual bool has(rgl_field_t field) const { return input().has(field); }
  [[nodiscard]] virtual std::size_t count() const { return input().count(); }
  [[nodiscard]] virtual bool is_dense() const { return input().is_dense(); }
  /// Types of the returns of a ray, in the order of its points.
  [[nodiscard]] virtual std::span<const rgl_return_type_t> returns() const { return input().returns(); }
  [[nodiscard]] virtual fathom::Affine sensor_from_world() const { return input().sensor_from_world(); }
  /// [count] values of a field that it has. Thread-safe after the node has run.
  [[nodiscard]] virtual const std::byte* data(rgl_field_t field) const { return input().data(field); }
  /// The same without gathering: values and the indices of its points; null indices: all values.
  struct Indexed {
    const std::byte* values;
    const std::uint32_t* indices;
  };
  [[nodiscard]] virtual Indexed indexed(rgl_field_t field) const { return {data(field), nullptr}; }
  /// Writes count() values of a field that it has, or its packed points. Thread-safe after the node has run.
  virtual void copy(rgl_field_t field, std::byte* out) const;
  /// Bytes of a packed point after the node has run; 0 if it does not format.
  [[nodiscard]] virtual std::size_t packed_size() const { return 0; }

  /// Throws INVALID_PIPELINE if the input lacks a required field.
  void validate(const World& world) override;

  void bind() override;
  [[nodiscard]] PointsNode& input() const { return *input_; }
  /// Values of the points of a strip.
  template <class T>
  [[nodiscard]] std::span<const T> values_of(rgl_field_t field, Strip strip, std::size_t per_point = 1) const {
    return {reinterpret_cast<const T*>(data(field)) + strip.begin * per_point, (strip.end - strip.begin) * per_point};
  }
  template <class T>
  [[nodiscard]] std::span<const T> input_as(rgl_field_t field, Strip strip, std::size_t per_point = 1) const {
    return input().values_of<T>(field, strip, per_point);
  }
  template <class T>
  [[nodiscard]] std::span<const T> input_as(rgl_field_t field, std::size_t per_point = 1) const {
    return {reinterpret_cast<const T*>(input().data(field)), input().count() * per_point};
  }

 private:
  static constexpr std::size_t kStripPoints = 4096;

  PointsNode* input_ = nullptr;
};

/// Throws INVALID_PIPELINE: "<node> requires <field> to be present".
void require_field(const PointsNode& input, rgl_field_t field, std::string_view who);

/// The only parent that makes rays. Throws INVALID_PIPELINE if there is not exactly one.
RaysNode& only_rays_parent(const Node& node);
std::vector<PointsNode*> points_parents(const Node& node);

/// All nodes that links connect to this one, directly or not, and itself.
std::vector<Node*> component_of(Node& node);

/// The nodes in the order of running: after their parents, higher priorities first. Throws INVALID_PIPELINE for a
/// cycle.
std::vector<Node*> execution_order(const std::vector<Node*>& component);

/// Throw INVALID_PIPELINE if the link exists already, or does not exist. Both make all nodes of the components dirty.
/// If they throw, nothing has changed.
void link(Node& parent, Node& child);
void unlink(Node& parent, Node& child);

/// Raises parents, too. Throws INVALID_PIPELINE for a priority below a child's.
void set_priority(Node& node, std::int32_t priority);

/// Discards the results of the component's last run.
void forget_run(const std::vector<Node*>& component);

}  // namespace rgl
