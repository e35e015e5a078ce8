// SPDX-License-Identifier: MIT
#pragma once
// Which law of loss a wall tells.

#include <string>
#include <vector>

#include <fathom/calibrate/wall.hpp>

namespace fathom {

/// Models of loss with what they were learned as, and which of their parameters are free.
struct WallLosses {
  NoiseChain models;
  std::vector<WallLossLaw> tried;
};

/// Chooses the law of loss of returns, some of which are lost; what their ranges are plays no part. Frames held out
/// judge where there are at least five; else the likelihood, less log(returns) / 2 for each parameter. Says in `flags`
/// what the walls cannot tell.
WallLosses choose_losses(ChainReturns returns, const WallOptions& options, std::vector<Message>& flags);

}  // namespace fathom
