// SPDX-License-Identifier: MIT
#include "calibrate/chain_levels.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

namespace fathom {

namespace {

constexpr int kMostLevels = 1024;
constexpr double kShareOnLevels = 0.999;
constexpr double kSlack = 0.02;       // of a level
constexpr double kMostSlack = 0.125;  // where ranges are too coarse to tell, they say nothing

/// A measured disparity, px, and how far it may be off by the rounding of the range.
struct Seen {
  double disparity_px, slack_px;
};

std::vector<Seen> disparities(const ChainReturns& r) {
  const double focal_baseline_px_m = double{r.optics.fx_px * r.optics.baseline_m};
  std::vector<Seen> seen;
  for (std::size_t i = 0; i < r.size(); ++i) {
    if (std::isnan(r.range_m[i])) continue;
    const double range_m = double{r.range_m[i]}, share = double{r.clean_x_m[i]} / double{r.clean_range_m[i]};
    const double d = focal_baseline_px_m / (range_m * share);
    const double step_m = r.depths_are_rounded ? r.half_step_m / share : r.half_step_m;
    seen.push_back({d, d * (step_m / range_m + 1e-6)});
  }
  return seen;
}

bool are_levels(const std::vector<Seen>& seen, int steps) {
  std::size_t told = 0, on = 0;
  for (const Seen& s : seen) {
    const double slack = kSlack + s.slack_px * steps, level = s.disparity_px * steps;
    if (slack > kMostSlack) continue;
    ++told, on += std::abs(level - std::round(level)) <= slack ? 1 : 0;
  }
  return told >= 100 && static_cast<double>(on) >= kShareOnLevels * static_cast<double>(told);
}

}  // namespace

bool set_levels(NoiseChain& chain, const FreeNumber& steps, const ChainReturns& returns) {
  const std::string name = fmt::format("{}.{}", chain[steps.entry].noise.slug(), steps.field);
  for (std::size_t k = 0; k < chain.size(); ++k) {
    if (k == steps.entry || chain[k].noise.stage() != Stage::kRange || chain[k].noise.is_identity()) continue;
    throw InputError(
        fmt::format("{} is read off ranges that nothing else moves, and {} does", name, chain[k].noise.slug()));
  }
  if (!(returns.optics.baseline_m > 0.0F)) {
    throw InputError(fmt::format("{} needs a stereo camera", name));
  }
  const std::vector<Seen> seen = disparities(returns);
  for (int levels = 1; levels <= kMostLevels; ++levels) {
    if (!are_levels(seen, levels)) continue;
    set_value(chain, steps, levels);
    return true;
  }
  return false;
}

}  // namespace fathom
