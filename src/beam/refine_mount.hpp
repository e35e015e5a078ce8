// SPDX-License-Identifier: MIT
#pragma once
// The mount that all scans share, from where the pose of each was found.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "beam/refine_search.hpp"

namespace fathom {

/// What a scan says about the mount.
struct MountScore {
  PlanarNumbers slope = PlanarNumbers::Zero();      ///< of its best value by the mount
  PlanarMatrix information = PlanarMatrix::Zero();  ///< minus the second derivatives
};

/// Of a scan whose pose was found at `d`. `information`: of the likelihood alone, there. Nothing, as of a scan without
/// evidence, where that has no maximum.
MountScore mount_score(const PlanarNumbers& d, const PlanarNumbers& mount, const PosePrior& prior,
                       const PlanarMatrix& information);

struct MountStep {
  PlanarNumbers by = PlanarNumbers::Zero();  ///< 0 where the scans do not tell
  PlanarNumbers std_error;    ///< clustered by stretches of scans, and not below that of independent scans; or NaN
  PlanarNumbers naive_error;  ///< of independent scans; NaN where these do not tell
};

/// Newton's step. `scores` in the order of the way; `stretch` [scans]: as FitOptions::stretch_of_scan.
MountStep mount_step(const std::vector<MountScore>& scores, const std::vector<std::uint32_t>& stretch);

}  // namespace fathom
