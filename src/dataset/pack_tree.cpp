// SPDX-License-Identifier: MIT
#include "dataset/pack_tree.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "dataset/dataset_file.hpp"
#include "dataset/fail_at.hpp"

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

/// The pack of a name as unfinished_name() gives it.
std::optional<std::uint64_t> unfinished_pack(std::string_view name) {
  if (!name.starts_with('.') || !name.ends_with(kPartEnd)) return {};
  return digits(name.substr(1, kNameDigits), kNameDigits);
}

/// ".000000041.HOST-": the beginning of names of this computer's processes.
std::string name_of_host(std::uint64_t index) { return fmt::format(".{:09}.{}-", index, host_name()); }

struct Entry {
  std::string name;
  bool is_link = false, is_folder = false;
};

/// Sorted by name; nothing where there is no folder.
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

  /// `packs`: below each name in the folder.
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
    std::optional<std::uint64_t> last;  // of a file and its description, which stand one after the other
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

std::vector<BegunPack> begun_in(const fs::path& folder) {
  std::vector<BegunPack> found;
  for (Entry& entry : entries_of(folder)) {
    const auto index = unfinished_pack(entry.name);
    if (index && !entry.is_link) found.push_back({*index, std::move(entry.name)});
  }
  return found;
}

}  // namespace fathom
