// SPDX-License-Identifier: MIT
#include "dataset/file_writer.hpp"

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "dataset/fail_at.hpp"
#include "dataset/shelf.hpp"
#include "dataset/whole_pack.hpp"

namespace fathom {

FileWriter::FileWriter(std::filesystem::path dataset, const PackList& packs, std::string inputs)
    : dataset_(std::move(dataset)), packs_(packs), inputs_(std::move(inputs)) {}

void FileWriter::remove_unfinished() noexcept {
  std::error_code error;
  if (!unfinished_.empty()) std::filesystem::remove(unfinished_, error);
  unfinished_.clear();
}

void FileWriter::begin_pack(const Pack& pack) {
  pack_ = pack;
  const std::filesystem::path folder = (dataset_ / packs_.places()(pack.index)).parent_path();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail_at(folder, "be made", error.value());
  unfinished_ = folder / unfinished_name(pack.index, this);
  std::filesystem::remove(unfinished_, error);  // of a process that had the same name
  open_file();
}

PackEntry FileWriter::end_pack() {
  const FileDigest file = close_file();
  PackEntry entry = {.index = pack_.index,
                     .digest = packs_.digest(inputs_, pack_),
                     .content = file.digest,
                     .files = 1,
                     .bytes = file.bytes};
  const std::filesystem::path place = dataset_ / packs_.places()(pack_.index);
  std::error_code error;
  const auto there = std::filesystem::symlink_status(place, error).type();
  if (there != std::filesystem::file_type::not_found) {
    // The same one, of a process that was quicker; merging may have removed this file since: nothing is to be done.
    if (read_entry(dataset_, packs_.places(), pack_.index) == entry && is_whole(dataset_, packs_.places(), entry)) {
      remove_unfinished();
      return entry;
    }
    if (!std::filesystem::exists(unfinished_, error)) fail_at(unfinished_, "be renamed", ENOENT);
    append_removal(dataset_, pack_.index);
  }
  if (there == std::filesystem::file_type::directory) remove_place(place, unfinished_.string() + ".old.part");
  if (std::rename(unfinished_.c_str(), place.c_str()) != 0) fail_at(unfinished_, "be renamed", errno);
  unfinished_.clear();
  append_entry(dataset_, entry);
  return entry;
}

}  // namespace fathom
