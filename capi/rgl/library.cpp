// SPDX-License-Identifier: MIT
#include "library.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include <fathom/base/error.hpp>
#include <fathom/base/isa.hpp>

#include "buffer.hpp"
#include "old_lidar.hpp"

namespace rgl {

std::uintptr_t new_handle_number() {
  static std::atomic<std::uintptr_t> next = 0x1000;
  return next.fetch_add(0x10);
}

std::mutex& library_mutex() {
  static std::mutex mutex;
  return mutex;
}

Library& library() {
  try {
    static Library instance;
    return instance;
  } catch (const fathom::Error& error) {
    fail(RGL_INITIALIZATION_ERROR, std::string("Initialization error: ") + error.what());
  }
}

Library::Library()
    : settings(read_environment()), executor_(fathom::make_executor(settings.threads)), world_(*executor_) {}

/// A run and its nodes hold each other; and a thread that waits for the node must not go on with it.
std::exception_ptr Library::forget(Node& node) noexcept {
  node.run_of.reset();
  node.removed = true;
  try {
    node.close();
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

std::exception_ptr Library::forget_all() noexcept {
  std::exception_ptr first;
  const auto drop = [&](Node& node) {
    const std::exception_ptr error = forget(node);
    if (first == nullptr) first = error;
  };
  nodes.for_each(drop);
  lidars.for_each([&](OldLidar& lidar) { lidar.for_each(drop); });
  return first;
}

Library::~Library() {
  runners_.dismiss();  // a node writes what it kept when no run adds to it
  forget_all();
}

void Library::wait_unlocked(const std::shared_ptr<Run>& run) {
  if (run->is_finished()) return;
  std::unique_lock<std::mutex>& held = *lock;
  held.unlock();
  run->wait();
  held.lock();
  lock = &held;  // another call may have put its own there
}

void Library::settle_all() {
  while (!running_.empty()) {
    const std::shared_ptr<Run> run = running_.back();
    wait_unlocked(run);
    std::erase(running_, run);
    run->rethrow();
  }
}

World& Library::settled_scene() {
  settle_all();
  return world_;
}

World& Library::changed_scene() {
  settle_all();
  world_.touch();
  return world_;
}

rgl_node_t Library::add_node(const std::shared_ptr<Node>& node) {
  const rgl_node_t handle = nodes.add(node);
  adopt(*node);
  return handle;
}

namespace {

void require_alive(const Node& node) {
  if (node.removed)
    fail(RGL_INVALID_API_OBJECT, fmt::format("Object does not exist: a {} destroyed meanwhile", node.name()));
}

}  // namespace

void Library::settle(Node& node) {
  while (node.run_of != nullptr) {
    const std::shared_ptr<Run> run = node.run_of;
    wait_unlocked(run);
    std::erase(running_, run);
    run->rethrow();
    if (node.run_of == run) break;
  }
  require_alive(node);
}

RunContext Library::context() const {
  return {*executor_, fathom::detect_isa(), settings.seed, settings.keep_misses, settings.intensity_falls_off()};
}

void Library::settle(Node& a, Node& b) {
  const auto runs = [](const Node& node) { return node.run_of != nullptr && !node.run_of->is_finished(); };
  do {
    settle(a);
    settle(b);
  } while (runs(a) || runs(b));
  require_alive(a);
}

/// Waits for the runs in progress, whatever becomes of them. False: there were none, and the lock was not given up.
bool Library::wait_for_others() {
  const std::vector<std::shared_ptr<Run>> runs = running_;
  bool waited = false;
  for (const auto& run : runs) {
    if (run->is_finished()) continue;
    wait_unlocked(run);
    waited = true;
  }
  return waited;
}

void Library::run(Node& start) {
  std::vector<std::shared_ptr<Node>> order;
  // A caster that other graphs use must not change under them. While waiting, anything may have happened to this one.
  const auto stale = [&](const auto& node) { return node->uses_stale_scene(world_); };
  do {
    settle(start);
    order.clear();
    for (Node* node : execution_order(component_of(start))) order.push_back(node->shared_from_this());
  } while (std::any_of(order.begin(), order.end(), stale) && wait_for_others());
  for (const auto& node : order) {
    if (!node->dirty) continue;
    node->bind();
    node->validate(world_);
    node->dirty = false;  // also if one behind it is refused
  }
  std::erase_if(running_, [](const auto& run) { return run->is_finished() && !run->has_failed(); });
  this->start(order);
}

/// Once the run has begun nothing throws: the scene waits for the runs in running_ before it changes.
void Library::start(const std::vector<std::shared_ptr<Node>>& order) {
  const auto run = std::make_shared<Run>(order, context());
  make_room(running_);
  std::size_t prepared = 0;
  try {
    for (const auto& node : order) node->prepare(world_), ++node->runs, ++prepared;
    runners_.start(run);
  } catch (const Failure&) {
    throw;
  } catch (...) {  // what is half prepared does not fit to the results of the last run
    for (const auto& node : order) node->run_of.reset(), node->dirty = true;
    for (std::size_t i = 0; i < prepared; ++i) --order[i]->runs;
    throw;
  }
  running_.push_back(run);
  for (std::size_t i = 0; i < order.size(); ++i) order[i]->run_of = run, order[i]->place = i;
}

void Library::wait_for_result(Node& node) {
  while (node.run_of != nullptr && !node.run_of->is_done(node.place)) {
    const std::shared_ptr<Run> run = node.run_of;
    std::unique_lock<std::mutex>& held = *lock;
    const std::size_t place = node.place;
    held.unlock();
    run->wait(place);
    held.lock();
    lock = &held;
  }
  // An error further down the graph is reported to the caller that waits for that node.
  if (node.run_of != nullptr && !node.run_of->has_done(node.place)) node.run_of->rethrow();
  if (node.dirty || node.run_of == nullptr || !node.run_of->has_done(node.place)) {
    fail(RGL_INVALID_PIPELINE, fmt::format("cannot get results of {}: it hasn't been run yet", node.name()));
  }
}

void Library::destroy_component(Node& node) {
  settle(node);
  const std::vector<Node*> component = component_of(node);
  std::vector<std::shared_ptr<Run>> keep;  // a run holds its nodes; it ends after them here
  keep.reserve(component.size());
  for (const Node* member : component) keep.push_back(member->run_of);
  std::exception_ptr first;
  for (Node* member : component) {
    const std::exception_ptr error = forget(*member);
    if (first == nullptr) first = error;
  }
  for (const Node* member : component) nodes.remove(member);
  if (first) std::rethrow_exception(first);
}

void Library::clean_up() {
  while (!running_.empty()) {
    const std::shared_ptr<Run> run = running_.back();
    wait_unlocked(run);
    std::erase(running_, run);
  }
  runners_.dismiss();
  const std::exception_ptr error = forget_all();
  nodes.clear(), lidars.clear(), entities.clear(), meshes.clear(), textures.clear();
  world_.clear();
  if (error) std::rethrow_exception(error);
}

void Library::set_threads(int threads) {
  if (!nodes.empty() || !lidars.empty())
    fail(RGL_INVALID_ARGUMENT, "Invalid argument: threads are set while there are no nodes");
  settle_all();
  auto executor = fathom::make_executor(threads);
  world_.set_executor(*executor);
  executor_ = std::move(executor);
  settings.threads = threads;
}

void Library::set_seed(std::uint64_t seed) {
  settle_all();
  settings.seed = seed;
  next_ordinal_ = 0;
  const auto restart = [&](Node& node) { adopt(node), node.runs = 0; };
  nodes.for_each(restart);
  lidars.for_each([&](OldLidar& lidar) { lidar.for_each(restart); });
}

}  // namespace rgl
