// SPDX-License-Identifier: MIT
#include "beam/curvature.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include <fathom/beam/model.hpp>
#include <fathom/math/student.hpp>

#include "base/isa.hpp"
#include "beam/curvature_kernels.hpp"
#include "beam/em_kernels.hpp"

namespace fathom {

// First and second derivatives of the log density of a range reading where hits are of an extended law
// (hit_density.hpp), reading by reading: one pass, after learning.

/// Scores that a range reading has: of w_hit, w_short, w_rand, log sigma, log lambda, the offset, and log nu or sigma'.
inline constexpr std::size_t kTailScores = 7;
inline constexpr std::size_t kTailProducts = kTailScores * (kTailScores + 1) / 2;
using TailScore = std::array<double, kTailScores>;

class TailCurvature {
 public:
  TailCurvature(const BeamParameters& parameters, const BeamSensor& sensor);

  /// Of one reading: its scores without the weights' common term. Its second derivatives, of entries (i, k), i <= k,
  /// row after row, are added. `missed`: nothing was expected within Z; expected_m is at most Z.
  TailScore add(double z_m, double expected_m, bool missed, std::array<double, kTailProducts>& hessian) const;

 private:
  using Numbers = std::array<double, 3>;
  using Square = std::array<Numbers, 3>;
  /// log p or p of a component over three numbers, with its slopes and second derivatives.
  struct Jet {
    double value = 0.0;
    Numbers slope = {};
    Square bend = {};
  };
  /// P(T > x) and its derivatives by nu.
  struct Tail {
    double value, by_nu, by_nu2;
  };

  [[nodiscard]] Tail student_tail(double x) const;
  void add_law(double u, Jet& jet) const;
  void add_end(double x, double side, double sigma, Jet& mass) const;
  [[nodiscard]] Jet log_hit(double z, double center, bool moved) const;
  [[nodiscard]] Jet log_short(double z, double center, bool moved) const;

  BeamParameters p_;
  BeamSensor sensor_;
  bool is_student_;
  double log_peak_ = 0.0, peak_slope_ = 0.0, peak_bend_ = 0.0;
  std::vector<Tail> tails_;  // at the edges of panels
};

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

// log p_hit is worked out over the centre c, the deviation sigma at c and nu, and then, by the chain rule, over the
// coordinates: log sigma_hit_m, the offset, and log nu or sigma'.

namespace {

constexpr std::size_t kCenter = 0, kSigma = 1, kNu = 2;  // over which log p_hit is worked out
constexpr int kPerOctave = 64;                           // of 1 + x: lines between are right to 3e-5 of the tail

}  // namespace

TailCurvature::TailCurvature(const BeamParameters& parameters, const BeamSensor& sensor)
    : p_(parameters), sensor_(sensor), is_student_(parameters.tail.hit == HitLaw::kStudentT) {
  if (!is_student_) return;
  constexpr double kStep = 1e-3;  // of nu
  const double nu = p_.tail.nu_hit, step = kStep * nu;
  const math::GammaStep gamma = math::gamma_step(0.5 * nu);
  log_peak_ = math::student_log_peak(nu), peak_slope_ = 0.5 * gamma.slope, peak_bend_ = 0.25 * gamma.bend;
  const double low_peak = math::student_log_peak(nu - step), high_peak = math::student_log_peak(nu + step);
  const int octaves = std::ilogb(1.0 + sensor.max_range_m / p_.sigma_hit_m) + 1;
  for (int k = 0; k <= octaves * kPerOctave + 1; ++k) {
    const double x = std::ldexp(1.0 + static_cast<double>(k % kPerOctave) / kPerOctave, k / kPerOctave) - 1.0;
    const double low = math::student_mass(x, nu - step, low_peak).beyond;
    const double middle = math::student_mass(x, nu, log_peak_).beyond;
    const double high = math::student_mass(x, nu + step, high_peak).beyond;
    tails_.push_back({middle, (high - low) / (2.0 * step), (high - 2.0 * middle + low) / (step * step)});
  }
}

TailCurvature::Tail TailCurvature::student_tail(double x) const {
  int octave = 0;
  const double mantissa = 2.0 * std::frexp(1.0 + x, &octave) - 1.0, place = mantissa * kPerOctave;
  const auto panel = std::min(tails_.size() - 2,
                              static_cast<std::size_t>((octave - 1) * kPerOctave) + static_cast<std::size_t>(place));
  const double part = place - std::floor(place);
  const Tail &a = tails_[panel], &b = tails_[panel + 1];
  return {a.value + part * (b.value - a.value), a.by_nu + part * (b.by_nu - a.by_nu),
          a.by_nu2 + part * (b.by_nu2 - a.by_nu2)};
}

/// Of the law before it is cut, at u = (z - c) / sigma, whose derivatives by sigma carry -1 / sigma: the caller scales.
void TailCurvature::add_law(double u, Jet& jet) const {
  if (!is_student_) {
    jet.value += std::log(math::kInverseSqrtTwoPi) - 0.5 * u * u;
    jet.slope[kCenter] = -u, jet.bend[kCenter][kCenter] = -1.0;
    return;
  }
  const double nu = p_.tail.nu_hit, all = nu + u * u, v = u * u / all, log_u = math::log1p(u * u / nu);
  jet.value += log_peak_ - 0.5 * (nu + 1.0) * log_u;
  jet.slope[kCenter] = -(nu + 1.0) * u / all;
  jet.bend[kCenter][kCenter] = -(nu + 1.0) * (nu - u * u) / (all * all);
  jet.slope[kNu] = peak_slope_ - 0.5 * log_u + 0.5 * (nu + 1.0) / nu * v;
  jet.bend[kNu][kNu] = peak_bend_ + 0.5 * v / nu - 0.5 * (v + (nu + 1.0) * v * (1.0 - v)) / (nu * nu);
  jet.bend[kCenter][kNu] = jet.bend[kNu][kCenter] = -u / all + (nu + 1.0) * u / (all * all);
}

/// Takes from the mass what lies beyond one end, x deviations from the centre; `side` is the slope of sigma x over c.
void TailCurvature::add_end(double x, double side, double sigma, Jet& mass) const {
  Jet law;
  add_law(x, law);
  const double density = std::exp(law.value), fall = -density * law.slope[kCenter];  // Q' = -density, Q'' = fall
  const Tail tail = is_student_ ? student_tail(x) : Tail{0.5 * math::erfc(x * math::kSqrtHalf), 0.0, 0.0};
  const double x_c = side / sigma, x_s = -x / sigma, x_cs = -side / (sigma * sigma), x_ss = 2.0 * x / (sigma * sigma);
  mass.value -= tail.value;
  mass.slope[kCenter] += density * x_c, mass.slope[kSigma] += density * x_s, mass.slope[kNu] -= tail.by_nu;
  mass.bend[kCenter][kCenter] -= fall * x_c * x_c;
  mass.bend[kCenter][kSigma] -= fall * x_c * x_s - density * x_cs;
  mass.bend[kSigma][kSigma] -= fall * x_s * x_s - density * x_ss;
  mass.bend[kCenter][kNu] += density * law.slope[kNu] * x_c;
  mass.bend[kSigma][kNu] += density * law.slope[kNu] * x_s;
  mass.bend[kNu][kNu] -= tail.by_nu2;
}

/// Over log sigma_hit_m, the offset, and log nu or sigma'.
TailCurvature::Jet TailCurvature::log_hit(double z, double center, bool moved) const {
  const double sigma_0 = p_.sigma_hit_m, growth = is_student_ ? 0.0 : p_.tail.sigma_hit_per_m;
  const double sigma = sigma_0 + growth * center, limit = sensor_.max_range_m, u = (z - center) / sigma;
  Jet law, mass;
  add_law(u, law);
  mass.value = 1.0;
  add_end(center / sigma, 1.0, sigma, mass);
  add_end((limit - center) / sigma, -1.0, sigma, mass);
  const double u_c = -1.0 / sigma, u_s = -u / sigma, l_u = law.slope[kCenter], l_uu = law.bend[kCenter][kCenter];
  const double square = sigma * sigma;
  Jet f;  // over c, sigma and nu
  f.value = law.value - std::log(sigma) - std::log(mass.value);
  f.slope = {l_u * u_c, l_u * u_s - 1.0 / sigma, law.slope[kNu]};
  f.bend[kCenter][kCenter] = l_uu * u_c * u_c;
  f.bend[kCenter][kSigma] = l_uu * u_c * u_s + l_u / square;
  f.bend[kSigma][kSigma] = l_uu * u_s * u_s + 2.0 * l_u * u / square + 1.0 / square;
  f.bend[kCenter][kNu] = law.bend[kCenter][kNu] * u_c;
  f.bend[kSigma][kNu] = law.bend[kCenter][kNu] * u_s;
  f.bend[kNu][kNu] = law.bend[kNu][kNu];
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = i; k < 3; ++k) {
      f.bend[i][k] -= mass.bend[i][k] / mass.value - mass.slope[i] * mass.slope[k] / (mass.value * mass.value);
      f.bend[k][i] = f.bend[i][k];
    }
    f.slope[i] -= mass.slope[i] / mass.value;
  }
  const double nu = p_.tail.nu_hit, moves = moved ? 1.0 : 0.0;
  // [coordinate][c, sigma, nu]
  const Square to = {
      {{0.0, sigma_0, 0.0}, {moves, moves * growth, 0.0}, {0.0, is_student_ ? 0.0 : center, is_student_ ? nu : 0.0}}};
  Jet out;
  out.value = f.value;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t a = 0; a < 3; ++a) out.slope[i] += to[i][a] * f.slope[a];
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t a = 0; a < 3; ++a) {
        for (std::size_t b = 0; b < 3; ++b) out.bend[i][k] += to[i][a] * f.bend[a][b] * to[k][b];
      }
    }
  }
  out.bend[0][0] += sigma_0 * f.slope[kSigma];
  if (is_student_) {
    out.bend[2][2] += nu * f.slope[kNu];
  } else {
    out.bend[1][2] += moves * f.slope[kSigma], out.bend[2][1] += moves * f.slope[kSigma];
  }
  return out;
}

/// Over log lambda and the offset: log p = log x - log(1 - e^-x) - log c - lambda z, x = lambda c.
TailCurvature::Jet TailCurvature::log_short(double z, double center, bool moved) const {
  const double lambda = p_.lambda_short_per_m, x = std::max(lambda * center, 1e-12), below = -math::expm1(-x);
  const TruncatedExponential law = {lambda, center};
  const double q = x * (1.0 - below) / below, inverse = moved ? 1.0 / center : 0.0;
  Jet f;
  f.value = std::log(x / (below * center)) - lambda * z;
  f.slope = {lambda * (law.mean() - z), -q * inverse, 0.0};
  f.bend[0][0] = f.slope[0] - lambda * lambda * law.variance();
  f.bend[0][1] = f.bend[1][0] = q * (q + x - 1.0) * inverse;
  f.bend[1][1] = q * (q + x) * inverse * inverse;
  return f;
}

TailScore TailCurvature::add(double z, double expected, bool missed, std::array<double, kTailProducts>& hessian) const {
  const double limit = sensor_.max_range_m, floor = sensor_.expected_floor_m;
  const double wanted = missed ? limit : expected + p_.hit_offset_m, center = std::clamp(wanted, floor, limit);
  const bool moved = !missed && wanted >= floor && wanted <= limit;
  const bool no_hits = missed && sensor_.miss == MissPolicy::kAtom;
  const Jet hit = log_hit(z, center, moved), shorts = log_short(z, center, moved);
  const double f_hit = no_hits ? 0.0 : p_.w_hit * std::exp(hit.value);
  const double f_short = z <= center ? p_.w_short * std::exp(shorts.value) : 0.0, f_rand = p_.w_rand / limit;
  const double f = std::max(f_hit + f_short + f_rand, 1e-300);
  const double r_hit = f_hit / f, r_short = f_short / f, r_rand = f_rand / f;
  const TailScore of_hit = {1.0, 0.0, 0.0, hit.slope[0], 0.0, hit.slope[1], hit.slope[2]};
  const TailScore of_short = {0.0, 1.0, 0.0, 0.0, shorts.slope[0], shorts.slope[1], 0.0};
  TailScore score;
  for (std::size_t k = 0; k < kTailScores; ++k) score[k] = r_hit * of_hit[k] + r_short * of_short[k];
  score[2] += r_rand;
  // Where the second derivatives of the components stand among the coordinates.
  std::array<std::array<double, kTailScores>, kTailScores> bend = {};
  constexpr std::array<std::size_t, 3> kHitPlaces = {3, 5, 6};
  constexpr std::array<std::size_t, 2> kShortPlaces = {4, 5};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 3; ++k) bend[kHitPlaces[i]][kHitPlaces[k]] += r_hit * hit.bend[i][k];
  }
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t k = 0; k < 2; ++k) bend[kShortPlaces[i]][kShortPlaces[k]] += r_short * shorts.bend[i][k];
  }
  bend[2][2] += r_rand;
  std::size_t product = 0;
  for (std::size_t i = 0; i < kTailScores; ++i) {
    for (std::size_t k = i; k < kTailScores; ++k, ++product) {
      hessian[product] +=
          bend[i][k] + r_hit * of_hit[i] * of_hit[k] + r_short * of_short[i] * of_short[k] - score[i] * score[k];
    }
  }
  return score;
}

}  // namespace fathom
