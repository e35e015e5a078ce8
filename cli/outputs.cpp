// SPDX-License-Identifier: MIT
#include "outputs.hpp"

#include <system_error>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

namespace fathom_cli {

void refuse_inputs(const Paths& files, const Paths& inputs) {
  for (const auto& file : files) {
    for (const auto& input : inputs) {
      std::error_code error;  // a file that is not there is not another one
      if (!std::filesystem::equivalent(file, input, error)) continue;
      throw fathom::InputError(
          fmt::format("{}: is an input too ({}); give --out another name", file.string(), input.string()));
    }
  }
}

void check_new_file(const std::filesystem::path& file, bool force, const Paths& inputs) {
  std::error_code error;
  const auto status = std::filesystem::symlink_status(file, error);
  if (!std::filesystem::exists(status)) return;
  if (std::filesystem::is_directory(file, error)) {
    throw fathom::InputError(fmt::format("{}: is a folder", file.string()));
  }
  refuse_inputs({file}, inputs);
  if (!force) throw fathom::InputError(fmt::format("{}: exists already; --force replaces it", file.string()));
}

}  // namespace fathom_cli
