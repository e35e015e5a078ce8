// SPDX-License-Identifier: MIT
#include "dataset/file_writer.hpp"

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "dataset/fail_at.hpp"
#include "dataset/own_place.hpp"
#include "dataset/pack_tree.hpp"
#include "text/whole_file.hpp"

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
  const std::filesystem::path folder = packs_.places()(pack.index).parent_path();
  const std::string name = unfinished_name(pack.index, this);
  std::error_code error;
  std::filesystem::create_directories(dataset_ / folder, error);
  if (error) fail_at(dataset_ / folder, "be made", error.value());
  remove_own(dataset_, folder / name, name);  // of a process that had the same name
  unfinished_ = dataset_ / folder / name;
  open_file();
}

/// The old description goes first, and the new one comes last: no pack ever has the description of another.
PackEntry FileWriter::end_pack() {
  const FileDigest file = close_file();
  PackEntry entry = {.index = pack_.index,
                     .digest = packs_.digest(inputs_, pack_),
                     .content = file.digest,
                     .files = 1,
                     .bytes = file.bytes};
  const std::filesystem::path place = packs_.places()(pack_.index), about = packs_.places().description(pack_.index);
  if (whole_entry(dataset_, packs_.places(), pack_.index) == entry) {  // of a process that was quicker
    remove_unfinished();
    return entry;
  }
  const std::string hidden = unfinished_.filename().string() + ".old.part";
  remove_own(dataset_, about, hidden);
  remove_own(dataset_, place, hidden);
  if (std::rename(unfinished_.c_str(), (dataset_ / place).c_str()) != 0) fail_at(unfinished_, "be renamed", errno);
  unfinished_.clear();
  write_whole_file(dataset_ / about, description_text(entry));
  return entry;
}

}  // namespace fathom
