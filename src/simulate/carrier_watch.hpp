// SPDX-License-Identifier: MIT
#pragma once
// Notices a sensor that sees nothing but what carries it: mounted inside a body, nearer to it than it can measure.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fathom/frame/frame.hpp>
#include <fathom/scene/scene.hpp>
#include <fathom/simulate/sensor.hpp>

namespace fathom {

using ReasonCounts = std::array<std::uint64_t, kReasonNames.size()>;  ///< of a frame: Frame::count_reasons()

class CarrierWatch {
 public:
  CarrierWatch(const Scene& scene, const Sensor& sensor);

  /// Whether a frame with these reasons may show nothing but the carrier: then count() needs it, with channels().
  [[nodiscard]] bool suspects(const ReasonCounts& reasons) const;
  [[nodiscard]] ChannelSet channels() const;
  /// `min_range_m`: of all rays, or of each. Returns that noise alone carried below it do not count.
  void count(const Frame& frame, std::span<const float> min_range_m);

  /// "all 28928 rays of 'lidar' end at 'body', which carries it, nearer than its least range", after so many frames.
  [[nodiscard]] std::optional<std::string> warning(std::uint32_t frames) const;

 private:
  const Scene& scene_;
  std::string sensor_;
  double min_depth_m_ = 0.0;                        // below which the noise loses every return; 0: no such depth
  std::vector<bool> carries_;                       // [entities]: the parent, its parent and so on, and parts of these
  std::uint64_t rays_ = 0;                          // of the frames below
  std::uint32_t frames_ = 0;                        // that show nothing else
  std::map<std::uint32_t, std::uint64_t> rays_at_;  // [entity_id of a whole]
};

}  // namespace fathom
