// SPDX-License-Identifier: MIT
#pragma once
// The type of a model's kernel, without the blocks that it works on: noise.hpp stays light. drive.hpp has the blocks.

namespace fathom {

struct NoiseKey;
struct RayBlock;
struct ReturnBlock;
struct DrawBuffer;

/// Applies a model, type erased, to a block. Which of the two blocks it touches follows from the model's stage.
using BlockKernel = void (*)(const void* model, const NoiseKey& key, RayBlock& rays, ReturnBlock& returns,
                             DrawBuffer& draws);

}  // namespace fathom
