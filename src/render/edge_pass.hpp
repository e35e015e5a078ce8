// SPDX-License-Identifier: MIT
#pragma once
// Edge loss looks at neighbours, so it runs over the image when every block is done. In the order of a frame it stands
// before hit noise: a return that it loses is reported so even if a later stage lost it as well. With a window
// (window_pass.hpp) it runs between the two halves of the blocks, and what it loses is not there for the window.

#include <fathom/frame/frame.hpp>

#include "base/compute.hpp"
#include "render/render.hpp"

namespace fathom {

void lose_edges(const RenderJob& job, Executor& executor, Frame& frame);

}  // namespace fathom
