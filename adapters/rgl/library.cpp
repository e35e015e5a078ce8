// SPDX-License-Identifier: MIT
#include "library.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <random>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <fathom/core/compute.hpp>
#include <fathom/core/error.hpp>

#include "fields.hpp"
#include "old_lidar.hpp"
#include "status.hpp"

namespace rgl {

namespace {

[[noreturn]] void refuse(const char* name, std::string_view text, const char* wanted) {
  fail(RGL_INITIALIZATION_ERROR, fmt::format("{}={} is not {}", name, text, wanted));
}

template <class T>
bool read_number(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

std::optional<std::string_view> variable(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == '\0') return std::nullopt;
  return text;
}

void read_version(std::array<std::int32_t, 3>& version) {
  constexpr const char* kName = "FATHOM_RGL_VERSION";
  const auto text = variable(kName);
  if (!text) return;
  std::string_view rest = *text;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t dot = i < 2 ? rest.find('.') : rest.size();
    if (dot == std::string_view::npos || !read_number(rest.substr(0, dot), version[i]) || version[i] < 0) {
      refuse(kName, *text, "a version like 0.19.0");
    }
    rest.remove_prefix(std::min(dot + 1, rest.size()));
  }
}

template <class Flag>
void read_flag(const char* name, Flag& flag) {
  const auto text = variable(name);
  if (!text) return;
  if (*text != "0" && *text != "1") refuse(name, *text, "0 or 1");
  flag = *text == "1";
}

}  // namespace

Settings read_environment() {
  Settings s;
  read_version(s.version);
  if (const auto text = variable("FATHOM_RGL_SEED")) {
    if (!read_number(*text, s.seed)) refuse("FATHOM_RGL_SEED", *text, "a whole number in [0, 2^64)");
  } else {
    std::random_device entropy;
    s.seed = std::uint64_t{entropy()} << 32U | entropy();
  }
  if (const auto text = variable("FATHOM_RGL_THREADS")) {
    if (!read_number(*text, s.threads) || s.threads < 0 || s.threads > 1024) {
      refuse("FATHOM_RGL_THREADS", *text, "in [0, 1024]");
    }
  }
  read_flag("FATHOM_RGL_KEEP_MISSES", s.keep_misses);
  read_flag("FATHOM_RGL_TAPES_IN_REAL_TIME", s.tapes_in_real_time);
  read_flag("FATHOM_RGL_INTENSITY_FALLOFF", s.intensity_falloff);
  return s;
}

namespace {

constexpr std::string_view kLevels[] = {"trace", "debug", "info", "warning", "error", "critical", "off"};

}  // namespace

void Log::configure(rgl_log_level_t level, const std::string& file, bool to_stdout) {
  const std::string first =
      fmt::format("Logging configured: level {}, file '{}', stdout {}", kLevels[level], file, to_stdout);
  std::ofstream opened;
  if (!file.empty()) {
    opened.open(file, std::ios::trunc);
    if (!opened) fail(RGL_LOGGING_ERROR, fmt::format("Logging error: cannot write '{}'", file));
  }
  file_ = std::move(opened);
  level_ = level, to_stdout_ = to_stdout;
  write(RGL_LOG_LEVEL_INFO, first);
}

void Log::write(rgl_log_level_t level, std::string_view text) noexcept {
  if (!takes(level)) return;
  try {
    put(level, text);
  } catch (...) {
    ++lost_lines_;
  }
}

void Log::put(rgl_log_level_t level, std::string_view text) {
  const auto now = std::chrono::steady_clock::now();
  const auto delta = std::chrono::duration_cast<std::chrono::microseconds>(now - last_).count();
  last_ = now;
  const std::time_t clock = std::time(nullptr);
  std::tm local = {};
  std::array<char, sizeof "00:00:00"> time = {};
  std::strftime(time.data(), time.size(), "%H:%M:%S", localtime_r(&clock, &local));
  std::string line = fmt::format("[{}][{} us][{}]: {}\n", time.data(), delta, kLevels[level], text);
  if (lost_lines_ > 0) line += fmt::format("({} lines before this one found no memory)\n", lost_lines_);
  if (file_.is_open()) file_ << line << std::flush;
  if (to_stdout_) std::fputs(line.c_str(), stdout);
  lost_lines_ = 0;
}

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

/// Breaks the cycle of a run and its nodes, and marks the node for threads that wait for it.
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
  runners_.dismiss();  // nodes write their files after the last run
  forget_all();
}

void Library::wait_unlocked(const std::shared_ptr<Run>& run) {
  if (run->is_finished()) return;
  std::unique_lock<std::mutex>& held = *lock;
  held.unlock();
  run->wait();
  held.lock();
  lock = &held;  // another call may have replaced it
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

/// Waits for the runs in progress and ignores their errors. Returns false if there were none; then the lock was kept.
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
  // A caster must not change while other graphs use it. During the wait, this graph may have changed, too.
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
    node->dirty = false;  // even if a later node is refused
  }
  std::erase_if(running_, [](const auto& run) { return run->is_finished() && !run->has_failed(); });
  this->start(order);
}

/// After the run has begun nothing throws: changes of the scene wait for the runs in running_.
void Library::start(const std::vector<std::shared_ptr<Node>>& order) {
  const auto run = std::make_shared<Run>(order, context());
  make_room(running_);
  std::size_t prepared = 0;
  try {
    for (const auto& node : order) node->prepare(world_), ++node->runs, ++prepared;
    runners_.start(run);
  } catch (const Failure&) {
    throw;
  } catch (...) {  // half-prepared nodes do not match the results of the last run
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
  // An error of a later node is reported to the caller that waits for that node.
  if (node.run_of != nullptr && !node.run_of->has_done(node.place)) node.run_of->rethrow();
  if (node.dirty || node.run_of == nullptr || !node.run_of->has_done(node.place)) {
    fail(RGL_INVALID_PIPELINE, fmt::format("cannot get results of {}: it hasn't been run yet", node.name()));
  }
}

void Library::destroy_component(Node& node) {
  settle(node);
  const std::vector<Node*> component = component_of(node);
  std::vector<std::shared_ptr<Run>> keep;  // a run owns its nodes: keep it until the loops are done
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
