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

namespace fathom {

namespace {

constexpr std::size_t kWeights = 4;
constexpr std::size_t kAll = 7;  // four weights, log sigma, log lambda, offset
using Score = std::array<double, kAll>;
using Matrix = std::array<Score, kAll>;
constexpr std::size_t kGrain = 4096;
constexpr std::array<double BeamParameters::*, kWeights> kWeightMembers = {
    &BeamParameters::w_hit, &BeamParameters::w_short, &BeamParameters::w_max, &BeamParameters::w_rand};
constexpr std::array<std::string_view, kAll> kNames = {
    "w_hit", "w_short", "w_max", "w_rand", "sigma_hit_m", "lambda_short_per_m", "hit_offset_m"};

void accumulate(Score& to, const Score& from, double times = 1.0) {
  for (std::size_t k = 0; k < kAll; ++k) to[k] += times * from[k];
}

/// Moments of the cut hit density; where both ends are far, these of the whole one.
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

Score total(const std::vector<Score>& clusters) {
  Score sum = {};
  for (const Score& s : clusters) accumulate(sum, s);
  return sum;
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

Matrix sandwich(const Matrix& inverse, const Matrix& middle) {
  Matrix out = {};
  for (std::size_t i = 0; i < kAll; ++i) {
    for (std::size_t j = 0; j < kAll; ++j) {
      for (std::size_t k = 0; k < kAll; ++k) {
        for (std::size_t l = 0; l < kAll; ++l) out[i][j] += inverse[i][k] * middle[k][l] * inverse[l][j];
      }
    }
  }
  return out;
}

/// Coordinates that are learned and inside their limits. One weight, the largest, follows from the others.
std::vector<std::size_t> free_coordinates(const BeamParameters& p, const Maximum& last, bool offset_fitted) {
  constexpr double kBoundary = 1e-7;
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

/// From the covariance of the coordinates to errors of the parameters (delta method: dw_c / d eta_k = w_c (1{c=k} -
/// w_k)).
BeamParameters to_errors(const Matrix& covariance, const BeamParameters& p, const std::vector<std::size_t>& free) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  BeamParameters errors = {nan, nan, nan, nan, nan, nan, nan};
  const auto has = [&](std::size_t k) { return std::find(free.begin(), free.end(), k) != free.end(); };
  std::size_t free_weights = 0;
  for (std::size_t k = 0; k < kWeights; ++k) free_weights += has(k) ? 1 : 0;
  for (std::size_t c = 0; c < kWeights; ++c) {
    const double w = p.*kWeightMembers[c];
    if (free_weights == 0 || !(w > 1e-7)) continue;
    double variance = 0.0;
    for (std::size_t k = 0; k < kWeights; ++k) {
      for (std::size_t l = 0; l < kWeights; ++l) {
        const double dk = w * ((c == k ? 1.0 : 0.0) - p.*kWeightMembers[k]);
        const double dl = w * ((c == l ? 1.0 : 0.0) - p.*kWeightMembers[l]);
        variance += dk * covariance[k][l] * dl;
      }
    }
    errors.*kWeightMembers[c] = std::sqrt(variance);
  }
  if (has(4)) errors.sigma_hit_m = p.sigma_hit_m * std::sqrt(covariance[4][4]);
  if (has(5)) errors.lambda_short_per_m = p.lambda_short_per_m * std::sqrt(covariance[5][5]);
  if (has(6)) errors.hit_offset_m = std::sqrt(covariance[6][6]);
  return errors;
}

/// The summed score by the sums of an expectation, which is many times faster; without the offset's coordinate.
Score score_by_expectation(Em& em, const Evidence& evidence, const BeamParameters& p) {
  constexpr double kReach = 8.5;
  const Expectation& e = em.expect(p, FitVariant::kExact, kReach);
  const auto n = static_cast<double>(evidence.pairs());
  const double max = evidence.max_expected_total + evidence.max_missed_total - e.max_as_hit;
  const double s2 = p.sigma_hit_m * p.sigma_hit_m;
  return {e.sums.hit + e.max_as_hit - n * p.w_hit,
          e.sums.shorts - n * p.w_short,
          max - n * p.w_max,
          e.sums.rand - n * p.w_rand,
          (e.sums.hit_d2 - e.edges.m2) / s2 - e.interior_r,
          p.lambda_short_per_m * (e.sums.short_moments.mean - e.sums.short_z),
          0.0};
}

Matrix observed_information(const Evidence& e, const BeamParameters& p, const BeamSensor& sensor,
                            const std::vector<std::size_t>& free, Em& em, Executor& executor) {
  constexpr double kStep = 1e-4;
  const bool with_offset = std::find(free.begin(), free.end(), std::size_t{6}) != free.end();
  const auto score = [&](const BeamParameters& at) {
    return with_offset ? total(cluster_scores(e, at, sensor, executor)) : score_by_expectation(em, e, at);
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

void flag_unidentified(const Matrix& covariance, const std::vector<std::size_t>& free, BeamFit& fit) {
  for (const std::size_t j : free) {
    for (const std::size_t k : free) {
      const double correlation = covariance[j][k] / std::sqrt(covariance[j][j] * covariance[k][k]);
      if (j < k && std::abs(correlation) > 0.98) {
        fit.flags.push_back(fmt::format("{} and {} are nearly unidentified: their correlation is {:.4f}", kNames[j],
                                        kNames[k], correlation));
      }
    }
  }
}

}  // namespace

void add_std_errors(const Evidence& evidence, const BeamSensor& sensor, const Maximum& last, bool offset_fitted, Em& em,
                    Executor& executor, BeamFit& fit) {
  const BeamParameters& p = fit.parameters;
  const std::vector<std::size_t> free = free_coordinates(p, last, offset_fitted);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  fit.std_error = fit.naive_std_error = {nan, nan, nan, nan, nan, nan, nan};
  Matrix inverse = {};
  if (!invert(observed_information(evidence, p, sensor, free, em, executor), free, inverse)) {
    fit.flags.emplace_back("standard errors are not available: the information matrix is singular");
    return;
  }
  fit.naive_std_error = to_errors(inverse, p, free);
  flag_unidentified(inverse, free, fit);
  const auto clusters = static_cast<double>(evidence.clusters());
  if (clusters < 2) {
    fit.flags.emplace_back("standard errors clustered by scan need at least two scans");
    return;
  }
  Matrix j = {};
  for (const Score& s : cluster_scores(evidence, p, sensor, executor)) {
    for (const std::size_t a : free) {
      for (const std::size_t b : free) j[a][b] += s[a] * s[b] * clusters / (clusters - 1);
    }
  }
  fit.std_error = to_errors(sandwich(inverse, j), p, free);
}

}  // namespace fathom
