// SPDX-License-Identifier: MIT
#pragma once
// What kernels.cu is compiled with in place of a toolkit's headers: the words that libstdc++ looks for under CUDA.

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __constant__ __attribute__((constant))
#define __shared__ __attribute__((shared))
#include <cstdlib>
