// SPDX-License-Identifier: MIT
#pragma once
// Which units of a dataset are there, read a thousand at a time.

#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "dataset/unit_entry.hpp"

namespace fathom {

struct ShelvedUnit {
  bool there = false;              ///< its folder, which is whole
  std::optional<UnitEntry> entry;  ///< by the manifest; by unit.json after complete()
};

class UnitShelf {
 public:
  explicit UnitShelf(std::filesystem::path dataset) : dataset_(std::move(dataset)) {}

  /// What is known of a unit without opening its folder. Good until another thousand is asked for.
  const ShelvedUnit& at(std::uint64_t index) { return load(index).units[index % kUnitsPerPart]; }
  /// The entry of a unit that is there: by the manifest, or else by its unit.json; nothing when it is not there.
  std::optional<UnitEntry> complete(std::uint64_t index);
  /// Folders of this unit that somebody began, and did not finish when the thousand was read.
  std::vector<std::filesystem::path> leftovers(std::uint64_t index);
  /// The names of all unfinished folders in the thousand.
  const std::vector<std::string>& unfinished(std::uint64_t index) { return load(index).unfinished; }

 private:
  struct Part {
    std::uint64_t number = std::numeric_limits<std::uint64_t>::max();
    std::array<ShelvedUnit, kUnitsPerPart> units;
    std::vector<std::string> unfinished;
  };

  Part& load(std::uint64_t index);

  std::filesystem::path dataset_;
  Part part_;
};

/// The hidden folder that a unit is written into before it gets its name: ".000012345.HOST-PID-N.part".
std::string unfinished_name(std::uint64_t index, std::uint64_t number);

}  // namespace fathom
