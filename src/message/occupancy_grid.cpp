// SPDX-License-Identifier: MIT
#include "message/occupancy_grid.hpp"

#include <fmt/format.h>

#include <fathom/base/error.hpp>

namespace fathom::msg {

void OccupancyGrid::check() const {
  if (std::uint64_t{info.width} * info.height == data.size()) return;
  throw InputError(fmt::format("{} values for {} x {} cells", data.size(), info.width, info.height));
}

}  // namespace fathom::msg
