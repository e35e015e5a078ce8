// SPDX-License-Identifier: MIT
#include "bag/check_bag_file.hpp"

#include <system_error>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

namespace fathom {

void check_bag_file(const std::filesystem::path& file, const std::vector<std::filesystem::path>& inputs, bool force) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return;
  for (const std::filesystem::path& input : inputs) {
    if (!std::filesystem::equivalent(file, input, error)) continue;
    throw InputError(fmt::format("{}: is read for the scene, and the bag would replace it", file.string()));
  }
  if (!std::filesystem::is_regular_file(file, error))
    throw InputError(fmt::format("{}: is no file that a bag could replace", file.string()));
  if (!force) throw InputError(fmt::format("{}: exists already; force (--force) replaces it", file.string()));
}

}  // namespace fathom
