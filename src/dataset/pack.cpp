// SPDX-License-Identifier: MIT
#include "dataset/pack.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "dataset/digest.hpp"

namespace fathom {

namespace {

constexpr int kMostCompression = 9;

/// "000/012/000012345": no folder has more than 1000 packs.
std::string numbered(std::uint64_t index) {
  return fmt::format("{:03}/{:03}/{:09}", index / 1'000'000, index / kPacksPerFolder % 1000, index);
}

}  // namespace

std::uint64_t share_of(const Shard& shard, std::uint64_t size) {
  return size / shard.count + (shard.index < size % shard.count ? 1 : 0);
}

std::string_view PackPlaces::extension() const {
  switch (format_) {
    case DatasetFormat::kHdf5:
      return ".h5";
    case DatasetFormat::kWebDataset:
      return ".tar";
    case DatasetFormat::kFolders:
      break;
  }
  return "";
}

std::filesystem::path PackPlaces::operator()(std::uint64_t index) const {
  return fmt::format("{}/{}{}", root(), numbered(index), extension());
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
  if (files.format != DatasetFormat::kHdf5) files_.compression = 0;  // it does not count
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
  // The units between the two follow from the episodes and the blocks; how many environments there are does not count,
  // so that a dataset can grow.
  return digest_of(fmt::format("{} {} {} {} {} {} {} {}", to_string(files_.format), files_.compression,
                               units_.episodes().first, units_.episodes().end, units_.frames(), units_.block(),
                               unit_digest(inputs, first), unit_digest(inputs, last)));
}

/// All packs are full but the last of all.
std::uint64_t units_of(const Shard& shard, const PackList& packs) {
  const std::uint64_t full = packs.at(0).units, last = packs.size() - 1;
  const bool has_last = last % shard.count == shard.index;
  return share_of(shard, packs.size()) * full - (has_last ? full - packs.at(last).units : 0);
}

}  // namespace fathom
