// SPDX-License-Identifier: MIT
#pragma once
// Marks what libfathom.so exports; everything else has hidden visibility.

#define FATHOM_API __attribute__((visibility("default")))

/// A private function of an exported class that only the library calls.
#define FATHOM_HIDDEN __attribute__((visibility("hidden")))

/// Kernels are always inlined into their caller. The same source is compiled once per instruction set, and the linker
/// could otherwise pick an out-of-line copy of the AVX-512 build for all. Device code compiles them for both sides.
#if defined(__CUDA__)
#define FATHOM_KERNEL [[gnu::always_inline]] __attribute__((host, device)) inline
#define FATHOM_HOST_DEVICE __attribute__((host, device))
#else
#define FATHOM_HOST_DEVICE
#define FATHOM_KERNEL [[gnu::always_inline]] inline
#endif
