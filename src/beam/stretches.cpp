// SPDX-License-Identifier: MIT
#include "beam/stretches.hpp"

#include <fmt/format.h>

#include "base/counts.hpp"

namespace fathom {

std::string few_clusters_flag(std::size_t clusters, std::size_t stretches) {
  constexpr std::size_t kFewClusters = 20;
  if (clusters >= kFewClusters) return "";
  const bool few_asked = stretches > 0 && clusters == stretches;
  return fmt::format("standard errors rest on {} only: they are rough, {}",
                     stretches > 0 ? counted(clusters, "stretch") : counted(clusters, "scan"),
                     few_asked ? "take 20 stretches or more" : "learn from at least 20 scans");
}

std::string one_cluster_flag(std::string_view what) {
  return fmt::format("standard errors need at least two clusters: the {} of one err together", what);
}

}  // namespace fathom
