// SPDX-License-Identifier: MIT
// Standard errors from the score of each pair (BeamDensity's parameters in coordinates where the score is simple):
//
//   weights, as shares of a softmax   r_c - w_c               sigma, as log sigma    r_h (d^2 - m2) / sigma^2
//   lambda, as log lambda             r_s lambda (m1 - z)
//   offset                            r_h (d - E[d]) / sigma^2 - r_s lambda / (e^{lambda z*} - 1)
//
// H: minus the derivative of the summed score, by central differences (exact observed information, also where the model
// is wrong). Naive covariance H^-1; clustered H^-1 J H^-1 with J the sum over scans of outer products of a scan's
// summed score, times G / (G - 1). Source: White, Econometrica 50 (1982); Liang and Zeger, Biometrika 73 (1986).

#include "beam/std_errors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "beam/add_parts.hpp"

namespace fathom {

namespace {

constexpr std::size_t kWeights = 4;
constexpr std::size_t kAll = 7;  // four weights, log sigma, log lambda, offset
static_assert(BeamParameters::fields().size() == kAll &&
              BeamParameters::fields()[6].name == "hit_offset_m");  // in this order
using Score = std::array<double, kAll>;
using Matrix = std::array<Score, kAll>;
constexpr std::size_t kGrain = 4096;
constexpr double kBoundary = 1e-7;  // of a weight: below, it is 0
constexpr std::array<double BeamParameters::*, kWeights> kWeightMembers = {
    &BeamParameters::w_hit, &BeamParameters::w_short, &BeamParameters::w_max, &BeamParameters::w_rand};

void accumulate(Score& to, const Score& from, double times = 1.0) {
  for (std::size_t k = 0; k < kAll; ++k) to[k] += times * from[k];
}

/// Moments of the cut hit density; where both ends are far, the moments of the uncut one.
struct HitShape {
  double inverse_mass = 1.0, shift, m2;

  explicit HitShape(const TruncatedNormal& hit) : shift(0.0), m2(hit.sigma * hit.sigma) {
    constexpr double kFarSigmas = 8.5;
    if (std::min(hit.center, hit.limit - hit.center) > kFarSigmas * hit.sigma) return;
    inverse_mass = 1.0 / hit.mass();
    shift = hit.sigma * (math::normal_density(hit.lower()) - math::normal_density(hit.upper())) * inverse_mass;
    m2 = hit.second_moment();
  }
};

Score score_of_range(const BeamParameters& p, const BeamSensor& sensor, double z, double expected) {
  const bool missed = expected >= sensor.max_range_m;
  const double limit = sensor.max_range_m;
  const double surface = missed ? limit : std::clamp(expected + p.hit_offset_m, sensor.expected_floor_m, limit);
  const TruncatedNormal hit = {surface, p.sigma_hit_m, limit};
  const TruncatedExponential shorts = {p.lambda_short_per_m, surface};
  const HitShape shape(hit);
  const double d = z - surface, s2 = hit.sigma * hit.sigma;
  const double w_hit = missed && sensor.miss == MissPolicy::kAtom ? 0.0 : p.w_hit;
  const double f_hit = w_hit * math::normal_density(d / hit.sigma) / hit.sigma * shape.inverse_mass;
  const double f_short = p.w_short * shorts.density(z), f_rand = p.w_rand / limit;
  const double f = f_hit + f_short + f_rand;
  const double r_hit = f_hit / f, r_short = f_short / f;
  Score score = {r_hit - p.w_hit, r_short - p.w_short, -p.w_max, f_rand / f - p.w_rand, 0, 0, 0};
  score[4] = r_hit * (d * d - shape.m2) / s2;
  if (r_short > 0.0) score[5] = r_short * shorts.rate * (shorts.mean() - z);
  if (missed) return score;
  const double x = shorts.rate * surface;
  score[6] = r_hit * (d - shape.shift) / s2 - r_short / surface * (x > 0.0 ? x / math::expm1(x) : 1.0);
  return score;
}

Score score_of_max(const BeamParameters& p, const BeamSensor& sensor, bool missed) {
  const bool shared = missed && sensor.miss == MissPolicy::kAtom;
  const double r_hit = shared ? p.w_hit / (p.w_hit + p.w_max) : 0.0;
  return {r_hit - p.w_hit, -p.w_short, 1.0 - r_hit - p.w_max, -p.w_rand, 0, 0, 0};
}

/// Summed scores per cluster. Readings are summed in fixed blocks first, then block after block, so results do not
/// depend on threads.
std::vector<Score> cluster_scores(const Evidence& e, const BeamParameters& p, const BeamSensor& sensor,
                                  Executor& executor) {
  struct Run {  // neighbours of one cluster
    std::uint32_t cluster;
    Score score;
  };
  std::vector<std::vector<Run>> blocks((e.ranges() + kGrain - 1) / kGrain);
  executor.parallel_for(blocks.size(), 1, [&](std::size_t block, std::size_t) {
    std::vector<Run>& runs = blocks[block];
    const std::size_t begin = block * kGrain, end = std::min(e.ranges(), begin + kGrain);
    for (std::size_t i = begin; i < end; ++i) {
      if (runs.empty() || runs.back().cluster != e.cluster[i]) runs.push_back({e.cluster[i], {}});
      // z* = Z rounded to float may lie below Z; what is missed is known by its place.
      const double expected = i < e.missed ? sensor.max_range_m : e.expected_m[i];
      accumulate(runs.back().score, score_of_range(p, sensor, e.z_m[i], expected));
    }
  });
  std::vector<Score> clusters(e.clusters());
  for (const std::vector<Run>& runs : blocks) {
    for (const Run& run : runs) accumulate(clusters[run.cluster], run.score);
  }
  for (std::size_t g = 0; g < e.clusters(); ++g) {
    if (e.max_expected[g] > 0) accumulate(clusters[g], score_of_max(p, sensor, false), e.max_expected[g]);
    if (e.max_missed[g] > 0) accumulate(clusters[g], score_of_max(p, sensor, true), e.max_missed[g]);
  }
  return clusters;
}

struct ScoreSum {
  Score score = {};
  void add(const ScoreSum& o) { accumulate(score, o.score); }
};

/// Over all clusters of all parts.
Score total_score(std::span<const Evidence> parts, const BeamParameters& p, const BeamSensor& sensor,
                  Executor& executor, Ranks* ranks) {
  std::vector<ScoreSum> sums;
  for (const Evidence& e : parts) {
    ScoreSum& sum = sums.emplace_back();
    for (const Score& s : cluster_scores(e, p, sensor, executor)) accumulate(sum.score, s);
  }
  return add_parts<ScoreSum>(sums, ranks).score;
}

/// The parameters after a step in one coordinate.
BeamParameters moved(BeamParameters p, std::size_t coordinate, double step) {
  if (coordinate < kWeights) {
    p.*kWeightMembers[coordinate] *= std::exp(step);
    double sum = 0.0;
    for (const auto member : kWeightMembers) sum += p.*member;
    for (const auto member : kWeightMembers) p.*member /= sum;
  } else if (coordinate == 4) {
    p.sigma_hit_m *= std::exp(step);
  } else if (coordinate == 5) {
    p.lambda_short_per_m *= std::exp(step);
  } else {
    p.hit_offset_m += step;
  }
  return p;
}

/// Inverts the symmetric positive matrix restricted to `free` (Gauss-Jordan with pivots); false when singular.
bool invert(Matrix a, const std::vector<std::size_t>& free, Matrix& inverse) {
  const std::size_t n = free.size();
  inverse = {};
  for (const std::size_t i : free) inverse[i][i] = 1.0;
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c + 1; r < n; ++r) {
      if (std::abs(a[free[r]][free[c]]) > std::abs(a[free[pivot]][free[c]])) pivot = r;
    }
    std::swap(a[free[c]], a[free[pivot]]);
    std::swap(inverse[free[c]], inverse[free[pivot]]);
    const double d = a[free[c]][free[c]];
    if (!(std::abs(d) > 1e-300)) return false;
    for (const std::size_t k : free) a[free[c]][k] /= d, inverse[free[c]][k] /= d;
    for (const std::size_t r : free) {
      if (r == free[c]) continue;
      const double factor = a[r][free[c]];
      for (const std::size_t k : free) a[r][k] -= factor * a[free[c]][k], inverse[r][k] -= factor * inverse[free[c]][k];
    }
  }
  return true;
}

/// a m a^T.
Matrix sandwich(const Matrix& a, const Matrix& middle) {
  Matrix out = {};
  for (std::size_t i = 0; i < kAll; ++i) {
    for (std::size_t j = 0; j < kAll; ++j) {
      for (std::size_t k = 0; k < kAll; ++k) {
        for (std::size_t l = 0; l < kAll; ++l) out[i][j] += a[i][k] * middle[k][l] * a[j][l];
      }
    }
  }
  return out;
}

/// Coordinates that are learned and inside their limits. One weight, the largest, follows from the others.
std::vector<std::size_t> free_coordinates(const BeamParameters& p, const Maximum& last, bool offset_fitted) {
  std::size_t largest = 0;
  for (std::size_t k = 1; k < kWeights; ++k) {
    if (p.*kWeightMembers[k] > p.*kWeightMembers[largest]) largest = k;
  }
  std::vector<std::size_t> free;
  for (std::size_t k = 0; k < kWeights; ++k) {
    if (k != largest && p.*kWeightMembers[k] > kBoundary) free.push_back(k);
  }
  if (!last.no_hits && !last.sigma_at_floor && !last.sigma_at_top) free.push_back(4);
  if (!last.no_shorts && !last.lambda_at_zero && p.w_short > kBoundary) free.push_back(5);
  if (!last.no_hits && offset_fitted) free.push_back(6);
  return free;
}

bool contains(const std::vector<std::size_t>& set, std::size_t k) {
  return std::find(set.begin(), set.end(), k) != set.end();
}

/// Parameters that have an error: those of the free coordinates, and every weight above 0, as the largest follows from
/// the others.
std::vector<std::size_t> with_error(const BeamParameters& p, const std::vector<std::size_t>& free) {
  const bool weights = !free.empty() && free.front() < kWeights;
  std::vector<std::size_t> out;
  for (std::size_t k = 0; k < kAll; ++k) {
    const bool has = k < kWeights ? weights && p.*kWeightMembers[k] > kBoundary : contains(free, k);
    if (has) out.push_back(k);
  }
  return out;
}

/// From the covariance of the coordinates to that of the parameters (delta method: dw_c / d eta_k = w_c (1{c=k} -
/// w_k)).
Matrix covariance_of_parameters(const Matrix& covariance, const BeamParameters& p) {
  Matrix slope = {};
  for (std::size_t c = 0; c < kWeights; ++c) {
    for (std::size_t k = 0; k < kWeights; ++k) {
      slope[c][k] = p.*kWeightMembers[c] * ((c == k ? 1.0 : 0.0) - p.*kWeightMembers[k]);
    }
  }
  slope[4][4] = p.sigma_hit_m;
  slope[5][5] = p.lambda_short_per_m;
  slope[6][6] = 1.0;
  return sandwich(slope, covariance);
}

BeamParameters to_errors(const Matrix& parameter_covariance, const std::vector<std::size_t>& known) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  BeamParameters errors = {nan, nan, nan, nan, nan, nan, nan};
  for (const std::size_t k : known)
    errors.*member_of<double>(BeamParameters::fields()[k]) = std::sqrt(parameter_covariance[k][k]);
  return errors;
}

/// The summed score by the sums of an expectation, which is many times faster; without the offset's coordinate.
Score score_by_expectation(Em& em, const BeamParameters& p) {
  constexpr double kReach = 8.5;
  const Expectation& e = em.expect(p, FitVariant::kExact, kReach);
  const double n = em.totals().pairs();
  const double max = em.totals().max_expected + em.totals().max_missed - e.max_as_hit;
  const double s2 = p.sigma_hit_m * p.sigma_hit_m;
  return {e.sums.hit + e.max_as_hit - n * p.w_hit,
          e.sums.shorts - n * p.w_short,
          max - n * p.w_max,
          e.sums.rand - n * p.w_rand,
          (e.sums.hit_d2 - e.edges.m2) / s2 - e.interior_r,
          p.lambda_short_per_m * (e.sums.short_moments.mean - e.sums.short_z),
          0.0};
}

Matrix observed_information(std::span<const Evidence> parts, const BeamParameters& p, const BeamSensor& sensor,
                            const std::vector<std::size_t>& free, Em& em, Executor& executor, Ranks* ranks) {
  constexpr double kStep = 1e-4;
  const bool with_offset = contains(free, 6);
  const auto score = [&](const BeamParameters& at) {
    return with_offset ? total_score(parts, at, sensor, executor, ranks) : score_by_expectation(em, at);
  };
  Matrix h = {};
  for (const std::size_t k : free) {
    const double step = k == 6 ? kStep * p.sigma_hit_m : kStep;
    const Score up = score(moved(p, k, step)), down = score(moved(p, k, -step));
    for (const std::size_t j : free) h[j][k] = -(up[j] - down[j]) / (2 * step);
  }
  for (const std::size_t j : free) {
    for (const std::size_t k : free) {
      if (j < k) h[j][k] = h[k][j] = 0.5 * (h[j][k] + h[k][j]);
    }
  }
  return h;
}

/// Whether a weight is known much worse than by counting readings of known origin. Only then does a correlation of two
/// weights say that the data cannot tell them apart: as they sum to 1, it is -1 where there are but two, and near it
/// where the others are small.
bool is_ill_known(double variance, double weight, std::size_t pairs) {
  constexpr double kMostVariance = 4.0;
  return variance > kMostVariance * weight * (1.0 - weight) / static_cast<double>(pairs);
}

struct MatrixSum {
  Matrix matrix = {};
  void add(const MatrixSum& o) {
    for (std::size_t k = 0; k < kAll; ++k) accumulate(matrix[k], o.matrix[k]);
  }
};

/// Sum over all G clusters of s s^T, times G / (G - 1). An estimate of the information too, and one that is never
/// negative.
Matrix outer_product(std::span<const Evidence> parts, const BeamParameters& p, const BeamSensor& sensor,
                     const std::vector<std::size_t>& free, double g, Executor& executor, Ranks* ranks) {
  std::vector<MatrixSum> sums;
  for (const Evidence& e : parts) {
    Matrix& sum = sums.emplace_back().matrix;
    for (const Score& s : cluster_scores(e, p, sensor, executor)) {
      for (const std::size_t a : free) {
        for (const std::size_t b : free) sum[a][b] += s[a] * s[b] * (g > 1.0 ? g / (g - 1.0) : 1.0);
      }
    }
  }
  return add_parts<MatrixSum>(sums, ranks).matrix;
}

/// Not so where learning ended short of a maximum: there the information can be negative in some direction.
bool are_variances(const Matrix& covariance, const std::vector<std::size_t>& known) {
  return std::all_of(known.begin(), known.end(), [&](std::size_t k) { return covariance[k][k] > 0.0; });
}

void flag_unidentified(const Matrix& covariance, const std::vector<std::size_t>& known, BeamFit& fit) {
  constexpr double kMostCorrelation = 0.98;
  const auto may_be_one_of_a_pair = [&](std::size_t k) {
    return k >= kWeights || is_ill_known(covariance[k][k], fit.parameters.*kWeightMembers[k], fit.pairs);
  };
  for (const std::size_t j : known) {
    for (const std::size_t k : known) {
      const double correlation = covariance[j][k] / std::sqrt(covariance[j][j] * covariance[k][k]);
      if (j < k && std::abs(correlation) > kMostCorrelation && may_be_one_of_a_pair(j) && may_be_one_of_a_pair(k)) {
        fit.flags.push_back(fmt::format("{} and {} are nearly unidentified: their correlation is {:.4f}",
                                        BeamParameters::fields()[j].name, BeamParameters::fields()[k].name,
                                        correlation));
      }
    }
  }
}

}  // namespace

void add_std_errors(std::span<const Evidence> parts, const BeamSensor& sensor, const Maximum& last, bool offset_fitted,
                    Em& em, Executor& executor, Ranks* ranks, BeamFit& fit) {
  const BeamParameters& p = fit.parameters;
  const std::vector<std::size_t> free = free_coordinates(p, last, offset_fitted), known = with_error(p, free);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  fit.std_error = fit.naive_std_error = {nan, nan, nan, nan, nan, nan, nan};
  const double clusters = em.totals().clusters;
  const Matrix outer = outer_product(parts, p, sensor, free, clusters, executor, ranks);
  Matrix inverse = {};
  const bool is_regular = invert(observed_information(parts, p, sensor, free, em, executor, ranks), free, inverse);
  const Matrix naive = covariance_of_parameters(inverse, p);
  if (!is_regular || !are_variances(naive, known)) {
    fit.flags.emplace_back("standard errors are not available: the likelihood has no clear maximum here");
    // Fewer scans than coordinates leave the outer product singular.
    if (clusters > 2 * kAll && invert(outer, free, inverse))
      flag_unidentified(covariance_of_parameters(inverse, p), known, fit);
    return;
  }
  fit.naive_std_error = to_errors(naive, known);
  flag_unidentified(naive, known, fit);
  if (clusters < 2) {
    fit.flags.emplace_back("standard errors clustered by scan need at least two scans");
    return;
  }
  fit.std_error = to_errors(covariance_of_parameters(sandwich(inverse, outer), p), known);
}

}  // namespace fathom
