// SPDX-License-Identifier: MIT
#include "dataset/fail_at.hpp"

#include <system_error>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

namespace fathom {

void fail_at(const std::filesystem::path& path, std::string_view action, int reason) {
  throw SystemError(fmt::format("{}: cannot {}: {}", path.string(), action, std::generic_category().message(reason)));
}

}  // namespace fathom
