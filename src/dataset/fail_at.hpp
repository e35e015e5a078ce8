// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string_view>

namespace fathom {

/// Throws SystemError: "FILE: cannot ACTION: what the system said".
[[noreturn]] void fail_at(const std::filesystem::path& path, std::string_view action, int reason);

}  // namespace fathom
