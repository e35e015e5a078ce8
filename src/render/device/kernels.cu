// SPDX-License-Identifier: MIT
// The threads of a device. clang compiles this to PTX (cmake/FathomPtx.cmake); the library contains only the PTX.

// The words that libstdc++ needs under CUDA, instead of a toolkit's headers: before any other header.
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __constant__ __attribute__((constant))
#define __shared__ __attribute__((shared))
#include <cstdlib>

#include "trace/tree/sorted_tree.hpp"
#include "render/device/layout_table.hpp"
#include "render/device/render_ray.hpp"
#include "render/field_math.hpp"

// A group is as large as Stream::kGroup. A multiprocessor holds four groups, which leaves 128 registers for a thread.
#define FATHOM_ENTRY extern "C" __attribute__((global, launch_bounds(128, 4)))

/// Where the compiler of the device puts fields, for a test to compare.
extern "C" __attribute__((constant)) const fathom::device::LayoutTable fathom_layout = fathom::device::kLayout;

namespace {

__attribute__((device)) unsigned thread() {
  return __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
}

/// Each job of a frame has a row of the grid.
__attribute__((device)) unsigned job() { return __nvvm_read_ptx_sreg_ctaid_y(); }

}  // namespace

/// A thread for each of `count` instances that changed.
FATHOM_ENTRY void fathom_place_instances(const fathom::tree::MovedInstance* moved, unsigned count) {
  if (thread() < count) fathom::tree::place_instance(moved[thread()]);
}

/// The first pass over the instances of each world.
FATHOM_ENTRY void fathom_sort_instances(const fathom::tree::SortedTree* trees, unsigned) {
  fathom::tree::sort_in_run(trees[job()], thread());
}

/// A later one.
FATHOM_ENTRY void fathom_merge_instances(const fathom::tree::SortedTree* trees, unsigned pass) {
  fathom::tree::merge_key(trees[job()], pass, thread());
}

/// A thread for each node of a level of the worlds' trees, from the lowest level up.
FATHOM_ENTRY void fathom_build_nodes(const fathom::tree::SortedTree* trees, unsigned level) {
  fathom::tree::build_sorted_node(trees[job()], level, thread());
}

/// A thread for each child of a deformed mesh's nodes from `first` on.
FATHOM_ENTRY void fathom_refit_nodes(const fathom::tree::Refit* refits, unsigned first) {
  fathom::tree::refit_task(refits[job()], first + thread());
}

/// A thread for each quad of white draws from `first` on, for each of the fields.
FATHOM_ENTRY void fathom_draw_white(const fathom::device::FieldJob* fields, unsigned first) {
  fathom::device::draw_white(fields[job()], first + thread());
}

/// A thread for each pixel of a row, once all white draws are there.
FATHOM_ENTRY void fathom_sum_across(const fathom::device::FieldJob* fields, unsigned first) {
  fathom::device::sum_field_across(fields[job()], first + thread());
}

/// A thread for each pixel, once all rows are there.
FATHOM_ENTRY void fathom_sum_down(const fathom::device::FieldJob* fields, unsigned first) {
  fathom::device::sum_field_down(fields[job()], first + thread());
}

/// A thread for each lane from `first` on, for each of the jobs.
FATHOM_ENTRY void fathom_render_rays(const fathom::device::FrameData* jobs, unsigned first) {
  fathom::device::render_ray(jobs[job()], first + thread());
}

/// The same for rays that widen.
FATHOM_ENTRY void fathom_render_beams(const fathom::device::FrameData* jobs, unsigned first) {
  fathom::device::render_beam(jobs[job()], first + thread());
}

/// A thread for each pixel from `first` on, once all rays are there.
FATHOM_ENTRY void fathom_lose_edges(const fathom::device::FrameData* jobs, unsigned first) {
  fathom::device::lose_edge(jobs[job()], first + thread());
}

/// The window: a thread for each pixel from `first` on, as in the three that follow.
FATHOM_ENTRY void fathom_match_pixels(const fathom::device::FrameData* jobs, unsigned first) {
  fathom::device::match_pixel(jobs[job()], first + thread());
}
FATHOM_ENTRY void fathom_join_pixels(const fathom::device::FrameData* jobs, unsigned first) {
  fathom::device::join_pixel(jobs[job()], first + thread());
}
FATHOM_ENTRY void fathom_count_pixels(const fathom::device::FrameData* jobs, unsigned first) {
  fathom::device::count_pixel(jobs[job()], first + thread());
}
FATHOM_ENTRY void fathom_lose_speckles(const fathom::device::FrameData* jobs, unsigned first) {
  fathom::device::lose_speckle(jobs[job()], first + thread());
}

/// The rest of a frame with a window: a thread for each lane from `first` on.
FATHOM_ENTRY void fathom_finish_rays(const fathom::device::FrameData* jobs, unsigned first) {
  fathom::device::finish_ray(jobs[job()], first + thread());
}
