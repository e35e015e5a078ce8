// SPDX-License-Identifier: MIT
// With the prior precision P and the information H of the likelihood, the best value of a scan falls by the mount like
// that of a scan with the information (H^-1 + P^-1)^-1 = P - P (H + P)^-1 P, which needs no inverse of H: a corridor
// tells nothing along itself.

#include "beam/refine_mount.hpp"

#include <algorithm>

#include "fit/covariance.hpp"

namespace fathom {

namespace {

/// The summed slopes of stretches, [stretches, 3]. `stretch` [scans].
Eigen::MatrixXd slopes_of_stretches(const std::vector<MountScore>& scores, const std::vector<std::uint32_t>& stretch) {
  Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(stretch.back() + 1, 3);
  for (std::size_t i = 0; i < scores.size(); ++i) sums.row(stretch[i]) += scores[i].slope.transpose();
  return sums;
}

}  // namespace

MountScore mount_score(const PlanarNumbers& d, const PlanarNumbers& mount, const PosePrior& prior,
                       const PlanarMatrix& information) {
  const PlanarNumbers stddev = {prior.stddev_m, prior.stddev_m, prior.stddev_rad};
  const PlanarMatrix precision = stddev.cwiseAbs2().cwiseInverse().asDiagonal();
  const auto spread = inverse_of(information + precision, 0.0);
  if (!spread) return {};
  return {precision * (d - mount), precision - precision * *spread * precision};
}

MountStep mount_step(const std::vector<MountScore>& scores, const std::vector<std::uint32_t>& stretch) {
  MountStep step;
  step.std_error.setConstant(kNoNumber), step.naive_error.setConstant(kNoNumber);
  MountScore all;
  for (const MountScore& score : scores) all.slope += score.slope, all.information += score.information;
  const auto spread = inverse_of(all.information, 0.0);
  if (!spread) return step;
  step.by = *spread * all.slope;
  step.naive_error = spread->diagonal().cwiseSqrt();
  if (stretch.back() == 0) return step;  // one stretch gives no standard error
  const Eigen::MatrixXd moved = slopes_of_stretches(scores, stretch) * *spread;
  const BartlettWeights independent(static_cast<std::size_t>(moved.rows()), false);
  step.std_error = parameter_errors(spread->diagonal(), {moved}, independent).error;
  return step;
}

}  // namespace fathom
