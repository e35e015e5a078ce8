// SPDX-License-Identifier: MIT
#include "io/picture/lettering.hpp"

// The assembler reads the file that CMakeLists.txt names.
__asm__(
    ".pushsection .rodata\n"
    ".hidden fathom_font_begin\n"
    ".hidden fathom_font_end\n"
    ".global fathom_font_begin\n"
    ".global fathom_font_end\n"
    ".balign 16\n"
    "fathom_font_begin:\n"
    ".incbin \"" FATHOM_FONT_FILE
    "\"\n"
    "fathom_font_end:\n"
    ".byte 0\n"
    ".popsection\n");

extern "C" {
extern const std::byte fathom_font_begin[], fathom_font_end[];
}

namespace fathom {

std::span<const std::byte> font_file() { return {fathom_font_begin, fathom_font_end}; }

}  // namespace fathom
