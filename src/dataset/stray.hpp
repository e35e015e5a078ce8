// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "dataset/pack.hpp"

namespace fathom {

/// Calls f with everything below units/ and manifest/ that neither is a folder or part of a unit of the list nor
/// is unfinished. Looks into no unit.
void for_each_stray(const std::filesystem::path& dataset, const PackList& packs,
                    const std::function<void(const std::filesystem::path&)>& f);

std::optional<std::filesystem::path> first_stray(const std::filesystem::path& dataset, const PackList& packs);

}  // namespace fathom
