// SPDX-License-Identifier: MIT
#pragma once
// The state behind the functions, its lock, and the guard that every function goes through.

#include <memory>
#include <mutex>
#include <vector>

#include <fathom/base/executor.hpp>

#include "graph/graph.hpp"
#include "graph/run.hpp"
#include "graph/runners.hpp"
#include "log.hpp"
#include "old_lidar.hpp"
#include "registry.hpp"
#include "settings.hpp"
#include "status.hpp"
#include "tape/recorder.hpp"
#include "world.hpp"

namespace rgl {

/// Used under its lock only. Waiting for runs gives the lock up meanwhile, so that other threads may call.
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

  /// The scene, to be changed: waits for every run, throws what went wrong in one, and marks the scene changed.
  World& changed_scene();
  /// The same without marking it.
  World& settled_scene();
  /// Without waiting.
  World& scene() { return world_; }

  /// Gives a node the name of its random numbers.
  void adopt(Node& node) { node.ordinal = next_ordinal_++; }
  /// Makes a node known.
  rgl_node_t add_node(const std::shared_ptr<Node>& node);
  /// Waits until nothing of the node's component runs; throws what went wrong there, and INVALID_API_OBJECT when
  /// another thread has destroyed the node meanwhile.
  void settle(Node& node);
  void settle(Node& a, Node& b);
  /// Checks and starts the component of a node.
  void run(Node& node);
  /// Waits for a node's own result. Throws INVALID_PIPELINE when there is none.
  void wait_for_result(Node& node);
  void destroy_component(Node& node);
  /// Gives up the run of a node that is being destroyed, and closes the node. Returns the error of close(), or null.
  std::exception_ptr forget(Node& node) noexcept;

  /// Waits for everything and drops it, which takes no memory; errors of runs go unsaid. Throws INVALID_FILE_PATH for a
  /// node that could not write its file.
  void clean_up();
  void set_threads(int threads);
  /// Numbers the nodes anew, so that the same calls draw the same noise.
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
  Runners runners_;  // ends first: runs use the executor and the scene
};

/// The library, made at the first call. Throws INITIALIZATION_ERROR.
Library& library();
std::mutex& library_mutex();

/// Runs the body of a function of the interface. Its errors go to the log as well.
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

}  // namespace rgl
