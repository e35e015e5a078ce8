// SPDX-License-Identifier: MIT
#pragma once
// Marks what libfathom.so exports; everything else has hidden visibility.

#define FATHOM_API __attribute__((visibility("default")))

/// A private function of an exported class that only the library calls.
#define FATHOM_HIDDEN __attribute__((visibility("hidden")))

/// Kernels are inlined into their caller whatever the optimisation level: the same source is compiled once per
/// instruction set, and an out-of-line copy of an AVX-512 build could otherwise be picked by the linker for all. The
/// compiler of device code takes them for both sides.
#if defined(__CUDA__)
#define FATHOM_KERNEL [[gnu::always_inline]] __attribute__((host, device)) inline
#define FATHOM_HOST_DEVICE __attribute__((host, device))
#else
#define FATHOM_HOST_DEVICE
#define FATHOM_KERNEL [[gnu::always_inline]] inline
#endif
