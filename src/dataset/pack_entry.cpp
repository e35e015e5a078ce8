// SPDX-License-Identifier: MIT
#include "dataset/pack_entry.hpp"

#include <cerrno>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>

#include <dirent.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dataset/digest.hpp"
#include "dataset/read_bytes.hpp"

namespace fathom {

namespace {

constexpr std::size_t kDigestSize = 16;

std::string check_text(std::string_view text) { return fmt::format(",\n \"check\": \"{}\"}}\n", digest_of(text)); }

/// Counts the files that a unit.json lists.
PackEntry entry_of(const nlohmann::json& json, std::string_view text, bool is_folder) {
  PackEntry entry{.digest = json.at("digest").get<std::string>()};
  if (!is_folder) {
    entry.index = json.at("pack").get<std::uint64_t>();
    entry.content = json.at("content").get<std::string>();
    entry.bytes = json.at("bytes").get<std::uint64_t>();
    entry.files = 1;
    return entry;
  }
  entry.index = json.at("unit").get<std::uint64_t>();
  entry.content = digest_of(text);
  for (const auto& file : json.at("files")) {
    ++entry.files;
    entry.bytes += file.at("bytes").get<std::uint64_t>();
  }
  return entry;
}

struct Sizes {
  std::uint64_t files = 0, bytes = 0;
};

/// Adds the files below a folder to the sizes, without unit.json of the first folder. False where something is neither
/// a regular file nor a folder, or cannot be read. By system calls: a hundred thousand units are looked at in a second.
bool add_sizes(int above, const char* name, bool is_unit, Sizes& sizes) {
  const int descriptor = openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(descriptor < 0 ? nullptr : fdopendir(descriptor), &closedir);
  if (!folder) return false;
  for (errno = 0; const dirent* const entry = readdir(folder.get()); errno = 0) {
    const std::string_view word = static_cast<const char*>(entry->d_name);
    if (word == "." || word == ".." || (is_unit && word == kUnitJson)) continue;
    struct stat state = {};
    bool is_folder = entry->d_type == DT_DIR;
    if (!is_folder) {
      if (fstatat(descriptor, entry->d_name, &state, AT_SYMLINK_NOFOLLOW) != 0) return false;
      is_folder = S_ISDIR(state.st_mode);  // on file systems whose entries have no type
    }
    if (is_folder ? !add_sizes(descriptor, entry->d_name, false, sizes) : !S_ISREG(state.st_mode)) return false;
    if (is_folder) continue;
    ++sizes.files;
    sizes.bytes += static_cast<std::uint64_t>(state.st_size);
  }
  return errno == 0;
}

}  // namespace

std::string with_check(std::string text) { return text += check_text(text); }

bool is_checked(std::string_view text) {
  const std::size_t size = check_text("").size();
  return text.size() > size && text.substr(text.size() - size) == check_text(text.substr(0, text.size() - size));
}

std::string description_text(const PackEntry& entry) {
  return with_check(fmt::format(R"({{"pack": {}, "digest": "{}", "bytes": {}, "content": "{}")", entry.index,
                                entry.digest, entry.bytes, entry.content));
}

std::optional<PackEntry> read_entry(const std::filesystem::path& dataset, const PackPlaces& places,
                                    std::uint64_t index) {
  const std::optional<std::string> text = read_bytes(dataset / places.description(index));
  if (!text || !is_checked(*text)) return {};
  const auto json = nlohmann::json::parse(*text, nullptr, false);
  try {
    PackEntry entry = entry_of(json, *text, places.is_folder());
    if (entry.digest.size() != kDigestSize || entry.index != index) return {};
    return entry;
  } catch (const nlohmann::json::exception&) {
    return {};
  }
}

bool is_whole(const std::filesystem::path& dataset, const PackPlaces& places, const PackEntry& entry) {
  const std::filesystem::path place = dataset / places(entry.index);
  if (!places.is_folder()) {
    struct stat state = {};
    return lstat(place.c_str(), &state) == 0 && S_ISREG(state.st_mode) &&
           static_cast<std::uint64_t>(state.st_size) == entry.bytes;
  }
  Sizes sizes;
  return add_sizes(AT_FDCWD, place.c_str(), true, sizes) && sizes.files == entry.files && sizes.bytes == entry.bytes;
}

std::optional<PackEntry> whole_entry(const std::filesystem::path& dataset, const PackPlaces& places,
                                     std::uint64_t index) {
  auto entry = read_entry(dataset, places, index);
  if (entry && !is_whole(dataset, places, *entry)) entry.reset();
  return entry;
}

bool is_complete(const std::filesystem::path& dataset, const PackList& packs, const std::string& inputs,
                 const Pack& pack) {
  const auto entry = whole_entry(dataset, packs.places(), pack.index);
  return entry && entry->digest == packs.digest(inputs, pack);
}

}  // namespace fathom
