// SPDX-License-Identifier: MIT
#pragma once
// The digests of datasets: XXH3 in 64 bits (https://xxhash.com; `xxhsum -H3` computes it). It reads as fast as memory
// does, while FNV-1a of FrameDigest takes four cycles a byte.

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <fathom/simulate/dataset.hpp>
#include <fathom/simulate/run.hpp>

namespace fathom {

/// The digest of bytes: 16 digits.
std::string digest_of(std::string_view bytes);

struct FileDigest {
  std::uint64_t bytes = 0;
  std::string digest;
};
/// The digest of bytes that come in pieces.
class Digester {
 public:
  Digester();
  ~Digester();
  Digester(const Digester&) = delete;
  Digester& operator=(const Digester&) = delete;

  void add(std::span<const std::byte> bytes);
  /// For all bytes so far.
  [[nodiscard]] FileDigest result() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::uint64_t bytes_ = 0;
};

/// For a regular file of any size; empty if it cannot be read, and errno has the reason.
std::optional<FileDigest> digest_file(const std::filesystem::path& file);

/// Digests of all inputs of a unit except its numbers. A file is not read again if its place, size and times are
/// unchanged, and its last change was long before it was read. For any thread.
class InputDigests {
 public:
  std::string digest(const SceneSetup& setup, const RunOptions& options);

 private:
  /// Differs after a change of the file.
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

  std::mutex mutex_;  // of known_
  std::map<std::filesystem::path, Known> known_;
};
/// As DatasetRenderer::unit_digest().
std::string unit_digest(const SceneSetup& setup, const RunOptions& options, const Unit& unit);
/// The digest of a unit, from that of its inputs.
std::string unit_digest(const std::string& inputs, const Unit& unit);

}  // namespace fathom
