// SPDX-License-Identifier: MIT
#pragma once
// The packs in the folders of a dataset. The time grows with what the folders hold, not with what dataset.json claims.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "dataset/pack.hpp"

namespace fathom {

/// Something in the folder of a dataset.
struct Found {
  enum class Kind : std::uint8_t {
    kPack,        ///< a name of a pack of the list, or of its description
    kUnfinished,  ///< a pack that a process began
    kForeign,     ///< a link, or not part of the dataset
  };

  Kind kind = Kind::kForeign;
  std::filesystem::path place;  ///< below the dataset
  std::uint64_t index = 0;      ///< of the pack
};

/// Calls f for everything in the folder of a dataset, the packs in their order and each of them once. Follows no link,
/// and looks into no pack. Hidden files that are no unfinished packs belong to file systems and desktops.
void for_each_found(const std::filesystem::path& dataset, const PackList& packs,
                    const std::function<void(const Found&)>& f);

/// What a pack is called, hidden, before it gets its name: ".000012345.HOST-PID-ADDRESS.part". `owner`: the object that
/// makes it. Several computers, processes or threads may make the same pack.
std::string unfinished_name(std::uint64_t index, const void* owner);

/// Of this computer.
std::string host_name();
/// Whether a process of this computer lives, as far as the system tells.
bool is_alive(pid_t process);
/// Whether another process of this computer lives that has given this name.
bool is_of_living_process(std::string_view unfinished);

/// The unfinished packs of a folder of packs, without links.
struct BegunPack {
  std::uint64_t index = 0;
  std::string name;
};
std::vector<BegunPack> begun_in(const std::filesystem::path& folder);

}  // namespace fathom
