// SPDX-License-Identifier: MIT
#pragma once
// The data that may be absent.

#include <filesystem>

#include "support/temporary_folder.hpp"

namespace fathom::test {

inline std::filesystem::path shared_data() { return std::filesystem::path(FATHOM_SOURCE_DIR) / "../shared/data"; }

}  // namespace fathom::test
