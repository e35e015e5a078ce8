// SPDX-License-Identifier: MIT
#include "dataset/stray.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "dataset/claims.hpp"
#include "dataset/dataset_file.hpp"
#include "dataset/hdf5_files.hpp"
#include "dataset/manifest_file.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;

/// A place in the tree of numbers: names of so many digits, and how many packs are below each.
struct Level {
  std::size_t digits;
  std::uint64_t packs;
};

/// The names in a folder, sorted, without hidden ones: they are unfinished, or of file systems and desktops.
std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (!name.starts_with('.')) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// The first pack below a name of a level, when the name is one: three digits count from the folder's own first pack.
std::optional<std::uint64_t> first_pack(const std::string& name, const Level& level, std::uint64_t above) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size() || name.size() != level.digits) return {};
  if (level.packs > 1) return above + number * level.packs;
  return number / 1000 * 1000 == above ? std::optional(number) : std::nullopt;
}

class StrayFinder {
 public:
  StrayFinder(std::uint64_t packs, const std::function<void(const fs::path&)>& f) : packs_(packs), f_(f) {}

  /// `levels`: this one and those below; a suffix belongs to the names of the last.
  void look(const fs::path& folder, const std::vector<Level>& levels, std::size_t depth, std::uint64_t above,
            const std::string& suffix) const {
    for (const std::string& name : names_in(folder)) {
      const bool last = depth + 1 == levels.size();
      const bool ends = !last || name.ends_with(suffix);
      const std::string number = last && ends ? name.substr(0, name.size() - suffix.size()) : name;
      const auto first = ends ? first_pack(number, levels[depth], above) : std::nullopt;
      if (!first || *first >= packs_) {
        f_(folder / name);
      } else if (!last) {
        look(folder / name, levels, depth + 1, *first, suffix);
      }
    }
  }

 private:
  std::uint64_t packs_;
  const std::function<void(const fs::path&)>& f_;
};

}  // namespace

void for_each_stray(const fs::path& dataset, const PackList& packs, const std::function<void(const fs::path&)>& f) {
  std::vector<std::string_view> known = {kDatasetName, kManifestName, kManifestFolder, kClaimsName,
                                         packs.places().root()};
  if (packs.files().format == DatasetFormat::kHdf5) known.emplace_back(kMergedHdf5Name);
  for (const std::string& name : names_in(dataset)) {
    if (std::ranges::find(known, name) == known.end()) f(dataset / name);
  }
  const StrayFinder finder(packs.size(), f);
  finder.look(dataset / packs.places().root(), {{3, 1'000'000}, {3, 1000}, {9, 1}}, 0, 0,
              std::string(packs.places().extension()));
  finder.look(dataset / kManifestFolder, {{3, 1'000'000}, {3, 1000}}, 0, 0, ".txt");
}

std::optional<fs::path> first_stray(const fs::path& dataset, const PackList& packs) {
  std::optional<fs::path> first;
  for_each_stray(dataset, packs, [&](const fs::path& path) {
    if (!first) first = path;
  });
  return first;
}

}  // namespace fathom
