// SPDX-License-Identifier: MIT
// Apart from main.cpp, which takes seconds to compile: only this file depends on the optional libraries of the build.
#include "text.hpp"

namespace fathom_cli {

Features features() { return {FATHOM_BUILT_IN, FATHOM_LEFT_OUT}; }

}  // namespace fathom_cli
