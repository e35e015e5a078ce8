// SPDX-License-Identifier: MIT
// With the prior precision P and the information H of the likelihood, the best value of a scan falls by the mount like
// that of a scan with the information (H^-1 + P^-1)^-1 = P - P (H + P)^-1 P, which needs no inverse of H: a corridor
// tells nothing along itself.

#include "beam/refine_mount.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fathom {

namespace {

void add(const PlanarNumbers& v, PlanarNumbers& to) {
  for (std::size_t i = 0; i < 3; ++i) to[i] += v[i];
}

void add_square(const PlanarNumbers& v, double times, PlanarMatrix& to) {
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) to[i][j] += times * v[i] * v[j];
  }
}

/// The sum of the squared slopes of stretches.
PlanarMatrix scatter(const std::vector<MountScore>& scores, const std::vector<std::uint32_t>& stretch) {
  const double stretches = stretch.back() + 1.0;
  std::vector<PlanarNumbers> sums(stretch.back() + 1);
  for (std::size_t i = 0; i < scores.size(); ++i) add(scores[i].slope, sums[stretch[i]]);
  PlanarMatrix squares = {};
  for (const PlanarNumbers& sum : sums) add_square(sum, stretches / (stretches - 1.0), squares);
  return squares;
}

}  // namespace

MountScore mount_score(const PlanarNumbers& d, const PlanarNumbers& mount, const PosePrior& prior,
                       const PlanarMatrix& information) {
  const PlanarNumbers stddev = {prior.stddev_m, prior.stddev_m, prior.stddev_rad};
  PlanarNumbers precision;
  PlanarMatrix both = information;
  for (std::size_t k = 0; k < 3; ++k) {
    precision[k] = 1.0 / (stddev[k] * stddev[k]);
    both[k][k] += precision[k];
  }
  MountScore score;
  const auto spread = inverse_of(both);
  if (!spread) return score;
  for (std::size_t i = 0; i < 3; ++i) {
    score.slope[i] = precision[i] * (d[i] - mount[i]);
    for (std::size_t j = 0; j < 3; ++j) {
      score.information[i][j] = (i == j ? precision[i] : 0.0) - precision[i] * (*spread)[i][j] * precision[j];
    }
  }
  return score;
}

MountStep mount_step(const std::vector<MountScore>& scores, const std::vector<std::uint32_t>& stretch) {
  MountStep step;
  step.std_error.fill(std::numeric_limits<double>::quiet_NaN());
  PlanarNumbers slope = {};
  PlanarMatrix information = {};
  for (const MountScore& score : scores) {
    add(score.slope, slope);
    for (std::size_t i = 0; i < 3; ++i) add(score.information[i], information[i]);
  }
  const auto spread = inverse_of(information);
  if (!spread) return step;
  step.by = product(*spread, slope);
  if (stretch.back() == 0) return step;  // one stretch tells no error
  const PlanarMatrix squares = scatter(scores, stretch);
  for (std::size_t i = 0; i < 3; ++i) {
    const PlanarNumbers& row = (*spread)[i];
    const PlanarNumbers times = product(squares, row);
    const double clustered = row[0] * times[0] + row[1] * times[1] + row[2] * times[2];
    step.std_error[i] = std::sqrt(std::max(clustered, row[i]));
  }
  return step;
}

}  // namespace fathom
