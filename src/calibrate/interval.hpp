// SPDX-License-Identifier: MIT
#pragma once

namespace fathom {

struct Interval {
  double low, high;  ///< NaN: none
};

}  // namespace fathom
