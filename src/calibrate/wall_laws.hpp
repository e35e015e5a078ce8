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

// Whether errors of the range have heavier tails than normal ones.

/// What stands in place of `distance`, as the first model of a chain of range, and which of its parameters are free.
struct WallRangeLaw {
  NoiseChain chain;
  std::vector<std::string> free;
  std::vector<WallLossLaw> tried;  ///< empty: errors are not heavier than normal ones, and nothing was tried
};

/// `student` in place of `distance`, where frames held out tell it from that, by two errors and by more nats than
/// chance gives one parameter; with fewer than five of them the likelihood, less log(readings) / 2, does. `readings`:
/// returns that were not lost, tails among them. `chain`: learned from those without tails, `distance` first.
WallRangeLaw choose_range_law(const NoiseChain& chain, const std::vector<std::string>& free,
                              const ChainReturns& readings, const WallOptions& options);

}  // namespace fathom
