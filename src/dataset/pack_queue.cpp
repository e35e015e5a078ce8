// SPDX-License-Identifier: MIT
#include "dataset/pack_queue.hpp"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "dataset/digest.hpp"
#include "dataset/manifest_file.hpp"
#include "dataset/whole_pack.hpp"

namespace fathom {

namespace {

// Between two rounds over packs that others have claimed: each twice as long as the one before.
constexpr std::chrono::milliseconds kShortestPause{10}, kLongestPause{1000};

}  // namespace

PackQueue::PackQueue(const PackList& packs, const DatasetOptions& options, std::string inputs)
    : packs_(packs),
      options_(options),
      inputs_(std::move(inputs)),
      shelf_(options.run.out, packs.places()),
      claims_(options.run.out, options.claim_stale_s) {
  if (options.shard.index >= options.shard.count) {
    throw InputError(fmt::format("shard {}/{} is not one: i is not below n", options.shard.index, options.shard.count));
  }
  if (!(options.claim_stale_s > 0.0)) throw InputError("claim_stale_s is not above 0 s");
  if (options.claim && (options.units || options.run.force)) {
    throw InputError("claims are for whole datasets that nobody forces: not with force or a list of units");
  }
  if (!options.units) return;
  if (!packs.places().is_folder()) throw InputError("a list of units is for folders: files hold many units each");
  for (const std::uint64_t index : *options.units) static_cast<void>(packs.units().at(index));
}

std::uint64_t PackQueue::own_size() const { return share_of(options_.shard, packs_.size()); }

std::uint64_t PackQueue::size() const {
  if (options_.units) return options_.units->size();
  return options_.claim ? packs_.size() : own_size();
}

/// All packs are full but the last of all.
std::uint64_t PackQueue::units() const {
  const std::uint64_t full = packs_.at(0).units, count = packs_.size();
  const bool has_last = options_.units || options_.claim || (count - 1) % options_.shard.count == options_.shard.index;
  return size() * full - (has_last ? full - packs_.at(count - 1).units : 0);
}

std::uint64_t PackQueue::frames() const {
  const UnitList& all = packs_.units();
  if (size() == packs_.size() && !options_.units)
    return all.environments().size() * all.episodes().size() * all.frames();
  std::uint64_t frames = 0;
  for (std::uint64_t i = 0; i < size(); ++i) frames += packs_.frames(packs_.at(index_of(i)));
  return frames;
}

/// With claims, a process that has rendered its own shard helps the others.
std::uint64_t PackQueue::index_of(std::uint64_t position) const {
  if (options_.units) return (*options_.units)[position];
  const auto [shard, count] = options_.shard;
  if (position < own_size()) return shard + position * count;
  const std::uint64_t other = position - own_size(), place = other % (count - 1);
  return other / (count - 1) * count + place + (place < shard ? 0 : 1);
}

void PackQueue::check() {
  if (keeps_complete() || options_.run.force) return;
  std::error_code error;
  if (!std::filesystem::exists(options_.run.out / packs_.places().root(), error)) return;
  for (std::uint64_t i = 0; i < size(); ++i) {
    const std::uint64_t index = index_of(i);
    if (!shelf_.at(index).there) continue;
    throw InputError(fmt::format("{}: is there already; --resume keeps complete ones, --force replaces them",
                                 (options_.run.out / packs_.places()(index)).string()));
  }
}

bool PackQueue::is_same(const std::optional<PackEntry>& entry, const Pack& pack) const {
  return entry && entry->digest == packs_.digest(inputs_, pack);
}

/// The manifest and the listing of the shelf may be old: whoever released a claim had completed its pack before.
bool PackQueue::is_mine(const Pack& pack) {
  if (!options_.claim) return true;
  if (!claims_.take(pack.index)) {
    ++claimed_;
    return false;
  }
  const auto entry = read_entry(options_.run.out, packs_.places(), pack.index);
  if (!is_same(entry, pack) || !is_whole(options_.run.out, packs_.places(), *entry)) return true;
  claims_.release(pack.index);
  return false;
}

bool PackQueue::keeps(const Pack& pack) { return keeps_complete() && is_same(shelf_.complete(pack.index), pack); }

bool PackQueue::skip_complete() {
  const std::lock_guard lock(mutex_);
  while (next_ < size() && keeps(packs_.at(index_of(next_)))) ++next_;
  return next_ < size();
}

std::optional<Pack> PackQueue::next() {
  while (next_ < size()) {
    const Pack pack = packs_.at(index_of(next_++));
    if (keeps(pack)) continue;
    if (is_mine(pack)) return pack;
  }
  return {};
}

/// Without claims nobody else renders this pack: what is half done is of a process that was killed. With claims it may
/// be of one that is slow.
void PackQueue::make_room(const Pack& pack) {
  std::error_code error;
  if (given_++ == 0) std::filesystem::remove(options_.run.out / kManifestName, error);  // it speaks of other packs
  if (options_.claim) return;
  for (const auto& path : shelf_.leftovers(pack.index)) std::filesystem::remove_all(path, error);
}

std::optional<Pack> PackQueue::take() {
  const std::lock_guard lock(mutex_);
  for (auto pause = kShortestPause;; pause = std::min(2 * pause, kLongestPause)) {
    if (const auto pack = next()) {
      make_room(*pack);
      return pack;
    }
    if (claimed_ == 0 || (options_.run.should_stop && options_.run.should_stop())) return {};
    std::this_thread::sleep_for(pause);
    next_ = claimed_ = 0;
    shelf_ = PackShelf(options_.run.out, packs_.places());
  }
}

void PackQueue::renew(const Pack& pack) const {
  if (options_.claim) claims_.renew(pack.index);
}

void PackQueue::release(const Pack& pack) const {
  if (options_.claim) claims_.release(pack.index);
}

}  // namespace fathom
