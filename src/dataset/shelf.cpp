// SPDX-License-Identifier: MIT
#include "dataset/shelf.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <string_view>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include <fathom/dataset/unit.hpp>

#include "dataset/whole_pack.hpp"

namespace fathom {

namespace {

constexpr std::size_t kNameDigits = 9;
constexpr std::string_view kPartEnd = ".part";

/// The pack that a name of nine digits, and more, speaks of.
std::optional<std::uint64_t> pack_of(std::string_view name) {
  std::uint64_t index = 0;
  if (name.size() < kNameDigits) return {};
  const auto [end, error] = std::from_chars(name.data(), name.data() + kNameDigits, index);
  if (error != std::errc() || end != name.data() + kNameDigits) return {};
  return index;
}

bool is_unfinished(std::string_view name) {
  return name.starts_with('.') && name.ends_with(kPartEnd) && pack_of(name.substr(1));
}

/// ".000000041.HOST-": what names of this computer's processes begin with, before their numbers.
std::string name_of_host(std::uint64_t index) {
  std::array<char, 256> host = {};
  gethostname(host.data(), host.size() - 1);
  return fmt::format(".{:09}.{}-", index, host.data());
}

bool is_of_living_process(std::string_view name, std::uint64_t index) {
  const std::string host = name_of_host(index);
  pid_t process = 0;
  if (!name.starts_with(host)) return false;
  std::from_chars(name.data() + host.size(), name.data() + name.size(), process);
  return process > 0 && (kill(process, 0) == 0 || errno == EPERM);
}

}  // namespace

std::string unfinished_name(std::uint64_t index, const void* owner) {
  return fmt::format("{}{}-{:x}{}", name_of_host(index), getpid(), reinterpret_cast<std::uintptr_t>(owner), kPartEnd);
}

PackShelf::Part& PackShelf::load(std::uint64_t index) {
  const std::uint64_t number = index / kPacksPerPart;
  if (part_.number == number) return part_;
  part_ = Part();
  part_.number = number;
  // The manifest first: a pack that is completed between the two readings is then one without an entry.
  const PartEntries entries = read_part(dataset_ / part_file(index));
  for (const auto& [pack, entry] : entries) {
    if (pack / kPacksPerPart == number) part_.packs[pack % kPacksPerPart].entry = entry;
  }
  std::error_code error;
  for (std::filesystem::directory_iterator entry(dataset_ / places_(index).parent_path(), error), end;
       !error && entry != end; entry.increment(error)) {
    std::string name = entry->path().filename().string();
    const auto pack = pack_of(name);
    if (pack && name.substr(kNameDigits) == places_.extension() && *pack / kPacksPerPart == number) {
      std::error_code unknown;
      ShelvedPack& there = part_.packs[*pack % kPacksPerPart];
      there.there = true;
      there.of_its_kind = entry->is_directory(unknown) == places_.is_folder();
    } else if (is_unfinished(name)) {
      part_.unfinished.push_back(std::move(name));
    }
  }
  return part_;
}

std::optional<PackEntry> PackShelf::complete(std::uint64_t index) {
  const ShelvedPack& pack = at(index);
  if (!pack.of_its_kind || (places_.is_folder() && pack.entry)) return pack.of_its_kind ? pack.entry : std::nullopt;
  const bool by_itself = !pack.entry && places_.is_folder();
  const auto entry = by_itself ? read_unit_json(dataset_ / places_(index), index) : pack.entry;
  return entry && is_whole(dataset_, places_, *entry) ? entry : std::nullopt;
}

std::vector<std::filesystem::path> PackShelf::leftovers(std::uint64_t index) {
  std::vector<std::filesystem::path> found;
  for (const std::string& name : load(index).unfinished) {
    if (pack_of(std::string_view(name).substr(1)) == index && !is_of_living_process(name, index)) {
      found.push_back(dataset_ / places_(index).parent_path() / name);
    }
  }
  return found;
}

}  // namespace fathom
