// SPDX-License-Identifier: MIT
#pragma once
// Which packs of a dataset are there, read a thousand at a time.

#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "dataset/pack_entry.hpp"

namespace fathom {

struct ShelvedPack {
  bool there = false;              ///< something of its name
  bool of_its_kind = false;        ///< a folder, or else a file
  std::optional<PackEntry> entry;  ///< by the manifest
};

class PackShelf {
 public:
  PackShelf(std::filesystem::path dataset, const PackPlaces& places) : dataset_(std::move(dataset)), places_(places) {}

  /// What is known of a pack without opening it. Good until another thousand is asked for.
  const ShelvedPack& at(std::uint64_t index) { return load(index).packs[index % kPacksPerPart]; }
  /// The entry of a pack that is there: by the manifest, or else by its unit.json. A file has the size of its entry.
  /// The files of a folder that the manifest knows are not looked at, because a hundred thousand would take seconds;
  /// those of others have the sizes of the entry. Nothing for a file that the manifest does not know.
  std::optional<PackEntry> complete(std::uint64_t index);
  /// What somebody began of this pack, and did not finish when the thousand was read; not what living processes of this
  /// computer have.
  std::vector<std::filesystem::path> leftovers(std::uint64_t index);
  /// The names of all that is unfinished in the thousand.
  const std::vector<std::string>& unfinished(std::uint64_t index) { return load(index).unfinished; }

 private:
  struct Part {
    std::uint64_t number = std::numeric_limits<std::uint64_t>::max();
    std::array<ShelvedPack, kPacksPerPart> packs;
    std::vector<std::string> unfinished;
  };

  Part& load(std::uint64_t index);

  std::filesystem::path dataset_;
  PackPlaces places_;
  Part part_;
};

/// What a pack is called, hidden, before it gets its name: ".000012345.HOST-PID-ADDRESS.part". `owner`: whoever makes
/// it. Where claims fail, several make the same pack, of other computers, processes or threads.
std::string unfinished_name(std::uint64_t index, const void* owner);

}  // namespace fathom
