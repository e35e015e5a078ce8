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

/// Chooses the law by which returns were lost; their ranges play no part. Frames held out judge where there are at
/// least five; else the likelihood judges, less log(returns) / 2 for each parameter. `flags` gets what the walls leave
/// open.
WallLosses choose_losses(ChainReturns returns, const WallOptions& options, std::vector<Message>& flags);

// Whether errors of the range have heavier tails than normal ones.

/// The chain of range whose first model replaces `distance`, and the free parameters of that model.
struct WallRangeLaw {
  NoiseChain chain;
  std::vector<std::string> free;
  std::vector<WallLossLaw> tried;  ///< empty: errors are not heavier than normal ones, and nothing was tried
};

/// Replaces `distance` by `student` where frames held out prefer it, by two standard errors and by more nats than
/// chance gives one parameter. With fewer than five frames the likelihood decides, less log(readings) / 2. `readings`:
/// returns that were not lost, tails among them. `chain`: learned from readings without tails, `distance` first.
WallRangeLaw choose_range_law(const NoiseChain& chain, const std::vector<std::string>& free,
                              const ChainReturns& readings, const WallOptions& options);

}  // namespace fathom
