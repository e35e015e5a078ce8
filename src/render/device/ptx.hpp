// SPDX-License-Identifier: MIT
#pragma once

namespace fathom::device {

/// The code of kernels.cu as PTX, which the driver of a GPU translates; empty in a build without a compiler for it.
const char* ptx();

}  // namespace fathom::device
