// SPDX-License-Identifier: MIT
#include "render/device/gpu.hpp"

#ifdef FATHOM_PTX_FILE

// The assembler reads the file; CMakeLists.txt says which.
__asm__(
    ".pushsection .rodata\n"
    ".hidden fathom_ptx_begin\n"
    ".global fathom_ptx_begin\n"
    ".balign 16\n"
    "fathom_ptx_begin:\n"
    ".incbin \"" FATHOM_PTX_FILE
    "\"\n"
    ".byte 0\n"
    ".popsection\n");

extern "C" {
extern const char fathom_ptx_begin[];
}

namespace fathom::device {
const char* ptx() { return fathom_ptx_begin; }
}  // namespace fathom::device

#else

namespace fathom::device {
const char* ptx() { return ""; }
}  // namespace fathom::device

#endif
