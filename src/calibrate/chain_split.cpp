// SPDX-License-Identifier: MIT
#include "calibrate/chain_split.hpp"

#include <algorithm>

#include "fit/uncertainty.hpp"

namespace fathom {

namespace {

/// Numbers of frames become those of their stretches.
void take_stretches(std::vector<std::uint32_t>& cluster, std::uint32_t most) {
  std::uint64_t frames = 0;
  for (std::size_t i = 0; i < cluster.size(); ++i) frames += i == 0 || cluster[i] != cluster[i - 1] ? 1 : 0;
  const TrajectoryBlocks stretches(frames, most);
  std::uint64_t frame = 0;
  for (std::size_t i = 0, last = 0; i < cluster.size(); ++i) {
    const std::size_t now = cluster[i];
    frame += i > 0 && now != last ? 1 : 0;
    last = now;
    cluster[i] = static_cast<std::uint32_t>(stretches.of_scan(frame));
  }
}

template <class T>
void take_places(std::vector<T>& values, std::span<const std::size_t> places) {
  if (values.empty()) return;  // not known
  for (std::size_t k = 0; k < places.size(); ++k) values[k] = values[places[k]];
  values.resize(places.size());
}

}  // namespace

std::uint32_t stretches_of(const ChainReturns& returns, const ChainFitOptions& options) {
  if (options.stretches) return *options.stretches;
  return returns.sensor_moved && options.block_frames == 1 ? ChainFitOptions::kUsualStretches : 0;
}

Split split_frames(const ChainReturns& r, const ChainFitOptions& options) {
  Split split;
  split.stretches = stretches_of(r, options);
  for (std::size_t i = 0; i < r.size(); ++i) {
    if (i == 0 || r.frame[i] != r.frame[i - 1]) ++split.frames;
    if (options.hold_out > 0 && split.frames % options.hold_out == 0) {
      split.judge.push_back(i);
    } else {
      split.learn.push_back(i);
      split.cluster.push_back(static_cast<std::uint32_t>((split.frames - 1) / options.block_frames));
    }
  }
  if (split.stretches > 0) take_stretches(split.cluster, split.stretches);
  return split;
}

ChainReturns returns_at(const ChainReturns& returns, std::span<const std::size_t> places) {
  ChainReturns r = returns;
  r.turned = {};
  for (auto* values : {&r.range_m, &r.clean_range_m, &r.clean_x_m, &r.clean_y_m, &r.incidence_rad, &r.energy,
                       &r.edge_rad, &r.jump, &r.jump_rad, &r.hits.first_rad, &r.hits.second_rad}) {
    take_places(*values, places);
  }
  take_places(r.ring, places), take_places(r.frame, places);
  return r;
}

}  // namespace fathom
