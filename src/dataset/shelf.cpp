// SPDX-License-Identifier: MIT
#include "dataset/shelf.hpp"

#include <array>
#include <charconv>
#include <string_view>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include <fathom/dataset/unit.hpp>

namespace fathom {

namespace {

constexpr std::size_t kNameDigits = 9;
constexpr std::string_view kPartEnd = ".part";

/// The unit that a folder of nine digits is.
std::optional<std::uint64_t> unit_of(std::string_view name) {
  std::uint64_t index = 0;
  if (name.size() < kNameDigits) return {};
  const auto [end, error] = std::from_chars(name.data(), name.data() + kNameDigits, index);
  if (error != std::errc() || end != name.data() + kNameDigits) return {};
  return index;
}

bool is_unfinished(std::string_view name) {
  return name.starts_with('.') && name.ends_with(kPartEnd) && unit_of(name.substr(1));
}

}  // namespace

std::string unfinished_name(std::uint64_t index, std::uint64_t number) {
  std::array<char, 256> host = {};
  gethostname(host.data(), host.size() - 1);
  return fmt::format(".{:09}.{}-{}-{}{}", index, host.data(), getpid(), number, kPartEnd);
}

UnitShelf::Part& UnitShelf::load(std::uint64_t index) {
  const std::uint64_t number = index / kUnitsPerPart;
  if (part_.number == number) return part_;
  part_ = Part();
  part_.number = number;
  // The manifest first: a unit that is completed between the two readings is then one without an entry.
  const PartEntries entries = read_part(dataset_ / part_file(index));
  for (const auto& [unit, entry] : entries) {
    if (unit / kUnitsPerPart == number) part_.units[unit % kUnitsPerPart].entry = entry;
  }
  std::error_code error;
  for (std::filesystem::directory_iterator entry(dataset_ / unit_folder(index).parent_path(), error), end;
       !error && entry != end; entry.increment(error)) {
    std::string name = entry->path().filename().string();
    const auto unit = unit_of(name);
    if (unit && name.size() == kNameDigits && *unit / kUnitsPerPart == number) {
      part_.units[*unit % kUnitsPerPart].there = true;
    } else if (is_unfinished(name)) {
      part_.unfinished.push_back(std::move(name));
    }
  }
  return part_;
}

std::optional<UnitEntry> UnitShelf::complete(std::uint64_t index) {
  const ShelvedUnit& unit = at(index);
  if (!unit.there) return {};
  return unit.entry ? unit.entry : read_unit_json(dataset_ / unit_folder(index), index);
}

std::vector<std::filesystem::path> UnitShelf::leftovers(std::uint64_t index) {
  std::vector<std::filesystem::path> found;
  for (const std::string& name : load(index).unfinished) {
    if (unit_of(std::string_view(name).substr(1)) == index) {
      found.push_back(dataset_ / unit_folder(index).parent_path() / name);
    }
  }
  return found;
}

}  // namespace fathom
