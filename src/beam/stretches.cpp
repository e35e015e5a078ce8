// SPDX-License-Identifier: MIT
#include "beam/stretches.hpp"

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "base/counts.hpp"

namespace fathom {

Stretches make_stretches(std::uint64_t scans, std::size_t wanted, std::span<const std::uint32_t> given) {
  if (wanted == 0) return {scans, scans};
  if (given.empty()) return {scans, std::min<std::uint64_t>(wanted, scans)};
  if (given.size() != scans) {
    throw InputError(fmt::format("stretches of {} scans given for {} scans", given.size(), scans));
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::uint32_t before = i > 0 ? given[i - 1] : 0;
    if (given[i] == before || (i > 0 && given[i] == before + 1)) continue;
    throw InputError(fmt::format("scan {} is in stretch {}, and the scan before in {}", i, given[i], before));
  }
  return {scans, std::uint64_t{given.back()} + 1, given};
}

std::string few_clusters_flag(std::size_t clusters, std::size_t stretches) {
  constexpr std::size_t kFewClusters = 20;
  if (clusters >= kFewClusters) return "";
  const bool few_asked = stretches > 0 && clusters == stretches;
  return fmt::format("standard errors rest on {} only: they are rough, {}",
                     stretches > 0 ? counted(clusters, "stretch") : counted(clusters, "scan"),
                     few_asked       ? "take 20 stretches or more"
                     : stretches > 0 ? "learn from at least 20 scans, along a longer way"
                                     : "learn from at least 20 scans");
}

std::string one_cluster_flag(std::string_view what) {
  return fmt::format("standard errors need at least two clusters: the {} of one err together", what);
}

}  // namespace fathom
