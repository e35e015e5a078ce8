// SPDX-License-Identifier: MIT
#include "beam/ks_distance.hpp"

#include <algorithm>
#include <cstddef>

namespace fathom {

double ks_distance_uniform(std::span<double> u) {
  std::sort(u.begin(), u.end());
  const auto n = static_cast<double>(u.size());
  double distance = 0.0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    const auto rank = static_cast<double>(i);
    distance = std::max({distance, u[i] - rank / n, (rank + 1.0) / n - u[i]});
  }
  return distance;
}

}  // namespace fathom
