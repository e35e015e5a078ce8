// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>

#include "live/live_source.hpp"

namespace fathom {

/// The folder of a run, or a cloud, by what it holds. Throws InputError for what is neither.
std::unique_ptr<LiveSource> open_written(const std::filesystem::path& path);

}  // namespace fathom
