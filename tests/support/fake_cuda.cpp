// SPDX-License-Identifier: MIT
#include "support/fake_cuda.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string_view>
#include <sys/mman.h>
#include <thread>
#include <utility>
#include <vector>

#include "render/device/gpu.hpp"
#include "render/device/render_ray.hpp"
#include "render/field_math.hpp"
#include "trace/tree/sorted_tree.hpp"

namespace {

using namespace fathom;
using device::CudaAddress, device::CudaContext, device::CudaEvent, device::CudaFunction, device::CudaModule,
    device::CudaStream;

constexpr int kInvalidValue = 1, kOutOfMemory = 2, kInvalidDevice = 101, kInvalidContext = 201;
constexpr std::size_t kPage = 4096;

struct Failure {
  int left;
  int error;
  bool for_good;
};

/// A piece of the GPU's memory, in separate pages.
struct Piece {
  std::size_t bytes, pages;
  int gpu;
  bool stays;  // what it holds is read in later frames
};

using Task = std::function<void()>;

struct FakeGpu {
  std::recursive_mutex lock;
  int gpus = 1, major = 6, version = 13000, launch_ms = 0;
  std::size_t limit = ~std::size_t{0}, used = 0, bytes = 0;
  std::map<std::string, int> calls;
  std::map<std::string, Failure> failures;
  std::map<CudaAddress, Piece> memory;
  std::map<const std::byte*, std::size_t> pinned;
  std::map<void*, std::vector<Task>> streams;
  std::map<void*, std::pair<void*, std::size_t>> events;  // the stream, and how many of its tasks
  std::map<void*, std::size_t> done;                      // of a stream: how many tasks ran
  std::set<void*> modules;
  int context_users = 0, broken = 0;
  bool callers = false;  // whether the test itself has something of it
  std::size_t names = 0;
  std::string complaints, log;
  unsigned char fill = 0xA5;
};

FakeGpu& gpu() {
  static FakeGpu* const it = new FakeGpu;  // NOLINT(cppcoreguidelines-owning-memory): for as long as there is a process
  return *it;
}

thread_local std::vector<void*> contexts;  // a stack: the last one is current

void* new_name() { return reinterpret_cast<void*>(0x1000 + 16 * ++gpu().names); }
template <class Handle>
Handle named() {
  return static_cast<Handle>(new_name());
}
void complain(const std::string& line) {
  if (gpu().complaints.size() < 2000) gpu().complaints += line + "\n";
}

/// Counts a call; the error that it has to fail with, or 0.
int enter(const char* name, bool needs_context = true) {
  FakeGpu& g = gpu();
  ++g.calls[name];
  if (g.broken != 0 && needs_context) return g.broken;
  const auto found = g.failures.find(name);
  if (found != g.failures.end() && found->second.left-- == 0) {
    if (found->second.for_good) g.broken = found->second.error;
    return found->second.error;
  }
  if (needs_context && (contexts.empty() || g.context_users == 0)) {
    complain(std::string(name) + " without a context");
    return kInvalidContext;
  }
  return 0;
}

void protect(int how) {
  for (const auto& [address, piece] : gpu().memory) mprotect(reinterpret_cast<void*>(address), piece.pages, how);
}

/// The piece that holds these bytes; null: none does.
Piece* piece_of(const void* pointer, std::size_t bytes) {
  const auto at = reinterpret_cast<CudaAddress>(pointer);
  auto next = gpu().memory.upper_bound(at);
  if (next == gpu().memory.begin()) return nullptr;
  --next;
  return at + bytes <= next->first + next->second.bytes ? &next->second : nullptr;
}

/// Runs tasks of a stream up to the given one.
void run(void* stream, std::size_t up_to) {
  FakeGpu& g = gpu();
  protect(PROT_READ | PROT_WRITE);
  std::vector<Task>& tasks = g.streams[stream];
  std::size_t& done = g.done[stream];
  for (; done < up_to; ++done) std::exchange(tasks[done], {})();
  protect(PROT_NONE);
}

bool is_of_gpu(const void* pointer, std::size_t bytes) { return piece_of(pointer, bytes) != nullptr; }

bool is_pinned(const void* pointer, std::size_t bytes) {
  const auto* at = static_cast<const std::byte*>(pointer);
  auto next = gpu().pinned.upper_bound(at);
  if (next == gpu().pinned.begin()) return false;
  --next;
  return at + bytes <= next->first + next->second;
}

/// Looks at the pointers that a job's threads follow.
class JobCheck {
 public:
  /// Whether all is well: else the threads had better not run.
  bool rays(const device::FrameData& f, std::uint32_t first, std::uint32_t end) {
    world(f.world);
    chain(f.chain);
    end = std::min(end, f.rays.lanes);
    if (first >= end) return ok_;
    const std::uint32_t count = end - first;
    for (const float* p : {f.rays.dx, f.rays.dy, f.rays.dz}) see("rays", p + first, count);
    for (const float* p : {f.rays.ox, f.rays.oy, f.rays.oz}) see_any("origins", p, first, count);
    see("range limits", f.rays.min_range_m + (f.rays.min_per_lane ? first : 0), f.rays.min_per_lane ? count : 1);
    see("range limits", f.rays.max_range_m + (f.rays.max_per_lane ? first : 0), f.rays.max_per_lane ? count : 1);
    see("quads", f.rays.quad_keys + first / 4, (count + 3) / 4);
    see_any("times", f.rays.time_index, first, count);
    const bool rolls = f.rolling_cast != nullptr && ok_;
    const std::size_t times =
        rolls ? std::size_t{*std::max_element(f.rays.time_index + first, f.rays.time_index + end)} + 1 : 1;
    if (rolls) see("times", f.rays.times_s, times), see("poses", f.rolling_cast, times);
    if (f.out.velocity != nullptr) see("speeds", f.speeds, times);
    if (!see("targets", f.rays.targets + first / 4, (count + 3) / 4)) return false;
    std::uint32_t least = ~0U, most = 0;
    for (std::uint32_t lane = first; lane < end; lane += 4) {
      const QuadTarget t = f.rays.targets[lane / 4];
      if (t.filled > 0) least = std::min(least, t.index), most = std::max(most, t.index + t.filled);
    }
    if (least < most) places(f, least, most - least);
    return ok_;
  }

 private:
  template <class T>
  bool see(const char* what, const T* pointer, std::size_t count) {
    if (is_of_gpu(pointer, count * sizeof(T))) return true;
    complain(std::string("a thread follows a pointer out of the GPU's memory: ") + what);
    return ok_ = false;
  }
  template <class T>
  void see_any(const char* what, const T* pointer, std::size_t first, std::size_t count) {
    if (pointer != nullptr) see(what, pointer + first, count);
  }

  void world(const tree::World& w) {
    see("nodes", w.nodes, tree::sorted_nodes(w.instance_count));
    if (w.key_count > 0) see("keys of motion", w.keys, w.key_count);
    if (w.instance_count == 0 || !see("instances", w.instances, w.instance_count)) return;
    for (std::uint32_t i = 0; i < w.instance_count; ++i) {
      if (w.instances[i].nodes == nullptr) continue;
      see("nodes of a mesh", w.instances[i].nodes, 1), see("leaves of a mesh", w.instances[i].leaves, 1);
    }
  }
  void entries(const device::Entries& e) {
    if (e.ids > 0) see("entries", e.entry_by_id, e.ids);
  }
  void steps(const device::Steps& s) {
    if (s.count == 0 || !see("steps", s.first, s.count)) return;
    for (std::uint32_t i = 0; i < s.count; ++i) see("models", s.first[i].models, 1), entries(s.first[i].entries);
  }
  void chain(const device::Chain& c) {
    for (const device::Steps* s : {&c.ray, &c.angle_loss, &c.loss, &c.edge_loss, &c.on_return, &c.dropout, &c.velocity})
      steps(*s);
    if (c.tolerance_count == 0 || !see("tolerances", c.tolerances, c.tolerance_count)) return;
    for (std::uint32_t i = 0; i < c.tolerance_count; ++i) {
      see("tolerances of entries", c.tolerances[i].of_entry, 1), entries(c.tolerances[i].entries);
    }
  }

  /// Arrays by place in the frame.
  void places(const device::FrameData& f, std::uint32_t first, std::size_t count) {
    using C = device::Channels;
    const C& o = f.out;
    for (const float* p : {o.range, o.clean_range, o.incidence, o.azimuth, o.elevation, o.intensity, o.depth,
                           o.clean_depth, o.energy, o.velocity}) {
      see_any("channels", p, first, count);
    }
    for (const float* p : {o.hit_world, o.hit_sensor, o.normal, o.clean_hit}) {
      for (std::size_t k = 0; k < 3; ++k) see_any("points", p, first + k * o.plane, count);
    }
    for (const std::uint32_t* p : {o.entity_id, o.triangle_id, o.label}) see_any("ids", p, first, count);
    see_any("reasons", o.reason, first, count), see_any("paths", o.path, first, count);
    for (const float* p : {f.image.dx, f.image.dy, f.image.dz}) see_any("image", p, first, count);
    see_any("rings", f.image.ring, first, count);
    see_any("correlated draws", f.fields, first, count);
    windowed(f, first, count);
    if (f.chain.edge_loss.count == 0) return;
    for (const float* p : {f.edges.nx, f.edges.ny, f.edges.nz}) see_any("edges", p, first, count);
    see_any("edges", f.edges.range_m, first, count), see_any("edges", f.edges.reached, first, count);
    see_any("edges", f.edges.entity, first, count);
  }

  void windowed(const device::FrameData& f, std::uint32_t first, std::size_t count) {
    const device::Windowed& w = f.windowed;
    if (!f.chain.has_window) return;
    for (const float* p : {w.range_m, w.disparity_px, w.matched_px, w.nx, w.ny, w.nz, w.dx, w.dy, w.dz}) {
      see("windows", p + first, count);
    }
    for (const std::uint32_t* p : {w.taken, w.entity, w.triangle}) see("windows", p + first, count);
    see("windows", w.reason + first, count);
    if (f.chain.window.min_area_px <= 1) return;
    see("regions", w.region + first, count), see("regions", w.area + first, count);
  }

  bool ok_ = true;
};

bool is_sound(const tree::SortedTree& t) {
  const bool keys = t.count == 0 || (is_of_gpu(t.boxes, t.count * sizeof(tree::Box)) &&
                                     is_of_gpu(t.keys[0], t.count * sizeof(std::uint64_t)) &&
                                     is_of_gpu(t.keys[1], t.count * sizeof(std::uint64_t)));
  const bool sound = keys && is_of_gpu(t.nodes, tree::sorted_nodes(t.count) * sizeof(tree::Node));
  if (!sound) complain("the tree of a world is not in the GPU's memory");
  return sound;
}

bool is_sound(const tree::MovedInstance& moved) {
  Piece* const piece = piece_of(moved.to, sizeof(tree::Instance));
  const bool sound = piece != nullptr && is_of_gpu(moved.box_to, sizeof(tree::Box));
  if (!sound) complain("an instance goes out of the GPU's memory");
  if (sound) piece->stays = true;
  return sound;
}

bool is_sound(const tree::Refit& r) {
  const bool sound = is_of_gpu(r.vertices, 1) && is_of_gpu(r.triangles, 1) && is_of_gpu(r.order, 1) &&
                     is_of_gpu(r.nodes, 1) && is_of_gpu(r.leaves, 1);
  if (!sound) complain("a mesh that deforms is not in the GPU's memory");
  return sound;
}

bool is_sound(const device::FieldJob& f) {
  const bool sound = is_of_gpu(f.kernel, sizeof(FieldKernel)) &&
                     is_of_gpu(f.white, std::size_t{f.white_threads()} * 4 * sizeof(float)) &&
                     is_of_gpu(f.half, std::size_t{f.half_threads()} * sizeof(float)) &&
                     is_of_gpu(f.out, std::size_t{f.threads()} * sizeof(float));
  if (!sound) complain("a field of correlated draws is not in the GPU's memory");
  return sound;
}

/// What a launch is given: jobs, a number, and how many threads for each job.
struct Launch {
  const void* jobs;
  std::uint32_t number, threads, job_count;
};

/// A launch, thread by thread; backwards, because threads of a GPU come in no order.
template <class Job, class Check, class Run>
void run_threads(const Launch& launch, Check check, Run run_thread) {
  const auto* jobs = static_cast<const Job*>(launch.jobs);
  if (!is_of_gpu(jobs, launch.job_count * sizeof(Job))) return complain("the jobs are not in the GPU's memory");
  for (std::uint32_t job = launch.job_count; job-- > 0;) {
    if (!check(jobs[job])) continue;
    for (std::uint32_t i = launch.threads; i-- > 0;) run_thread(jobs[job], i);
  }
}

constexpr std::array kKernels = {
    "fathom_render_rays",  "fathom_lose_edges",    "fathom_sort_instances",  "fathom_merge_instances",
    "fathom_build_nodes",  "fathom_refit_nodes",   "fathom_match_pixels",    "fathom_join_pixels",
    "fathom_count_pixels", "fathom_lose_speckles", "fathom_finish_rays",     "fathom_draw_white",
    "fathom_sum_across",   "fathom_sum_down",      "fathom_place_instances", "fathom_render_beams"};
std::array<char, kKernels.size()> kernel_names;  // their addresses stand for the functions

void run_kernel(std::size_t kernel, const Launch& launch) {
  if (gpu().launch_ms > 0) std::this_thread::sleep_for(std::chrono::milliseconds(gpu().launch_ms));
  const std::uint32_t number = launch.number;
  const auto sound = [](const auto& job) { return is_sound(job); };
  const auto rays = [&](const device::FrameData& f) { return JobCheck().rays(f, number, number + launch.threads); };
  const auto any = [](const device::FrameData&) { return true; };
  using device::FrameData, device::FieldJob, tree::SortedTree, tree::MovedInstance, tree::Refit;
  using I = std::uint32_t;
  switch (kernel) {
    case 0:
      return run_threads<FrameData>(launch, rays, [&](const auto& f, I i) { device::render_ray(f, number + i); });
    case 1:
      return run_threads<FrameData>(launch, any, [&](const auto& f, I i) { device::lose_edge(f, number + i); });
    case 2:
      return run_threads<SortedTree>(launch, sound, [](const auto& t, I i) { tree::sort_in_run(t, i); });
    case 3:
      return run_threads<SortedTree>(launch, sound, [&](const auto& t, I i) { tree::merge_key(t, number, i); });
    case 4:
      return run_threads<SortedTree>(launch, sound, [&](const auto& t, I i) { tree::build_sorted_node(t, number, i); });
    case 5:
      return run_threads<Refit>(launch, sound, [&](const auto& r, I i) { tree::refit_task(r, number + i); });
    case 6:
      return run_threads<FrameData>(launch, any, [&](const auto& f, I i) { device::match_pixel(f, number + i); });
    case 7:
      return run_threads<FrameData>(launch, any, [&](const auto& f, I i) { device::join_pixel(f, number + i); });
    case 8:
      return run_threads<FrameData>(launch, any, [&](const auto& f, I i) { device::count_pixel(f, number + i); });
    case 9:
      return run_threads<FrameData>(launch, any, [&](const auto& f, I i) { device::lose_speckle(f, number + i); });
    case 10:
      return run_threads<FrameData>(launch, rays, [&](const auto& f, I i) { device::finish_ray(f, number + i); });
    case 11:
      return run_threads<FieldJob>(launch, sound, [&](const auto& f, I i) { device::draw_white(f, number + i); });
    case 12:
      return run_threads<FieldJob>(launch, sound, [&](const auto& f, I i) { device::sum_field_across(f, number + i); });
    case 13:
      return run_threads<FieldJob>(launch, sound, [&](const auto& f, I i) { device::sum_field_down(f, number + i); });
    case 14:
      return run_threads<MovedInstance>({launch.jobs, 0, 1, number}, sound,
                                        [](const auto& moved, I) { tree::place_instance(moved); });
    default:
      return run_threads<FrameData>(launch, rays, [&](const auto& f, I i) { device::render_beam(f, number + i); });
  }
}

int add_task(void* stream, Task task) {
  const auto found = gpu().streams.find(stream);
  if (found == gpu().streams.end()) {
    complain("work for a stream that is not there");
    return kInvalidValue;
  }
  found->second.push_back(std::move(task));
  return 0;
}

template <class T>
int give_back(T& things, void* name) {
  if (things.erase(name) == 1) return 0;
  complain("something is given back that is not there");
  return kInvalidValue;
}

CudaAddress allocate(std::size_t bytes, int number = 0) {
  FakeGpu& g = gpu();
  if (bytes == 0 || bytes > g.limit - g.used) return 0;
  const std::size_t pages = (bytes + kPage - 1) / kPage * kPage;
  void* at = mmap(nullptr, pages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return 0;
  std::memset(at, g.fill, pages);
  mprotect(at, pages, PROT_NONE);
  g.memory[reinterpret_cast<CudaAddress>(at)] = {bytes, pages, number, false};
  g.used += bytes;
  return reinterpret_cast<CudaAddress>(at);
}

}  // namespace

#define FATHOM_CALL(name, ...)             \
  const std::scoped_lock held(gpu().lock); \
  if (const int error = enter(name __VA_OPT__(, ) __VA_ARGS__)) return error

extern "C" {

FATHOM_FAKE int cuInit(unsigned /*flags*/) {
  FATHOM_CALL("cuInit", false);
  return gpu().gpus == 0 ? 100 : 0;
}
FATHOM_FAKE int cuDriverGetVersion(int* version) {
  FATHOM_CALL("cuDriverGetVersion", false);
  *version = gpu().version;
  return 0;
}
FATHOM_FAKE int cuDeviceGetCount(int* count) {
  FATHOM_CALL("cuDeviceGetCount", false);
  *count = gpu().gpus;
  return 0;
}
FATHOM_FAKE int cuDeviceGet(int* device, int number) {
  FATHOM_CALL("cuDeviceGet", false);
  *device = number;
  return number < gpu().gpus ? 0 : kInvalidDevice;
}
FATHOM_FAKE int cuDeviceGetName(char* name, int size, int /*device*/) {
  FATHOM_CALL("cuDeviceGetName", false);
  std::strncpy(name, "no GPU at all", static_cast<std::size_t>(size));
  return 0;
}
FATHOM_FAKE int cuDeviceGetAttribute(int* value, int attribute, int /*device*/) {
  FATHOM_CALL("cuDeviceGetAttribute", false);
  *value = attribute == 75 ? gpu().major : 0;
  return 0;
}
FATHOM_FAKE int cuDevicePrimaryCtxRetain(CudaContext* context, int /*device*/) {
  FATHOM_CALL("cuDevicePrimaryCtxRetain", false);
  ++gpu().context_users;
  *context = reinterpret_cast<CudaContext>(&gpu());
  return 0;
}
FATHOM_FAKE int cuDevicePrimaryCtxRelease_v2(int /*device*/) {
  FATHOM_CALL("cuDevicePrimaryCtxRelease_v2", false);
  FakeGpu& g = gpu();
  if (--g.context_users > 0) return 0;
  if (g.broken == 0 && !g.callers && !(g.memory.empty() && g.pinned.empty() && g.streams.empty())) {
    complain("a context leaks");
  }
  if (g.callers && g.broken == 0) return 0;
  for (const auto& [address, piece] : g.memory) munmap(reinterpret_cast<void*>(address), piece.pages);
  for (const auto& [address, bytes] : g.pinned) std::free(const_cast<std::byte*>(address));
  g.memory.clear(), g.pinned.clear(), g.streams.clear(), g.done.clear(), g.events.clear(), g.modules.clear();
  g.used = 0, g.broken = 0;
  return 0;
}
FATHOM_FAKE int cuCtxPushCurrent_v2(CudaContext context) {
  FATHOM_CALL("cuCtxPushCurrent_v2", false);
  contexts.push_back(context);
  return 0;
}
FATHOM_FAKE int cuCtxPopCurrent_v2(CudaContext* context) {
  FATHOM_CALL("cuCtxPopCurrent_v2", false);
  if (contexts.empty()) return kInvalidContext;
  *context = static_cast<CudaContext>(contexts.back());
  contexts.pop_back();
  return 0;
}
FATHOM_FAKE int cuModuleLoadDataEx(CudaModule* module, const void* image, unsigned options, int* names, void** values) {
  if (options == 2 && names[0] == 5 && names[1] == 6) {  // CU_JIT_ERROR_LOG_BUFFER, and its size
    std::strncpy(static_cast<char*>(values[0]), gpu().log.c_str(), reinterpret_cast<std::size_t>(values[1]));
  }
  FATHOM_CALL("cuModuleLoadDataEx");
  if (std::string(static_cast<const char*>(image)).find(".target sm_60") == std::string::npos) return 218;
  gpu().modules.insert(*module = named<CudaModule>());
  return 0;
}
FATHOM_FAKE int cuModuleUnload(CudaModule module) {
  FATHOM_CALL("cuModuleUnload");
  return give_back(gpu().modules, module);
}
FATHOM_FAKE int cuModuleGetFunction(CudaFunction* function, CudaModule /*module*/, const char* name) {
  FATHOM_CALL("cuModuleGetFunction");
  const auto* const found = std::find(kKernels.begin(), kKernels.end(), std::string_view(name));
  if (found == kKernels.end()) return 500;
  *function = reinterpret_cast<CudaFunction>(&kernel_names[static_cast<std::size_t>(found - kKernels.begin())]);
  return 0;
}
FATHOM_FAKE int cuFuncGetAttribute(int* value, int /*attribute*/, CudaFunction /*function*/) {
  FATHOM_CALL("cuFuncGetAttribute");
  *value = 0;
  return 0;
}
FATHOM_FAKE int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* groups, CudaFunction /*function*/, int /*threads*/,
                                                            std::size_t /*shared*/) {
  FATHOM_CALL("cuOccupancyMaxActiveBlocksPerMultiprocessor");
  *groups = 0;
  return 0;
}
FATHOM_FAKE int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  FATHOM_CALL("cuMemGetInfo_v2");
  *total = gpu().limit, *free = gpu().limit - gpu().used;
  return 0;
}
FATHOM_FAKE int cuMemAlloc_v2(CudaAddress* address, std::size_t bytes) {
  FATHOM_CALL("cuMemAlloc_v2");
  *address = allocate(bytes);
  return *address == 0 ? kOutOfMemory : 0;
}
FATHOM_FAKE int cuMemFree_v2(CudaAddress address) {
  FATHOM_CALL("cuMemFree_v2");
  const auto found = gpu().memory.find(address);
  if (found == gpu().memory.end()) {
    complain("memory is given back that is not there");
    return kInvalidValue;
  }
  munmap(reinterpret_cast<void*>(address), found->second.pages);
  gpu().used -= found->second.bytes;
  gpu().memory.erase(found);
  return 0;
}
FATHOM_FAKE int cuMemHostAlloc(void** memory, std::size_t bytes, unsigned /*flags*/) {
  FATHOM_CALL("cuMemHostAlloc");
  *memory = std::malloc(bytes);
  std::memset(*memory, gpu().fill, bytes);
  gpu().pinned[static_cast<std::byte*>(*memory)] = bytes;
  return 0;
}
FATHOM_FAKE int cuMemFreeHost(void* memory) {
  FATHOM_CALL("cuMemFreeHost");
  if (gpu().pinned.erase(static_cast<std::byte*>(memory)) == 0) return kInvalidValue;
  std::free(memory);
  return 0;
}
FATHOM_FAKE int cuPointerGetAttribute(void* value, int attribute, CudaAddress address) {
  FATHOM_CALL("cuPointerGetAttribute", false);
  const Piece* piece = piece_of(reinterpret_cast<const void*>(address), 1);
  if (piece == nullptr || attribute != 9) return kInvalidValue;  // CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
  *static_cast<int*>(value) = piece->gpu;
  return 0;
}
FATHOM_FAKE int cuMemcpyHtoDAsync_v2(CudaAddress to, const void* from, std::size_t bytes, CudaStream stream) {
  FATHOM_CALL("cuMemcpyHtoDAsync_v2");
  auto* const there = reinterpret_cast<void*>(to);
  if (!is_of_gpu(there, bytes)) {
    complain("a copy goes out of the GPU's memory");
    return kInvalidValue;
  }
  gpu().bytes += bytes;
  if (is_pinned(from, bytes)) return add_task(stream, [=] { std::memcpy(there, from, bytes); });
  piece_of(there, bytes)->stays = true;                     // a frame's own data come from pinned memory
  const auto* first = static_cast<const std::byte*>(from);  // a driver takes it at once
  return add_task(stream,
                  [there, kept = std::vector(first, first + bytes)] { std::memcpy(there, kept.data(), kept.size()); });
}
FATHOM_FAKE int cuMemcpyDtoHAsync_v2(void* to, CudaAddress from, std::size_t bytes, CudaStream stream) {
  FATHOM_CALL("cuMemcpyDtoHAsync_v2");
  const auto* const there = reinterpret_cast<const void*>(from);
  if (!is_of_gpu(there, bytes)) complain("a copy comes out of memory that is not the GPU's");
  if (!is_pinned(to, bytes)) complain("a copy goes to memory that is not pinned");
  return add_task(stream, [=] { std::memcpy(to, there, bytes); });
}
FATHOM_FAKE int cuMemsetD32Async(CudaAddress to, unsigned value, std::size_t count, CudaStream stream) {
  FATHOM_CALL("cuMemsetD32Async");
  auto* const there = reinterpret_cast<unsigned*>(to);
  if (!is_of_gpu(there, count * sizeof(unsigned))) {
    complain("numbers are set that are not in the GPU's memory");
    return kInvalidValue;
  }
  return add_task(stream, [=] { std::fill_n(there, count, value); });
}
FATHOM_FAKE int cuStreamCreate(CudaStream* stream, unsigned /*flags*/) {
  FATHOM_CALL("cuStreamCreate");
  gpu().streams[*stream = named<CudaStream>()] = {};
  return 0;
}
FATHOM_FAKE int cuStreamDestroy_v2(CudaStream stream) {
  FATHOM_CALL("cuStreamDestroy_v2");
  gpu().done.erase(stream);
  return give_back(gpu().streams, stream);
}
FATHOM_FAKE int cuStreamSynchronize(CudaStream stream) {
  FATHOM_CALL("cuStreamSynchronize");
  run(stream, gpu().streams[stream].size());
  gpu().streams[stream].clear(), gpu().done[stream] = 0;
  for (auto& [event, place] : gpu().events) {
    if (place.first == stream) place = {nullptr, 0};
  }
  return 0;
}
FATHOM_FAKE int cuEventCreate(CudaEvent* event, unsigned /*flags*/) {
  FATHOM_CALL("cuEventCreate");
  gpu().events[*event = named<CudaEvent>()] = {nullptr, 0};
  return 0;
}
FATHOM_FAKE int cuEventDestroy_v2(CudaEvent event) {
  FATHOM_CALL("cuEventDestroy_v2");
  return give_back(gpu().events, event);
}
FATHOM_FAKE int cuEventRecord(CudaEvent event, CudaStream stream) {
  FATHOM_CALL("cuEventRecord");
  gpu().events[event] = {stream, gpu().streams[stream].size()};
  return 0;
}
FATHOM_FAKE int cuEventSynchronize(CudaEvent event) {
  FATHOM_CALL("cuEventSynchronize");
  const auto [stream, count] = gpu().events[event];
  if (stream != nullptr) run(stream, count);
  return 0;
}
FATHOM_FAKE int cuLaunchKernel(CudaFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                               unsigned block_x, unsigned block_y, unsigned block_z, unsigned /*shared*/,
                               CudaStream stream, void** arguments, void** /*extra*/) {
  FATHOM_CALL("cuLaunchKernel");
  if (grid_x == 0 || grid_y == 0 || grid_y > 65535 || grid_z != 1 || block_x > 1024 || block_y != 1 || block_z != 1) {
    complain("a grid that no GPU takes");
    return kInvalidValue;
  }
  const auto kernel = static_cast<std::size_t>(reinterpret_cast<char*>(function) - kernel_names.data());
  const Launch launch = {*static_cast<const void* const*>(arguments[0]),
                         *static_cast<const std::uint32_t*>(arguments[1]), grid_x * block_x, grid_y};
  ++gpu().calls[kKernels[kernel]];
  return add_task(stream, [=] { run_kernel(kernel, launch); });
}
FATHOM_FAKE int cuGetErrorString(int error, const char** text) {
  *text = error == kOutOfMemory ? "out of memory" : error == 719 ? "unspecified launch failure" : "some error";
  return 0;
}
FATHOM_FAKE int cuGetErrorName(int error, const char** name) {
  *name = error == kOutOfMemory ? "CUDA_ERROR_OUT_OF_MEMORY" : error == 719 ? "CUDA_ERROR_LAUNCH_FAILED" : "CUDA_ERROR";
  return 0;
}

}  // extern "C"

namespace fathom::test::fake_cuda {

void reset() {
  FakeGpu& g = gpu();
  const std::scoped_lock held(g.lock);
  g.gpus = 1, g.major = 6, g.version = 13000, g.launch_ms = 0, g.limit = ~std::size_t{0}, g.callers = false,
  g.fill = 0xA5;
  g.bytes = 0;
  g.calls.clear(), g.failures.clear(), g.complaints.clear(), g.log.clear();
}
void fail(const std::string& call, int number, int error, bool for_good) {
  const std::scoped_lock held(gpu().lock);
  gpu().failures[call] = {number, error, for_good};
}
void set_gpus(int count) { gpu().gpus = count; }
void set_compute_capability(int major) { gpu().major = major; }
void set_driver_version(int version) { gpu().version = version; }
void set_memory(std::size_t bytes) { gpu().limit = bytes; }
void set_launch_ms(int milliseconds) { gpu().launch_ms = milliseconds; }
int calls(const std::string& name) {
  const std::scoped_lock held(gpu().lock);
  return gpu().calls[name];
}
std::size_t bytes_sent() {
  const std::scoped_lock held(gpu().lock);
  return gpu().bytes;
}
std::size_t alive() {
  FakeGpu& g = gpu();
  const std::scoped_lock held(g.lock);
  return g.memory.size() + g.pinned.size() + g.streams.size() + g.events.size() + g.modules.size() +
         static_cast<std::size_t>(g.context_users);
}
std::string complaints() {
  const std::scoped_lock held(gpu().lock);
  return gpu().complaints;
}
void set_fill(unsigned char fill) { gpu().fill = fill; }
void spoil() {
  FakeGpu& g = gpu();
  const std::scoped_lock held(g.lock);
  protect(PROT_READ | PROT_WRITE);
  for (const auto& [address, piece] : g.memory) {
    if (!piece.stays) std::memset(reinterpret_cast<void*>(address), g.fill, piece.bytes);
  }
  protect(PROT_NONE);
  for (const auto& [address, bytes] : g.pinned) std::memset(const_cast<std::byte*>(address), g.fill, bytes);
}
void set_translator_log(const std::string& log) { gpu().log = log; }
std::uintptr_t make_stream() {
  const std::scoped_lock held(gpu().lock);
  gpu().callers = true;
  void* const name = new_name();
  gpu().streams[name] = {};
  return reinterpret_cast<std::uintptr_t>(name);
}
void* make_memory(std::size_t bytes, int number) {
  const std::scoped_lock held(gpu().lock);
  gpu().callers = true;
  return reinterpret_cast<void*>(allocate(bytes, number));
}
void free_stream(std::uintptr_t stream) {
  const std::scoped_lock held(gpu().lock);
  gpu().streams.erase(reinterpret_cast<void*>(stream));
}
void free_memory(void* memory) {
  const std::scoped_lock held(gpu().lock);
  const auto found = gpu().memory.find(reinterpret_cast<CudaAddress>(memory));
  munmap(memory, found->second.pages);
  gpu().used -= found->second.bytes;
  gpu().memory.erase(found);
}
void read(const void* from, std::size_t bytes, void* to) {
  const std::scoped_lock held(gpu().lock);
  protect(PROT_READ);
  std::memcpy(to, from, bytes);
  protect(PROT_NONE);
}

}  // namespace fathom::test::fake_cuda
