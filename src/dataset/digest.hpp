// SPDX-License-Identifier: MIT
#pragma once
// The digests of datasets: XXH3 in 64 bits (https://xxhash.com; `xxhsum -H3` gives it, too). It reads as fast as memory
// does, where FNV-1a of FrameDigest takes four cycles a byte.

#include <cstdint>
#include <filesystem>
#include <optional>
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
/// Of a regular file of any size; nothing when it cannot be read, and errno says why.
std::optional<FileDigest> digest_file(const std::filesystem::path& file);

/// Of everything that the files of all units depend on but their numbers.
std::string inputs_digest(const SceneSetup& setup, const RunOptions& options);
/// The digest of a unit, from that of its inputs.
std::string unit_digest(const std::string& inputs, const Unit& unit);

}  // namespace fathom
