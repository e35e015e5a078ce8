// SPDX-License-Identifier: MIT
// The threads of a device. clang compiles this to PTX (cmake/FathomPtx.cmake); it is no part of the library otherwise.

#include "render/device/render_ray.hpp"

namespace {

__attribute__((device)) unsigned thread() {
  return __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
}

}  // namespace

extern "C" __attribute__((global)) void fathom_render_rays(const fathom::device::FrameData* frame) {
  fathom::device::render_ray(*frame, thread());
}

extern "C" __attribute__((global)) void fathom_lose_edges(const fathom::device::FrameData* frame) {
  fathom::device::lose_edge(*frame, thread());
}
