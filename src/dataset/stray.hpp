// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "dataset/pack.hpp"

namespace fathom {

/// Calls f with everything in the folder of a dataset that neither is part of it nor is unfinished: files and folders
/// beside those that datasets have, the packs of another format, and below the others what is no pack of the list or
/// part of its manifest. Looks into no unit.
void for_each_stray(const std::filesystem::path& dataset, const PackList& packs,
                    const std::function<void(const std::filesystem::path&)>& f);

std::optional<std::filesystem::path> first_stray(const std::filesystem::path& dataset, const PackList& packs);

}  // namespace fathom
