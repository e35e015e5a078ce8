// SPDX-License-Identifier: MIT
#include "dataset/unit_queue.hpp"

#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "dataset/digest.hpp"
#include "dataset/manifest_file.hpp"

namespace fathom {

UnitQueue::UnitQueue(const UnitList& units, const DatasetOptions& options, std::string inputs)
    : units_(units), options_(options), inputs_(std::move(inputs)), shelf_(options.run.out) {
  if (options.shard.index >= options.shard.count) {
    throw InputError(fmt::format("shard {}/{} is not one: i is not below n", options.shard.index, options.shard.count));
  }
  if (!options.units) return;
  for (const std::uint64_t index : *options.units) static_cast<void>(units_.at(index));
}

std::uint64_t UnitQueue::size() const {
  if (options_.units) return options_.units->size();
  const auto [index, count] = options_.shard;
  return units_.size() / count + (index < units_.size() % count ? 1 : 0);
}

std::uint64_t UnitQueue::frames() const { return size() * units_.block(); }

std::uint64_t UnitQueue::index_of(std::uint64_t position) const {
  return options_.units ? (*options_.units)[position] : options_.shard.index + position * options_.shard.count;
}

void UnitQueue::check() {
  if (options_.resume || options_.run.force) return;
  std::error_code error;
  if (!std::filesystem::exists(options_.run.out / "units", error)) return;
  for (std::uint64_t i = 0; i < size(); ++i) {
    const std::uint64_t index = index_of(i);
    if (!shelf_.at(index).there) continue;
    throw InputError(fmt::format("{}: is there already; --resume keeps complete units, --force replaces them",
                                 (options_.run.out / unit_folder(index)).string()));
  }
}

bool UnitQueue::is_done(const Unit& unit) {
  if (!options_.resume || options_.run.force) return false;
  const auto entry = shelf_.complete(unit.index);
  return entry && entry->digest == unit_digest(inputs_, unit);
}

std::optional<Unit> UnitQueue::take() {
  const std::lock_guard lock(mutex_);
  while (next_ < size()) {
    const Unit unit = units_.at(index_of(next_++));
    if (is_done(unit)) {
      ++skipped_;
      continue;
    }
    // Nobody else renders this unit: what is half done is of a process that was killed.
    std::error_code error;
    std::filesystem::remove(options_.run.out / kManifestName, error);  // it speaks of other units
    for (const auto& folder : shelf_.leftovers(unit.index)) std::filesystem::remove_all(folder, error);
    return unit;
  }
  return {};
}

}  // namespace fathom
