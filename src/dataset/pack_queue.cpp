// SPDX-License-Identifier: MIT
#include "dataset/pack_queue.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "dataset/own_place.hpp"
#include "dataset/pack_entry.hpp"
#include "dataset/pack_tree.hpp"

namespace fathom {

PackQueue::PackQueue(const PackList& packs, const DatasetOptions& options, std::string inputs)
    : packs_(packs), options_(options), inputs_(std::move(inputs)) {
  if (options.shard.index >= options.shard.count) {
    throw InputError(fmt::format("shard {}/{} is not one: i is not below n", options.shard.index, options.shard.count));
  }
  if (!options.units) return;
  if (!packs.places().is_folder()) throw InputError("a list of units is for folders: files hold many units each");
  for (const std::uint64_t index : *options.units) static_cast<void>(packs.units().at(index));
}

std::uint64_t PackQueue::size() const {
  return options_.units ? options_.units->size() : share_of(options_.shard, packs_.size());
}

std::uint64_t PackQueue::units() const {
  return options_.units ? options_.units->size() : units_of(options_.shard, packs_);
}

std::uint64_t PackQueue::frames() const {
  const UnitList& all = packs_.units();
  if (size() == packs_.size() && !options_.units)
    return all.environments().size() * all.episodes().size() * all.frames();
  std::uint64_t frames = 0;
  for (std::uint64_t i = 0; i < size(); ++i) frames += packs_.frames(packs_.at(index_of(i)));
  return frames;
}

std::uint64_t PackQueue::index_of(std::uint64_t position) const {
  return options_.units ? (*options_.units)[position] : options_.shard.index + position * options_.shard.count;
}

bool PackQueue::has(std::uint64_t index) const {
  if (!options_.units) return index % options_.shard.count == options_.shard.index;
  return std::ranges::find(*options_.units, index) != options_.units->end();
}

void PackQueue::check() const {
  if (options_.resume || options_.run.force) return;
  for_each_found(options_.run.out, packs_, [this](const Found& found) {
    if (found.kind != Found::Kind::kPack || !has(found.index)) return;
    throw InputError(fmt::format("{}: is there already; --resume keeps complete ones, --force replaces them",
                                 (options_.run.out / packs_.places()(found.index)).string()));
  });
}

bool PackQueue::keeps(const Pack& pack) const {
  return options_.resume && !options_.run.force && is_complete(options_.run.out, packs_, inputs_, pack);
}

bool PackQueue::skip_complete() {
  const std::lock_guard lock(mutex_);
  while (next_ < size() && keeps(packs_.at(index_of(next_)))) ++next_;
  return next_ < size();
}

void PackQueue::remove_begun() const {
  if (!options_.units) {
    return for_each_found(options_.run.out, packs_, [this](const Found& found) {
      if (found.kind == Found::Kind::kUnfinished) remove_begun(found.place, found.index);
    });
  }
  for (const std::uint64_t index : *options_.units) {
    const std::filesystem::path folder = packs_.places()(index).parent_path();
    check_way(options_.run.out, folder);
    for (const BegunPack& begun : begun_in(options_.run.out / folder)) {
      if (begun.index == index) remove_begun(folder / begun.name, index);
    }
  }
}

void PackQueue::remove_begun(const std::filesystem::path& place, std::uint64_t index) const {
  const std::filesystem::path name = place.filename();
  if (has(index) && !is_of_living_process(name.string())) remove_own(options_.run.out, place, name);
}

std::optional<Pack> PackQueue::take() {
  const std::lock_guard lock(mutex_);
  while (next_ < size()) {
    const Pack pack = packs_.at(index_of(next_++));
    if (keeps(pack)) continue;
    check_own(options_.run.out, packs_.places()(pack.index));
    check_way(options_.run.out, packs_.places().description(pack.index));
    return pack;
  }
  return {};
}

}  // namespace fathom
