// SPDX-License-Identifier: MIT
#pragma once
// The digests of datasets: XXH3 in 64 bits (https://xxhash.com; `xxhsum -H3` gives it, too). It reads as fast as memory
// does, where FNV-1a of FrameDigest takes four cycles a byte.

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <fathom/dataset/unit.hpp>
#include <fathom/simulate/run.hpp>

namespace fathom {

/// Of bytes: 16 digits.
std::string digest_of(std::string_view bytes);

struct FileDigest {
  std::uint64_t bytes = 0;
  std::string digest;
};
/// Of bytes that come in pieces.
class Digester {
 public:
  Digester();
  ~Digester();
  Digester(const Digester&) = delete;
  Digester& operator=(const Digester&) = delete;

  void add(std::span<const std::byte> bytes);
  /// Of all bytes so far.
  [[nodiscard]] FileDigest result() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::uint64_t bytes_ = 0;
};

/// Of a regular file of any size; nothing when it cannot be read, and errno says why.
std::optional<FileDigest> digest_file(const std::filesystem::path& file);

/// Digests of everything that the files of all units depend on but their numbers. Input files that have not changed
/// since the last call are not read again: those of the same place, size and times, the last change of which was long
/// before they were read. For any thread.
class InputDigests {
 public:
  std::string digest(const SceneSetup& setup, const RunOptions& options);

 private:
  /// What tells whether a file was changed.
  struct Stamp {
    std::uint64_t device = 0, inode = 0, bytes = 0;
    std::int64_t modified_ns = 0, changed_ns = 0;

    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  struct Known {
    Stamp stamp;
    std::string digest;
  };

  static Stamp stamp_of(const std::filesystem::path& file);
  std::string file_digest(const std::filesystem::path& file);

  std::mutex mutex_;  // of what follows
  std::map<std::filesystem::path, Known> known_;
};
/// Of one call.
std::string inputs_digest(const SceneSetup& setup, const RunOptions& options);
/// The digest of a unit, from that of its inputs.
std::string unit_digest(const std::string& inputs, const Unit& unit);

}  // namespace fathom
