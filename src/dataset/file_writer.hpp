// SPDX-License-Identifier: MIT
#pragma once
// What formats with many units in a file have in common: the file appears whole, and a description beside it.

#include <filesystem>
#include <string>

#include "dataset/digest.hpp"
#include "dataset/pack_writer.hpp"

namespace fathom {

/// Makes a pack under a hidden name beside its place, and moves it there by one rename.
class FileWriter : public PackWriter {
 public:
  /// `inputs`: their digest.
  FileWriter(std::filesystem::path dataset, const PackList& packs, std::string inputs);

  void begin_pack(const Pack& pack) final;
  PackEntry end_pack() final;

 protected:
  /// Removes the file that is being made; the destructor of each format calls it, after it has closed the file.
  void remove_unfinished() noexcept;
  [[nodiscard]] const Pack& pack() const { return pack_; }
  [[nodiscard]] const std::filesystem::path& unfinished() const { return unfinished_; }
  [[nodiscard]] const PackList& packs() const { return packs_; }

 private:
  virtual void open_file() = 0;  ///< unfinished(), which is not there
  /// All units of pack() are written. The digest of the bytes that went into the file.
  virtual FileDigest close_file() = 0;

  std::filesystem::path dataset_, unfinished_;  // unfinished_: empty where nothing is being made
  PackList packs_;
  std::string inputs_;
  Pack pack_;
};

}  // namespace fathom
