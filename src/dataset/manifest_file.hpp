// SPDX-License-Identifier: MIT
#pragma once
// manifest.json: the digests of the manifest's parts, a line for each million of units.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fathom/frame/digest.hpp>

#include "dataset/dataset_file.hpp"
#include "dataset/pack_entry.hpp"

namespace fathom {

inline constexpr const char* kManifestName = "manifest.json";

/// The units of a folder below units/, and the digest of their lines in order.
struct ManifestPart {
  std::string folder;
  std::uint64_t units = 0, files = 0, bytes = 0;
  FrameDigest digest = {};
};

/// Made of the entries of all units, in order.
class Manifest {
 public:
  void add(const PackEntry& entry, std::uint64_t units);
  [[nodiscard]] std::string text(const DatasetFile& file, const std::optional<FileDigest>& merged) const;

 private:
  std::vector<ManifestPart> parts_;
};

}  // namespace fathom
