// SPDX-License-Identifier: MIT
#pragma once

namespace fathom::test {

/// How far a range of Embree's may be off, relative to itself, where the ray meets the surface head-on; elsewhere
/// divided by the cosine of incidence. Embree divides by estimates of reciprocals, which differ between instruction
/// sets and between makers of processors. So no test compares such a range with a number for equality. It may compare
/// two runs of the same code on the same processor.
inline constexpr float kRangeRounding = 2.2e-7F;

}  // namespace fathom::test
