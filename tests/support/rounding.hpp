// SPDX-License-Identifier: MIT
#pragma once

#include <fathom/base/compute.hpp>

namespace fathom::test {

/// How far a range of Embree's may be off, relative to itself, where the ray meets the surface head-on; elsewhere
/// divided by the cosine of incidence. Embree divides by estimates of reciprocals, which differ between instruction
/// sets and between makers of processors. So no test compares such a range with a number for equality. It may compare
/// two runs of the same code on the same processor.
inline constexpr float kEmbreeRounding = 2.2e-7F;

/// How far a range along an axis to a surface across it may be off, relative to itself, where all numbers are short.
/// fathom's own tracer computes it from exact products and one division.
inline constexpr float rounding_along_axes(CasterKind caster) {
  return caster == CasterKind::kTree ? 0.0F : kEmbreeRounding;
}

}  // namespace fathom::test
