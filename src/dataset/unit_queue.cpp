// SPDX-License-Identifier: MIT
#include "dataset/unit_queue.hpp"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "dataset/digest.hpp"
#include "dataset/manifest_file.hpp"

namespace fathom {

namespace {

// Between two rounds over units that others have claimed: each twice as long as the one before.
constexpr std::chrono::milliseconds kShortestPause{10}, kLongestPause{1000};

}  // namespace

UnitQueue::UnitQueue(const UnitList& units, const DatasetOptions& options, std::string inputs)
    : units_(units),
      options_(options),
      inputs_(std::move(inputs)),
      shelf_(options.run.out),
      claims_(options.run.out, options.claim_stale_s) {
  if (options.shard.index >= options.shard.count) {
    throw InputError(fmt::format("shard {}/{} is not one: i is not below n", options.shard.index, options.shard.count));
  }
  if (!(options.claim_stale_s > 0.0)) throw InputError("claim_stale_s is not above 0 s");
  if (options.claim && (options.units || options.run.force)) {
    throw InputError("claims are for whole datasets that nobody forces: not with force or a list of units");
  }
  if (!options.units) return;
  for (const std::uint64_t index : *options.units) static_cast<void>(units_.at(index));
}

std::uint64_t UnitQueue::own_size() const {
  const auto [index, count] = options_.shard;
  return units_.size() / count + (index < units_.size() % count ? 1 : 0);
}

std::uint64_t UnitQueue::size() const {
  if (options_.units) return options_.units->size();
  return options_.claim ? units_.size() : own_size();
}

std::uint64_t UnitQueue::frames() const { return size() * units_.block(); }

/// With claims, a process that has rendered its own shard helps the others.
std::uint64_t UnitQueue::index_of(std::uint64_t position) const {
  if (options_.units) return (*options_.units)[position];
  const auto [shard, count] = options_.shard;
  if (position < own_size()) return shard + position * count;
  const std::uint64_t other = position - own_size(), place = other % (count - 1);
  return other / (count - 1) * count + place + (place < shard ? 0 : 1);
}

void UnitQueue::check() {
  if (keeps_complete() || options_.run.force) return;
  std::error_code error;
  if (!std::filesystem::exists(options_.run.out / "units", error)) return;
  for (std::uint64_t i = 0; i < size(); ++i) {
    const std::uint64_t index = index_of(i);
    if (!shelf_.at(index).there) continue;
    throw InputError(fmt::format("{}: is there already; --resume keeps complete units, --force replaces them",
                                 (options_.run.out / unit_folder(index)).string()));
  }
}

bool UnitQueue::is_same(const std::optional<UnitEntry>& entry, const Unit& unit) const {
  return entry && entry->digest == unit_digest(inputs_, unit);
}

/// The manifest and the listing of the shelf may be old: whoever released a claim had completed its unit before.
bool UnitQueue::is_mine(const Unit& unit) {
  if (!options_.claim) return true;
  if (!claims_.take(unit.index)) {
    ++claimed_;
    return false;
  }
  if (!is_same(read_unit_json(options_.run.out / unit_folder(unit.index), unit.index), unit)) return true;
  claims_.release(unit.index);
  return false;
}

std::optional<Unit> UnitQueue::next() {
  while (next_ < size()) {
    const Unit unit = units_.at(index_of(next_++));
    if (keeps_complete() && is_same(shelf_.complete(unit.index), unit)) continue;
    if (is_mine(unit)) return unit;
  }
  return {};
}

/// Without claims nobody else renders this unit: what is half done is of a process that was killed. With claims it may
/// be of one that is slow.
void UnitQueue::make_room(const Unit& unit) {
  std::error_code error;
  if (given_++ == 0) std::filesystem::remove(options_.run.out / kManifestName, error);  // it speaks of other units
  if (options_.claim) return;
  for (const auto& folder : shelf_.leftovers(unit.index)) std::filesystem::remove_all(folder, error);
}

std::optional<Unit> UnitQueue::take() {
  const std::lock_guard lock(mutex_);
  for (auto pause = kShortestPause;; pause = std::min(2 * pause, kLongestPause)) {
    if (const auto unit = next()) {
      make_room(*unit);
      return unit;
    }
    if (claimed_ == 0 || (options_.run.should_stop && options_.run.should_stop())) return {};
    std::this_thread::sleep_for(pause);
    next_ = claimed_ = 0;
    shelf_ = UnitShelf(options_.run.out);
  }
}

void UnitQueue::renew(const Unit& unit) const {
  if (options_.claim) claims_.renew(unit.index);
}

void UnitQueue::release(const Unit& unit) const {
  if (options_.claim) claims_.release(unit.index);
}

}  // namespace fathom
