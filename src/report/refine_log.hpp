// SPDX-License-Identifier: MIT
#pragma once
// fit_log() with poses.

#include <fathom/beam/log.hpp>

namespace fathom {

/// fit_log() where options.refine_poses is set.
FitReport refine_log(const ScanLog& log, const World& world, const FitLogOptions& options);

}  // namespace fathom
