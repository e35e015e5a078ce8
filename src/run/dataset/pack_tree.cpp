// SPDX-License-Identifier: MIT
#include "run/dataset/pack_tree.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

#include "run/dataset/dataset_file.hpp"
#include "run/dataset/own_files.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;
using Kind = Found::Kind;

constexpr std::size_t kNameDigits = 9, kLevelDigits = 3;
constexpr std::string_view kPartEnd = ".part";

std::optional<std::uint64_t> digits(std::string_view text, std::size_t count) {
  std::uint64_t number = 0;
  if (text.size() != count) return {};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

/// The pack of a name that unfinished_name() made.
std::optional<std::uint64_t> unfinished_pack(std::string_view name) {
  if (!name.starts_with('.') || !name.ends_with(kPartEnd)) return {};
  return digits(name.substr(1, kNameDigits), kNameDigits);
}

/// ".000000041.HOST-": the prefix of unfinished names of this computer.
std::string name_of_host(std::uint64_t index) { return fmt::format(".{:09}.{}-", index, host_name()); }

struct Entry {
  std::string name;
  bool is_link = false, is_folder = false;
};

/// Sorted by name; empty if there is no folder.
std::vector<Entry> entries_of(const fs::path& folder) {
  std::vector<Entry> entries;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code unknown;
    entries.push_back({.name = entry->path().filename().string(),
                       .is_link = entry->is_symlink(unknown),
                       .is_folder = entry->is_directory(unknown)});
  }
  if (error && error != std::errc::no_such_file_or_directory) fail_at(folder, "be read", error.value());
  std::ranges::sort(entries, {}, &Entry::name);
  return entries;
}

class TreeWalk {
 public:
  TreeWalk(const fs::path& dataset, const PackList& packs, const std::function<void(const Found&)>& f)
      : dataset_(dataset), packs_(packs), places_(packs.places()), f_(f) {}

  void run() const {
    const std::string root(places_.root());
    for (const Entry& entry : entries_of(dataset_)) {
      if (entry.name.starts_with('.') || (entry.name == kDatasetName && !entry.is_link)) continue;
      if (entry.name == root && entry.is_folder && !entry.is_link) {
        look(root, 0, kPacksPerFolder * 1000);
      } else {
        foreign(entry.name);
      }
    }
  }

 private:
  void foreign(const fs::path& place) const { f_({Kind::kForeign, place, packs_.size()}); }

  /// `packs`: the number below each name in the folder.
  void look(const fs::path& folder, std::uint64_t first, std::uint64_t packs) const {
    for (const Entry& entry : entries_of(dataset_ / folder)) {
      if (entry.name.starts_with('.')) continue;
      const auto number = digits(entry.name, kLevelDigits);
      const std::uint64_t below = first + number.value_or(0) * packs;
      if (!number || below >= packs_.size() || !entry.is_folder || entry.is_link) {
        foreign(folder / entry.name);
      } else {
        packs == kPacksPerFolder ? look_at_packs(folder / entry.name, below)
                                 : look(folder / entry.name, below, kPacksPerFolder);
      }
    }
  }

  void look_at_packs(const fs::path& folder, std::uint64_t first) const {
    std::optional<std::uint64_t> last;  // a file and its description are neighbours
    for (const Entry& entry : entries_of(dataset_ / folder)) {
      const auto begun = unfinished_pack(entry.name);
      const auto index = begun ? begun : pack_named(entry.name);
      if (!index && entry.name.starts_with('.')) continue;
      if (!index || entry.is_link || *index >= packs_.size() || *index / kPacksPerFolder * kPacksPerFolder != first) {
        foreign(folder / entry.name);
      } else if (begun || index != last) {
        f_({begun ? Kind::kUnfinished : Kind::kPack, folder / entry.name, *index});
        if (!begun) last = index;
      }
    }
  }

  [[nodiscard]] std::optional<std::uint64_t> pack_named(const std::string& name) const {
    const auto index = digits(std::string_view(name).substr(0, kNameDigits), kNameDigits);
    if (!index) return {};
    const bool known = name == places_(*index).filename() || name == places_.description(*index).filename();
    return known ? index : std::nullopt;
  }

  const fs::path& dataset_;
  const PackList& packs_;
  PackPlaces places_;
  const std::function<void(const Found&)>& f_;
};

}  // namespace

void for_each_found(const fs::path& dataset, const PackList& packs, const std::function<void(const Found&)>& f) {
  TreeWalk(dataset, packs, f).run();
}

std::string unfinished_name(std::uint64_t index, const void* owner) {
  return fmt::format("{}{}-{:x}{}", name_of_host(index), getpid(), reinterpret_cast<std::uintptr_t>(owner), kPartEnd);
}

std::string host_name() {
  std::array<char, 256> host = {};
  gethostname(host.data(), host.size() - 1);
  return host.data();
}

bool is_alive(pid_t process) { return kill(process, 0) == 0 || errno != ESRCH; }

bool is_of_living_process(std::string_view unfinished) {
  const std::string host = name_of_host(unfinished_pack(unfinished).value_or(0));
  pid_t process = 0;
  if (!unfinished.starts_with(host)) return false;
  std::from_chars(unfinished.data() + host.size(), unfinished.data() + unfinished.size(), process);
  return process > 0 && process != getpid() && is_alive(process);
}

PackQueue::PackQueue(const PackList& packs, const DatasetOptions& options, std::string inputs)
    : packs_(packs), options_(options), inputs_(std::move(inputs)) {
  if (options.shard.index >= options.shard.count) {
    throw InputError(fmt::format("shard {}/{}: i is not below n", options.shard.index, options.shard.count));
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
  if (!options_.resume || options_.run.force) return false;
  check_way(options_.run.out, packs_.places()(pack.index).parent_path());
  return is_complete(options_.run.out, packs_, inputs_, pack);
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
    const fs::path folder = packs_.places()(index).parent_path();
    check_way(options_.run.out, folder);
    for (const Entry& entry : entries_of(options_.run.out / folder)) {
      if (unfinished_pack(entry.name) == index && !entry.is_link) remove_begun(folder / entry.name, index);
    }
  }
}

void PackQueue::remove_begun(const fs::path& place, std::uint64_t index) const {
  const fs::path name = place.filename();
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
