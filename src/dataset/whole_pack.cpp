// SPDX-License-Identifier: MIT
#include "dataset/whole_pack.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <memory>
#include <string_view>
#include <sys/stat.h>
#include <system_error>

#include <dirent.h>

#include "dataset/digest.hpp"
#include "dataset/fail_at.hpp"
#include "dataset/read_bytes.hpp"

namespace fathom {

namespace {

struct Sizes {
  std::uint64_t files = 0, bytes = 0;
};

/// Adds the files below a folder to the sizes, without unit.json of the first folder. False where something is neither
/// a regular file nor a folder, or cannot be read. By system calls: a hundred thousand units are looked at in a second.
bool add_sizes(int above, const char* name, bool is_unit, Sizes& sizes) {
  const int descriptor = openat(above, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(descriptor < 0 ? nullptr : fdopendir(descriptor), &closedir);
  if (!folder) return false;
  for (errno = 0; const dirent* const entry = readdir(folder.get()); errno = 0) {
    const std::string_view word = static_cast<const char*>(entry->d_name);
    if (word == "." || word == ".." || (is_unit && word == kUnitJson)) continue;
    struct stat state = {};
    bool is_folder = entry->d_type == DT_DIR;
    if (!is_folder) {
      if (fstatat(descriptor, entry->d_name, &state, AT_SYMLINK_NOFOLLOW) != 0) return false;
      is_folder = S_ISDIR(state.st_mode);  // on file systems whose entries do not say so
    }
    if (is_folder ? !add_sizes(descriptor, entry->d_name, false, sizes) : !S_ISREG(state.st_mode)) return false;
    if (is_folder) continue;
    ++sizes.files;
    sizes.bytes += static_cast<std::uint64_t>(state.st_size);
  }
  return errno == 0;
}

}  // namespace

bool is_whole(const std::filesystem::path& dataset, const PackPlaces& places, const PackEntry& entry) {
  const std::filesystem::path place = dataset / places(entry.index);
  if (!places.is_folder()) {
    struct stat state = {};
    return stat(place.c_str(), &state) == 0 && S_ISREG(state.st_mode) &&
           static_cast<std::uint64_t>(state.st_size) == entry.bytes;
  }
  const auto text = read_bytes(place / kUnitJson);
  Sizes sizes;
  return text && digest_of(*text) == entry.content && add_sizes(AT_FDCWD, place.c_str(), true, sizes) &&
         sizes.files == entry.files && sizes.bytes == entry.bytes;
}

void remove_place(const std::filesystem::path& place, const std::filesystem::path& hidden) {
  if (std::rename(place.c_str(), hidden.c_str()) != 0) {
    if (errno == ENOENT) return;
    fail_at(place, "be renamed", errno);
  }
  std::error_code error;
  std::filesystem::remove_all(hidden, error);
  if (error) fail_at(hidden, "be removed", error.value());
}

}  // namespace fathom
