// SPDX-License-Identifier: MIT
#include "fit/uncertainty.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <boost/math/distributions/students_t.hpp>
#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/report/fit.hpp>

#include "core/text.hpp"

namespace fathom {

double student_t_quantile(double p, double degrees) {
  return boost::math::quantile(boost::math::students_t(degrees), p);
}

double two_errors_widening(std::size_t degrees) {
  constexpr double kHeldByTwo = 0.97725;  // of a normal below two deviations
  return degrees > 0 ? 0.5 * student_t_quantile(kHeldByTwo, static_cast<double>(degrees)) : 1.0;
}

double jackknife_error(std::span<const double> without) {
  if (without.size() < 2) return kNoNumber;
  const auto count = static_cast<double>(without.size());
  double mean = 0.0, square = 0.0;
  for (const double value : without) mean += value / count;
  for (const double value : without) square += (value - mean) * (value - mean);
  return std::sqrt(square * (count - 1.0) / count);
}

TrajectoryBlocks::TrajectoryBlocks(std::uint64_t all_scans, std::uint64_t most,
                                   std::span<const std::uint32_t> block_of_scan)
    : scans(all_scans), asked(most), count(most > 0 ? std::min(most, all_scans) : all_scans) {
  if (most == 0 || block_of_scan.empty()) return;
  if (block_of_scan.size() != scans) {
    throw InputError(fmt::format("stretches of {} scans given for {} scans", block_of_scan.size(), scans));
  }
  for (std::size_t i = 0; i < block_of_scan.size(); ++i) {
    const std::uint32_t before = i > 0 ? block_of_scan[i - 1] : 0;
    if (block_of_scan[i] == before || (i > 0 && block_of_scan[i] == before + 1)) continue;
    throw InputError(fmt::format("scan {} is in stretch {}, and the scan before in {}", i, block_of_scan[i], before));
  }
  given = block_of_scan, count = std::uint64_t{block_of_scan.back()} + 1;
}

std::vector<std::uint32_t> blocks_of(std::span<const std::uint32_t> frame, std::size_t asked) {
  std::vector<std::uint32_t> frames(frame.begin(), frame.end());
  std::ranges::sort(frames);
  frames.erase(std::unique(frames.begin(), frames.end()), frames.end());
  const TrajectoryBlocks blocks(frames.size(), asked);
  std::vector<std::uint32_t> block;
  for (const std::uint32_t number : frame) {
    const auto place = std::ranges::lower_bound(frames, number) - frames.begin();
    block.push_back(static_cast<std::uint32_t>(blocks.of_scan(static_cast<std::uint64_t>(place))));
  }
  return block;
}

double BartlettWeights::variance_of_sum(std::span<const double> parts) const {
  double sum = 0.0;
  for_each_pair(parts.size(),
                [&](std::size_t g, std::size_t h, double weight) { sum += weight * parts[g] * parts[h]; });
  return small_sample_factor(static_cast<double>(parts.size())) * std::max(0.0, sum);
}

std::optional<BlockVariance> block_variance(std::span<const double> moved, std::span<const double> share,
                                            const BartlettWeights& weights) {
  constexpr double kLeastRest = 0.05;  // of 1 - h_g: below, the other blocks hold too little to compare with
  constexpr double kLeastMean = 1e-9;  // of the sum, which has lost its digits below
  const std::size_t blocks = moved.size();
  if (blocks == 0 || *std::max_element(share.begin(), share.end()) > 1.0 - kLeastRest) return std::nullopt;
  // Corrected u_g, and their covariance diag(own) - common common'.
  std::vector<double> corrected(blocks), own(blocks), common(blocks);
  for (std::size_t g = 0; g < blocks; ++g) {
    const double rest = 1.0 - share[g];
    corrected[g] = moved[g] / std::sqrt(rest);
    common[g] = share[g] / std::sqrt(rest);
    own[g] = share[g] * (1.0 - share[g]) / rest + common[g] * common[g];
  }
  // K has the weights of pairs: u' K u, and the traces of K C and (K C)^2 for that covariance C.
  double sum = 0.0, mean = 0.0, squares = 0.0, of_common = 0.0;
  std::vector<double> weighted(blocks, 0.0);  // K common
  weights.for_each_pair(blocks, [&](std::size_t g, std::size_t h, double weight) {
    sum += weight * corrected[g] * corrected[h];
    squares += weight * weight * own[g] * own[h];
    of_common += weight * common[g] * common[h];
    weighted[g] += weight * common[h];
  });
  for (std::size_t g = 0; g < blocks; ++g) {
    mean += own[g];
    squares -= 2.0 * own[g] * weighted[g] * weighted[g];
  }
  mean -= of_common, squares += of_common * of_common;
  if (!(mean > kLeastMean && squares > 0.0)) return std::nullopt;
  return BlockVariance{std::max(0.0, sum) / mean, std::max(1.0, mean * mean / squares)};
}

void note_few_blocks(std::size_t blocks, std::size_t stretches, bool by_way, std::string_view what, Fit& fit) {
  constexpr std::size_t kFewBlocks = 20;
  if (blocks < 2) {
    return fit.note(
        "one_block",
        fmt::format("standard errors need at least two clusters: the {} of one cluster have correlated errors", what));
  }
  if (blocks >= kFewBlocks) return;
  const bool few_asked = stretches > 0 && blocks == stretches;
  fit.note("few_blocks", fmt::format("standard errors rest on {} only: they are rough, {}",
                                     stretches > 0 ? counted(blocks, "stretch") : counted(blocks, "scan"),
                                     few_asked                 ? "take 20 stretches or more"
                                     : stretches > 0 && by_way ? "learn from at least 20 scans, along a longer way"
                                                               : "learn from at least 20 scans"));
}

}  // namespace fathom
