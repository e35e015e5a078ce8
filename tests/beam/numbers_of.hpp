// SPDX-License-Identifier: MIT
#pragma once

#include <fathom/base/field.hpp>
#include <fathom/beam/fit.hpp>

namespace fathom::test {

/// One number of each parameter of a fit, such as its standard error.
inline BeamParameters numbers_of(const BeamFit& fit, double FitParameter::*number) {
  BeamParameters numbers;
  numbers.tail.hit = fit.model.tail.hit;
  for (const auto& field : BeamParameters::fields()) numbers.*member_of<double>(field) = fit[field.name].*number;
  if (!numbers.tail.is_extended()) return numbers;
  const auto field = HitTail::field_of(numbers.tail.hit);
  numbers.tail.*member_of<double>(field) = fit[field.name].*number;
  return numbers;
}

}  // namespace fathom::test
