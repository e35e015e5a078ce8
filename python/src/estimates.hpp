// SPDX-License-Identifier: MIT
#pragma once
// Values with their errors as Python's values.

#include <vector>

#include <fathom/calibrate/calibrate.hpp>

#include "binding.hpp"

namespace fathom::python {

/// (value, std_error)
inline py::tuple estimate(const Estimate& e) { return py::make_tuple(e.value, e.std_error); }

inline py::list estimates(const std::vector<Estimate>& many) {
  py::list list;
  for (const Estimate& e : many) list.append(estimate(e));
  return list;
}

}  // namespace fathom::python
