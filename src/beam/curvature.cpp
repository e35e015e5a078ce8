// SPDX-License-Identifier: MIT
#include "beam/curvature.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/isa.hpp"
#include "beam/curvature_kernels.hpp"
#include "beam/em_kernels.hpp"
#include "beam/tail_curvature.hpp"

namespace fathom {

namespace {

constexpr std::size_t kBlocksOfChunk = 64;

/// Coordinates of the scores of range readings: kRangeScores of them, or kTailScores.
constexpr std::array<std::size_t, kTailScores> kRangeCoordinates = {0, 1, 3, 4, 5, 6, 7};

CurvatureKernel pick_curvature_kernel(Isa isa) {
  return for_isa(isa, sse2::kCurvatureKernel, avx2::kCurvatureKernel, avx512::kCurvatureKernel);
}

/// Scores without the weights' common term, and how many pairs they are of.
struct ClusterSum {
  Score score = {};
  double pairs = 0.0;
  void add(const ClusterSum& o) {
    for (std::size_t k = 0; k < kCoordinates; ++k) score[k] += o.score[k];
    pairs += o.pairs;
  }
};

/// What a chunk of blocks sums up to. Chunks are the same for any number of threads.
struct ChunkSums {
  struct Run {
    std::uint64_t cluster;
    ClusterSum sum;
  };
  std::array<double, kTailProducts> hessian = {};  // the first kRangeProducts where hits are Gaussian
  std::vector<Run> runs;

  ClusterSum& of(std::uint64_t cluster) {
    if (runs.empty() || runs.back().cluster != cluster) runs.push_back({cluster, {}});
    return runs.back().sum;
  }
};

class CurvatureOfPart {
 public:
  CurvatureOfPart(const Evidence& evidence, std::uint64_t first_scan, const TrajectoryBlocks& blocks,
                  const BeamParameters& p, const BeamSensor& sensor, Isa isa)
      : evidence_(evidence),
        first_scan_(first_scan),
        blocks_(blocks),
        parameters_(p),
        sensor_(sensor),
        kernel_(pick_curvature_kernel(isa)),
        scores_(p.tail.is_extended() ? kTailScores : kRangeScores) {
    if (p.tail.is_extended()) tail_.emplace(p, sensor);
  }

  Curvature run(Executor& executor) {
    Curvature out;
    if (evidence_.clusters() == 0) return out;
    out.first_cluster = cluster_of(0);
    std::vector<ClusterSum> clusters(cluster_of(evidence_.clusters() - 1) - out.first_cluster + 1);
    std::array<double, kTailProducts> hessian = {};
    for (const bool missed : {true, false}) {
      const std::size_t begin = missed ? 0 : evidence_.missed, end = missed ? evidence_.missed : evidence_.ranges();
      constexpr std::size_t kPairsOfChunk = kBlocksOfChunk * kEmBlock;
      std::vector<ChunkSums> chunks((end - begin + kPairsOfChunk - 1) / kPairsOfChunk);
      executor.parallel_for(chunks.size(), 1, [&](std::size_t chunk, std::size_t) {
        const std::size_t first = begin + chunk * kPairsOfChunk, last = std::min(end, first + kPairsOfChunk);
        for (std::size_t i = first; i < last; i += kEmBlock) {
          const std::size_t count = std::min(kEmBlock, last - i);
          tail_ ? add_tail_block(i, count, missed, chunks[chunk]) : add_block(i, count, missed, chunks[chunk]);
        }
      });
      for (const ChunkSums& chunk : chunks) {
        for (std::size_t k = 0; k < kTailProducts; ++k) hessian[k] += chunk.hessian[k];
        for (const ChunkSums::Run& run : chunk.runs) clusters[run.cluster - out.first_cluster].add(run.sum);
      }
    }
    add_max(out.first_cluster, clusters, out.information);
    finish(hessian, clusters, out);
    return out;
  }

 private:
  [[nodiscard]] std::uint64_t cluster_of(std::uint64_t scan) const { return blocks_.of_scan(first_scan_ + scan); }
  [[nodiscard]] bool moves_to_max(bool missed) const { return missed && sensor_.miss == MissPolicy::kAtom; }

  void add_block(std::size_t begin, std::size_t count, bool missed, ChunkSums& sums) const {
    const BeamParameters& q = parameters_;
    EmParameters p = {};
    p.w_hit = moves_to_max(missed) ? 0.0 : q.w_hit;
    p.w_short = q.w_short, p.w_rand_density = q.w_rand / sensor_.max_range_m;
    p.sigma = q.sigma_hit_m, p.lambda = q.lambda_short_per_m, p.offset = missed ? 0.0 : q.hit_offset_m;
    p.floor = sensor_.expected_floor_m, p.limit = sensor_.max_range_m;
    double inverse_mass[kEmBlock], m1[kEmBlock], m2[kEmBlock], m3[kEmBlock], growth[kEmBlock];
    const CutMoments cut = {inverse_mass, m1, m2, m3, growth};
    fill_moments(p, begin, count, missed, cut);
    alignas(64) double scores[kRangeScores][kEmBlock];
    CurvatureSums out = {{}, sums.hessian.data()};
    for (std::size_t k = 0; k < kRangeScores; ++k) out.score[k] = scores[k];
    kernel_(p, {evidence_.z_m.data() + begin, evidence_.expected_m.data() + begin, count, cut, !missed}, out);
    add_scores(begin, count, scores, sums);
  }

  void add_tail_block(std::size_t begin, std::size_t count, bool missed, ChunkSums& sums) const {
    double scores[kTailScores][kEmBlock];
    for (std::size_t i = 0; i < count; ++i) {
      const TailScore score =
          tail_->add(evidence_.z_m[begin + i], evidence_.expected_m[begin + i], missed, sums.hessian);
      for (std::size_t k = 0; k < kTailScores; ++k) scores[k][i] = score[k];
    }
    add_scores(begin, count, scores, sums);
  }

  /// Moments of hits: those of the uncut density, unless an end of [0, Z] is near.
  void fill_moments(const EmParameters& p, std::size_t begin, std::size_t count, bool missed,
                    const CutMoments& cut) const {
    constexpr double kFarSigmas = 8.5;
    const double s2 = p.sigma * p.sigma;
    std::fill_n(cut.inverse_mass, count, 1.0);
    std::fill_n(cut.m1, count, 0.0);
    std::fill_n(cut.m2, count, s2);
    std::fill_n(cut.m3, count, 0.0);
    std::fill_n(cut.growth, count, 2.0 * s2);
    const double far_m = kFarSigmas * p.sigma;
    for (std::size_t i = 0; i < count; ++i) {
      const double expected = missed ? p.limit : double{evidence_.expected_m[begin + i]};
      const double center = std::clamp(expected + p.offset, p.floor, p.limit);
      if (center > far_m && p.limit - center > far_m) continue;
      put_moments({center, p.sigma, p.limit}, i, cut);
    }
  }

  static void put_moments(const TruncatedNormal& hit, std::size_t i, const CutMoments& cut) {
    const double s = hit.sigma, s2 = s * s, a = hit.lower(), b = hit.upper(), inverse = 1.0 / hit.mass();
    const double phi_a = math::normal_density(a) * inverse, phi_b = math::normal_density(b) * inverse;
    const double fourth = 3.0 + a * (a * a + 3.0) * phi_a - b * (b * b + 3.0) * phi_b;
    const double second = hit.second_moment() / s2;
    cut.inverse_mass[i] = inverse;
    cut.m1[i] = s * (phi_a - phi_b);
    cut.m2[i] = s2 * second;
    cut.m3[i] = s * s2 * ((a * a + 2.0) * phi_a - (b * b + 2.0) * phi_b);
    cut.growth[i] = s2 * (fourth - second * second);
  }

  void add_scores(std::size_t begin, std::size_t count, const double (*scores)[kEmBlock], ChunkSums& sums) const {
    const std::uint32_t* scan = evidence_.cluster.data() + begin;
    const auto [least, most] = std::minmax_element(scan, scan + count);
    const std::uint64_t first = cluster_of(*least), last = cluster_of(*most);
    if (first == last) {
      ClusterSum own;
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t k = 0; k < scores_; ++k) own.score[kRangeCoordinates[k]] += scores[k][i];
      }
      own.pairs = static_cast<double>(count);
      sums.of(first).add(own);
      return;
    }
    std::vector<ClusterSum> mixed(last - first + 1);
    for (std::size_t i = 0; i < count; ++i) {
      ClusterSum& to = mixed[cluster_of(scan[i]) - first];
      for (std::size_t k = 0; k < scores_; ++k) to.score[kRangeCoordinates[k]] += scores[k][i];
      to.pairs += 1.0;
    }
    for (std::size_t k = 0; k < mixed.size(); ++k) sums.of(first + k).add(mixed[k]);
  }

  /// "Max" readings: the point mass explains them alone, but for hits that the atom policy moved there.
  void add_max(std::uint64_t first_cluster, std::vector<ClusterSum>& clusters, Matrix& information) const {
    const double w_hit = parameters_.w_hit, both = w_hit + parameters_.w_max;
    const double shared = moves_to_max(true) && both > 0.0 ? w_hit / both : 0.0;
    for (std::size_t scan = 0; scan < evidence_.clusters(); ++scan) {
      const double expected = evidence_.max_expected[scan], missed = evidence_.max_missed[scan];
      ClusterSum& to = clusters[cluster_of(scan) - first_cluster];
      to.score[0] += shared * missed;
      to.score[2] += expected + (1.0 - shared) * missed;
      to.pairs += expected + missed;
    }
    const double spread = shared * (1.0 - shared) * evidence_.max_missed_total;
    information[0][0] -= spread, information[2][2] -= spread;
    information[0][2] += spread, information[2][0] += spread;
  }

  /// The weights' common term: of each gradient -w, of each Hessian w w^T - diag(w).
  void finish(const std::array<double, kTailProducts>& hessian, const std::vector<ClusterSum>& clusters,
              Curvature& out) const {
    std::size_t product = 0;
    for (std::size_t i = 0; i < scores_; ++i) {
      for (std::size_t k = i; k < scores_; ++k, ++product) {
        const std::size_t row = kRangeCoordinates[i], column = kRangeCoordinates[k];
        out.information[row][column] -= hessian[product];
        if (row != column) out.information[column][row] -= hessian[product];
      }
    }
    double pairs = 0.0;
    for (const ClusterSum& cluster : clusters) {
      Score& score = out.cluster_scores.emplace_back(cluster.score);
      for (std::size_t k = 0; k < kWeights; ++k) score[k] -= cluster.pairs * parameters_.*kWeightMembers[k];
      pairs += cluster.pairs;
    }
    for (std::size_t i = 0; i < kWeights; ++i) {
      const double w = parameters_.*kWeightMembers[i];
      for (std::size_t k = 0; k < kWeights; ++k) {
        out.information[i][k] += pairs * w * ((i == k ? 1.0 : 0.0) - parameters_.*kWeightMembers[k]);
      }
    }
  }

  const Evidence& evidence_;
  std::uint64_t first_scan_;
  const TrajectoryBlocks& blocks_;
  const BeamParameters& parameters_;
  const BeamSensor& sensor_;
  CurvatureKernel kernel_;
  std::size_t scores_;
  std::optional<TailCurvature> tail_;  // of an extended law
};

}  // namespace

Curvature find_curvature(const Evidence& evidence, std::uint64_t first_scan, const TrajectoryBlocks& blocks,
                         const BeamParameters& parameters, const BeamSensor& sensor, Executor& executor, Isa isa) {
  return CurvatureOfPart(evidence, first_scan, blocks, parameters, sensor, isa).run(executor);
}

}  // namespace fathom
