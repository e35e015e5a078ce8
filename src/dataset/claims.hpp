// SPDX-License-Identifier: MIT
#pragma once
// claims/000/012/000012345: a folder that stands while somebody renders the pack. To make a folder is atomic on shared
// file systems, too. Two who render the same pack, because a claim was taken over too early, waste time and harm
// nothing.

#include <cstdint>
#include <filesystem>

namespace fathom {

inline constexpr const char* kClaimsName = "claims";

class Claims {
 public:
  /// A claim that nobody has renewed for so long is taken over.
  Claims(std::filesystem::path dataset, double stale_s) : dataset_(std::move(dataset)), stale_s_(stale_s) {}

  /// Whether the pack is ours now. Throws SystemError.
  bool take(std::uint64_t pack);
  /// Says that we are still at it.
  void renew(std::uint64_t pack) const;
  void release(std::uint64_t pack) const;

 private:
  [[nodiscard]] std::filesystem::path folder_of(std::uint64_t pack) const;
  [[nodiscard]] bool is_stale(const std::filesystem::path& claim) const;

  std::filesystem::path dataset_;
  double stale_s_;
};

}  // namespace fathom
