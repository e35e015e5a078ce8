// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <rgl/api/core.h>

#include <fathom/core/compute.hpp>

#include "graph/graph.hpp"
#include "graph/run.hpp"
#include "old_lidar.hpp"
#include "status.hpp"
#include "tape/recorder.hpp"
#include "world.hpp"

namespace rgl {

/// Lines "[time][microseconds since the line before][level]: text" to a file, to standard output, or to neither.
class Log {
 public:
  /// Empties the file; "" for no file. Throws LOGGING_ERROR.
  void configure(rgl_log_level_t level, const std::string& file, bool to_stdout);
  /// Leaves out a line if there is no memory for it. The next line counts the missing ones.
  void write(rgl_log_level_t level, std::string_view text) noexcept;
  [[nodiscard]] bool takes(rgl_log_level_t level) const { return level >= level_ && level_ != RGL_LOG_LEVEL_OFF; }

 private:
  void put(rgl_log_level_t level, std::string_view text);

  rgl_log_level_t level_ = RGL_LOG_LEVEL_OFF;
  std::ofstream file_;
  bool to_stdout_ = false;
  int lost_lines_ = 0;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// The caller's settings for the whole library.
struct Settings {
  std::array<std::int32_t, 3> version = {0, 19, 0};
  std::uint64_t seed = 0;
  int threads = 0;
  bool keep_misses = false;
  bool tapes_in_real_time = false;
  std::optional<bool> intensity_falloff;  ///< absent: by the version

  [[nodiscard]] bool intensity_falls_off() const {
    return intensity_falloff.value_or(version >= std::array<std::int32_t, 3>{0, 21, 0});
  }
};

/// Reads FATHOM_RGL_VERSION, FATHOM_RGL_SEED (a random seed if absent), FATHOM_RGL_THREADS, FATHOM_RGL_KEEP_MISSES,
/// FATHOM_RGL_TAPES_IN_REAL_TIME and FATHOM_RGL_INTENSITY_FALLOFF. Throws INITIALIZATION_ERROR for an invalid value.
Settings read_environment();

/// A new number for a handle, unique over all classes.
std::uintptr_t new_handle_number();

/// The living objects of a class. A handle is a number, not an address, and is never dereferenced. So stale, foreign
/// and invented handles are detected.
template <class Handle, class Object>
class Registry {
 public:
  explicit Registry(const char* name) : name_(name) {}

  Handle add(std::shared_ptr<Object> object) {
    const std::uintptr_t number = new_handle_number();
    objects_.emplace(number, std::move(object));
    return reinterpret_cast<Handle>(number);  // NOLINT(performance-no-int-to-ptr): a handle is a number, never followed
  }

  [[nodiscard]] bool has(Handle handle) const { return objects_.contains(number_of(handle)); }

  /// Throws INVALID_API_OBJECT: "Object does not exist: Mesh 0x1234".
  [[nodiscard]] const std::shared_ptr<Object>& get(Handle handle) const {
    const auto found = objects_.find(number_of(handle));
    if (found == objects_.end()) {
      fail(RGL_INVALID_API_OBJECT, fmt::format("Object does not exist: {} {:#x}", name_, number_of(handle)));
    }
    return found->second;
  }

  void remove(Handle handle) {
    static_cast<void>(get(handle));
    objects_.erase(number_of(handle));
  }
  /// Removes an object by its address.
  void remove(const Object* object) {
    std::erase_if(objects_, [&](const auto& entry) { return entry.second.get() == object; });
  }
  void clear() { objects_.clear(); }
  [[nodiscard]] bool empty() const { return objects_.empty(); }

  /// Visits objects in the order of creation. Allocates no memory.
  template <class Use>
  void for_each(Use use) const {
    for (const auto& [number, object] : objects_) use(*object);
  }

 private:
  static std::uintptr_t number_of(Handle handle) { return reinterpret_cast<std::uintptr_t>(handle); }

  const char* name_;
  std::map<std::uintptr_t, std::shared_ptr<Object>> objects_;
};

/// The state behind the functions, used under its lock only. Waiting for runs releases the lock, so that other threads
/// may call.
class Library {
 public:
  Library();
  ~Library();

  Registry<rgl_mesh_t, MeshObject> meshes{"Mesh"};
  Registry<rgl_entity_t, EntityObject> entities{"Entity"};
  Registry<rgl_texture_t, TextureObject> textures{"Texture"};
  Registry<rgl_node_t, Node> nodes{"Node"};
  Registry<struct Lidar*, OldLidar> lidars{"Lidar"};
  Settings settings;
  Log log;
  TapeRecorder tape;

  /// The scene for a change: waits for all runs, rethrows their errors, and marks the scene as changed.
  World& changed_scene();
  /// The same without marking it.
  World& settled_scene();
  /// The scene without waiting.
  World& scene() { return world_; }

  /// Gives a node the number of its random numbers.
  void adopt(Node& node) { node.ordinal = next_ordinal_++; }
  /// Registers a node.
  rgl_node_t add_node(const std::shared_ptr<Node>& node);
  /// Waits until no run of the node's component is in progress. Rethrows its error, and throws INVALID_API_OBJECT if
  /// another thread has destroyed the node meanwhile.
  void settle(Node& node);
  void settle(Node& a, Node& b);
  /// Checks and starts the component of a node.
  void run(Node& node);
  /// Waits for the result of a node. Throws INVALID_PIPELINE if there is no result.
  void wait_for_result(Node& node);
  void destroy_component(Node& node);
  /// Releases the run of a node before its destruction, and closes the node. Returns the error of close(), or null.
  std::exception_ptr forget(Node& node) noexcept;

  /// Waits for all runs and destroys all objects. Allocates no memory and ignores errors of runs. Throws
  /// INVALID_FILE_PATH for a node that could not write its file.
  void clean_up();
  void set_threads(int threads);
  /// Numbers the nodes from 0 again, so that the same calls draw the same noise.
  void set_seed(std::uint64_t seed);

  std::unique_lock<std::mutex>* lock = nullptr;  ///< of the call in progress

 private:
  void settle_all();
  std::exception_ptr forget_all() noexcept;
  void start(const std::vector<std::shared_ptr<Node>>& order);
  bool wait_for_others();
  void wait_unlocked(const std::shared_ptr<Run>& run);
  [[nodiscard]] RunContext context() const;

  std::unique_ptr<fathom::Executor> executor_;
  World world_;
  std::uint32_t next_ordinal_ = 0;
  std::vector<std::shared_ptr<Run>> running_;
  Runners runners_;  // destroyed first: runs use the executor and the scene
};

/// The library, created at the first call. Throws INITIALIZATION_ERROR.
Library& library();
std::mutex& library_mutex();

/// Runs the body of a function of the interface and logs its error.
template <class Body>
rgl_status_t guarded(Body&& body) noexcept {
  try {
    std::unique_lock lock(library_mutex());
    require_usable();
    Library& lib = library();
    lib.lock = &lock;
    try {
      body(lib);
    } catch (...) {
      const rgl_status_t status = remember(std::current_exception());
      lib.log.write(RGL_LOG_LEVEL_ERROR, last_error_text());
      return status;
    }
    return succeed();
  } catch (...) {
    return remember(std::current_exception());
  }
}

/// The function `name` of the interface that says whether a handle is alive.
template <class Handle, class Object>
rgl_status_t ask_alive(Registry<Handle, Object> Library::*objects, const char* name, Handle handle, bool* out_alive) {
  return guarded([&](Library& lib) {
    RGL_CHECK(out_alive != nullptr);
    *out_alive = (lib.*objects).has(handle);
    lib.tape.record(name, handle, *out_alive);
  });
}

/// The nodes to validate again after a change: the node alone, or its whole component. kResults also discards the
/// results of the last run.
enum class Dirties : std::uint8_t { kNode, kGraph, kResults };

/// The node of a handle. Throws INVALID_API_OBJECT if it is not alive or has another type.
template <class Kind>
std::shared_ptr<Kind> node_as(Library& lib, rgl_node_t handle, const char* kind) {
  auto node = std::dynamic_pointer_cast<Kind>(lib.nodes.get(handle));
  if (node == nullptr) {
    fail(RGL_INVALID_API_OBJECT,
         fmt::format("Object does not exist: {} {:#x}", kind, reinterpret_cast<std::uintptr_t>(handle)));
  }
  return node;
}

/// Applies `set` to the node, or to a new node if *node is NULL; then writes its handle to *node. A `set` that throws
/// changes neither.
template <class Kind, class Set>
void make_or_change(Library& lib, rgl_node_t* node, Dirties dirties, Set set) {
  if (*node == nullptr) {
    const auto made = std::make_shared<Kind>();
    set(*made);
    *node = lib.add_node(made);
    return;
  }
  const auto changed = node_as<Kind>(lib, *node, "Node");
  lib.settle(*changed);
  const std::vector<Node*> component = dirties == Dirties::kNode ? std::vector<Node*>() : component_of(*changed);
  set(*changed);
  changed->dirty = true;
  if (dirties == Dirties::kResults) return forget_run(component);
  for (Node* other : component) other->dirty = true;
}

}  // namespace rgl
