// SPDX-License-Identifier: MIT
// With what probability returns of turned rays are not lost, on one surface: where a model of loss jumps, by the angle.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "calibrate/chain_density.hpp"
#include "calibrate/chain_facet.hpp"

namespace fathom {

namespace {

constexpr double kSameLoss = 0.01;  // by which probabilities of loss on one surface may differ
constexpr double kLookedAt = 4.0;   // deviations to each side that losses are looked at
constexpr int kHalvings = 12;

/// Nodes about a mean that follow its deviation, for a surface that is met at all angles.
AngleNodes nodes_about(double mean, double deviation, int half) {
  AngleNodes nodes;
  if (!(deviation > 0.0)) return {{mean}};
  for (int k = -half; k <= half; ++k) nodes.at.push_back(mean + kLookedAt * deviation * k / half);
  return nodes;
}

}  // namespace

void ChainDensity::take_angles_of_losses() {
  loses_by_angle_ = std::any_of(losses_.begin(), losses_.end(), [](const Step& step) { return step.may_jump; });
  if (!loses_by_angle_) return;
  // A grid that follows the deviations, for surfaces that are met at all angles, and its ends.
  const bool both = turns_->deviation()[1] > 0.0;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const int half = axis == 1 ? 3 : both ? 12 : 64;
    angles_[axis] = nodes_about(turns_->law().mean[axis], turns_->deviation()[axis], half);
  }
  for (const double b : angles_[1].at) {
    for (const double a : angles_[0].at) turners_.emplace_back(returns_.turned.axes, std::array<double, 2>{a, b});
  }
  for (std::size_t axis = 0; axis < 2; ++axis) {
    for (const double end : {angles_[axis].at.front(), angles_[axis].at.back()}) {
      std::array<double, 2> angles = turns_->law().mean;
      angles[axis] = end;
      beside_.emplace_back(returns_.turned.axes, angles);
    }
  }
}

double ChainDensity::lost_on(const Step& step, const TurnedSurface& surface, const TurnedHit& hit,
                             std::size_t ring) const {
  const auto range = static_cast<float>(hit.range_m);
  Surface met;
  met.cos_emitter = static_cast<float>(hit.cosine), met.optics = returns_.optics;
  return step.lose(model_of(step, ring), {static_cast<float>(hit.x_m), static_cast<float>(hit.y_m), 0.0F, range, range},
                   met, static_cast<float>(surface.energy * hit.cosine));
}

double ChainDensity::kept_on(const TurnedSurface& surface, const std::optional<TurnedHit>& hit, std::size_t ring,
                             bool by_jumps) const {
  if (!hit) return 0.0;
  double product = 1.0;
  for (const Step& step : losses_) {
    if (step.may_jump == by_jumps) product *= 1.0 - lost_on(step, surface, *hit, ring);
  }
  return product;
}

/// With what probability its returns are not lost: one number and, where an angle decides, one for each node.
void ChainDensity::find_losses(std::size_t i, Facet& facet) const {
  if (losses_.empty()) return;
  const TurnedSurface& surface = facet.surface;
  facet.kept = kept_on(surface, facet.hit, ring(i), false);
  if (!loses_by_angle_) return;
  const auto kept_at = [&](const RayTurner& turner) {
    return kept_on(surface, hit_of(returns_.turned, i, surface, turner, false), ring(i), true);
  };
  const double here = kept_on(surface, facet.hit, ring(i), true);
  const bool is_same = std::all_of(beside_.begin(), beside_.end(), [&](const RayTurner& turner) {
    return std::abs(kept_at(turner) - here) <= kSameLoss;
  });
  if (is_same) {
    facet.kept *= here;
    return;
  }
  if (facet.met == nullptr) {
    facet.nodes = &angles_;
    for (const RayTurner& turner : turners_) facet.kept_by_node.push_back(kept_at(turner));
    // Where it jumps between two nodes, each counts what it has of the step on its side, so that the sum moves smoothly
    // with the angles.
    const std::vector<double>& first = angles_[0].at;
    for (std::size_t b = 0; b < angles_[1].size(); ++b) {
      double* const row = facet.kept_by_node.data() + b * first.size();
      double before = row[0];
      for (std::size_t a = 0; a + 1 < first.size(); ++a) {
        const double after = row[a + 1];
        if (std::abs(after - before) > kSameLoss) {
          double low = 0.0, high = 1.0;  // shares of the step
          for (int halving = 0; halving < kHalvings; ++halving) {
            const double middle = 0.5 * (low + high), angle = first[a] + middle * (first[a + 1] - first[a]);
            const double kept = kept_at(RayTurner(returns_.turned.axes, {angle, angles_[1].at[b]}));
            (std::abs(kept - before) < std::abs(kept - after) ? low : high) = middle;
          }
          row[a] += (after - before) * std::max(0.0, 0.5 - low),
              row[a + 1] += (before - after) * std::max(0.0, low - 0.5);
        }
        before = after;
      }
    }
    return;
  }
  const std::size_t n = turns_->nodes(0).size();
  for (std::size_t k = 0; k < returns_.turned.nodes(); ++k) {
    const bool is_met = facet.met[k] == facet.number;
    const std::array<double, 2> angles = {turns_->places(0)[k % n], turns_->places(1)[k / n]};
    facet.kept_by_node.push_back(is_met ? kept_at(RayTurner(returns_.turned.axes, angles)) : 0.0);
  }
}

}  // namespace fathom
