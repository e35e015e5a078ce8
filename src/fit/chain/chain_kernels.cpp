// SPDX-License-Identifier: MIT
// Compiled once per instruction set, FATHOM_ISA naming it.

#include "fit/chain/chain_kernels.hpp"

#include <fathom/core/f64.hpp>

namespace fathom::FATHOM_ISA {

namespace {

[[gnu::noinline]] void join(const double* __restrict kept, const double* __restrict range_part,
                            const double* __restrict lost, std::size_t count, double least_log,
                            double* __restrict nats) {
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_lost = lost[i] != 0.0;
    const double p = math::select(is_lost, 1.0 - kept[i] * range_part[i], kept[i]);
    const double sum = math::log(math::select(p > 0.0, p, 1.0)) + math::select(is_lost, 0.0, range_part[i]);
    nats[i] = math::select((p > 0.0) & (sum > least_log), sum, least_log);
  }
}

[[gnu::noinline]] void double_tails(const double* __restrict x, std::size_t count, double* __restrict tails) {
  for (std::size_t i = 0; i < count; ++i) tails[i] = math::erfc(__builtin_fabs(x[i]) * math::kSqrtHalf);
}

}  // namespace

const ChainKernels kChainKernels = {&join, &double_tails};

}  // namespace fathom::FATHOM_ISA
