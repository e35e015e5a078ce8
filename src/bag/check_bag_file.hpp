// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <vector>

namespace fathom {

/// Throws InputError when a bag of this name would replace one of the inputs or, unless `force`, anything.
void check_bag_file(const std::filesystem::path& file, const std::vector<std::filesystem::path>& inputs, bool force);

}  // namespace fathom
