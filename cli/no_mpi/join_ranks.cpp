// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "ranks.hpp"

namespace fathom_cli {

std::unique_ptr<fathom::Ranks> join_ranks(const Environment& environment) {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    const auto size = environment(name);
    if (!size || *size == "1") continue;
    throw fathom::InputError(fmt::format(
        "{} is {}: several processes learn one model where fathom is built with -DFATHOM_MPI=ON; this one is not", name,
        *size));
  }
  return nullptr;
}

}  // namespace fathom_cli
