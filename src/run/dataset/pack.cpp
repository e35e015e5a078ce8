// SPDX-License-Identifier: MIT
#include "run/dataset/pack.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <string_view>
#include <sys/stat.h>

#include <dirent.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/core/error.hpp>
#include <fathom/simulate/dataset.hpp>
#include <fathom/simulate/run.hpp>

#include "run/dataset/digest.hpp"
#include "run/dataset/own_files.hpp"

namespace fathom {

namespace {

constexpr int kMostCompression = 9;

/// "000/012/000012345": no folder holds more than 1000 packs.
std::string numbered(std::uint64_t index) {
  return fmt::format("{:03}/{:03}/{:09}", index / 1'000'000, index / kPacksPerFolder % 1000, index);
}

/// The part of a pack's name after the nine digits.
std::string_view extension_of(DatasetFormat format) {
  switch (format) {
    case DatasetFormat::kHdf5:
      return ".h5";
    case DatasetFormat::kWebDataset:
      return ".tar";
    case DatasetFormat::kFolders:
      break;
  }
  return "";
}

void check_unit_range(std::string_view what, const NumberRange& range) {
  if (range.size() > 0) return;
  throw InputError(fmt::format("{} {}:{} are empty: the end must be above the first", what, range.first, range.end));
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

}  // namespace

std::uint64_t share_of(const DatasetOptions::Shard& shard, std::uint64_t size) {
  return size / shard.count + (shard.index < size % shard.count ? 1 : 0);
}

std::filesystem::path PackPlaces::operator()(std::uint64_t index) const {
  return fmt::format("{}/{}{}", root(), numbered(index), extension_of(format_));
}

std::filesystem::path PackPlaces::description(std::uint64_t index) const {
  return is_folder() ? (*this)(index) / kUnitJson : (*this)(index).replace_extension(".json");
}

PackList::PackList(const UnitList& units, const DatasetFiles& files) : units_(units), files_(files) {
  if (files.format == DatasetFormat::kFolders) {
    files_ = {};
    return;
  }
  if (files.units_per_file == 0) throw InputError("a file of no units");
  if (files.compression < 0 || files.compression > kMostCompression) {
    throw InputError(fmt::format("compression {} is not in [0, {}]", files.compression, kMostCompression));
  }
  if (files.format != DatasetFormat::kHdf5) files_.compression = 0;  // unused
  per_pack_ = files.units_per_file;
}

Pack PackList::at(std::uint64_t index) const {
  const std::uint64_t first = index * per_pack_;
  return {index, first, std::min(per_pack_, units_.size() - first)};
}

std::uint64_t PackList::frames(const Pack& pack) const {
  const std::uint64_t block = units_.block(), blocks = (units_.frames() + block - 1) / block;
  const std::uint64_t last_blocks = (pack.first + pack.units) / blocks - pack.first / blocks;
  return pack.units * block - last_blocks * (blocks * block - units_.frames());
}

std::string PackList::digest(const std::string& inputs, const Pack& pack) const {
  const Unit first = units_.at(pack.first);
  if (files_.format == DatasetFormat::kFolders) return unit_digest(inputs, first);
  const Unit last = units_.at(pack.first + pack.units - 1);
  // The units between the two follow from the episodes and the blocks. The number of environments is left out, so that
  // a dataset can grow.
  return digest_of(fmt::format("{} {} {} {} {} {} {} {}", to_string(files_.format), files_.compression,
                               units_.episodes().first, units_.episodes().end, units_.frames(), units_.block(),
                               unit_digest(inputs, first), unit_digest(inputs, last)));
}

/// All packs are full except the last one.
std::uint64_t units_of(const DatasetOptions::Shard& shard, const PackList& packs) {
  const std::uint64_t full = packs.at(0).units, last = packs.size() - 1;
  const bool has_last = last % shard.count == shard.index;
  return share_of(shard, packs.size()) * full - (has_last ? full - packs.at(last).units : 0);
}

UnitList::UnitList(NumberRange environments, NumberRange episodes, std::uint32_t frames, std::uint32_t block)
    : environments_(environments), episodes_(episodes), frames_(frames), block_(block == 0 ? frames : block) {
  check_unit_range("environments", environments);
  check_unit_range("episodes", episodes);
  if (frames < 1 || frames > kMaxFrames) {
    throw InputError(fmt::format("frames = {} is not in [1, {}]", frames, kMaxFrames));
  }
  block_ = std::min(block_, frames_);
  // Both ranges have at most 2^32 numbers, so that no product exceeds 64 bits.
  if (environments.size() > kMaxUnits || environments.size() * episodes.size() > kMaxUnits || size() > kMaxUnits) {
    throw InputError(fmt::format("{} environments of {} episodes of {} blocks are more than {} units{}",
                                 environments.size(), episodes.size(), blocks(), kMaxUnits,
                                 blocks() > 1 ? "; larger blocks make fewer" : ""));
  }
}

Unit UnitList::at(std::uint64_t index) const {
  if (index >= size()) throw InputError(fmt::format("unit {} is not among the {} units", index, size()));
  const std::uint64_t block = index % blocks(), run = index / blocks();
  Unit unit;
  unit.index = index;
  unit.environment = environments_.first + run / episodes_.size();
  unit.episode = episodes_.first + run % episodes_.size();
  unit.first_frame = block * block_;
  unit.frames = static_cast<std::uint32_t>(std::min<std::uint64_t>(block_, frames_ - unit.first_frame));
  return unit;
}

std::filesystem::path Unit::folder() const { return PackPlaces(DatasetFormat::kFolders)(index); }

DatasetOptions::Shard DatasetOptions::Shard::parse(const std::string& text) {
  const std::string_view view = text;
  const std::size_t slash = view.find('/');
  const auto index = whole_number(view.substr(0, slash));
  const auto count = slash == std::string_view::npos ? std::nullopt : whole_number(view.substr(slash + 1));
  if (!index || !count || *index >= *count || *count > kMaxUnits) {
    throw InputError(fmt::format("shard '{}' is not i/n with i below n, and n at most {}", text, kMaxUnits));
  }
  return {*index, *count};
}

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

/// Adds the files below a folder to the sizes, except unit.json of the first folder. False if something is neither a
/// regular file nor a folder, or cannot be read. Uses system calls, to check a hundred thousand units in a second.
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
      is_folder = S_ISDIR(state.st_mode);  // for file systems whose entries have no type
    }
    if (is_folder ? !add_sizes(descriptor, entry->d_name, false, sizes) : !S_ISREG(state.st_mode)) return false;
    if (is_folder) continue;
    ++sizes.files;
    sizes.bytes += static_cast<std::uint64_t>(state.st_size);
  }
  return errno == 0;
}

/// Whether the pack on the disk has the kind and the sizes of its entry.
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
