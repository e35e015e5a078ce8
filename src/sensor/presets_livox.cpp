// SPDX-License-Identifier: MIT
// Livox: two turning prisms. The manual gives field of view, point rate and accuracy; the speeds of the prisms, 7294
// and -4664 rpm, are those of Liu, Zhang, Hong, "Low-cost retina-like robotic lidars based on incommensurable
// scanning", IEEE/ASME Trans. Mechatronics 27 (2022) 58-68. The two prisms are taken as equal, so the pattern has no
// hole in the middle and the real one's small asymmetries are left out.

#include "sensor/presets.hpp"

namespace fathom {

namespace {

Rosette mid_40() {
  Rosette rosette;
  rosette.points = 10000;
  rosette.field_of_view_rad = 38.4 * kRadPerDeg;
  rosette.prism1_hz = 7294.0 / 60.0;
  rosette.prism2_hz = -4664.0 / 60.0;
  rosette.points_per_s = 100000.0;
  rosette.min_range_m = 1.0;
  rosette.max_range_m = 260.0;
  return rosette;
}

}  // namespace

void add_livox_presets(std::vector<SensorPreset>& presets) {
  // Angular accuracy 0.1 degrees, as rotations about both axes across the line of sight.
  const auto angle_rad = static_cast<float>(0.1 * kRadPerDeg);
  presets.push_back({"Mid-40",
                     "Livox Mid Series User Manual v1.0 (2019.01); prism speeds: Liu et al. 2022",
                     "circular field of 38.4 degrees, rosette, 100 000 points/s, 10 000 per frame, 260 m",
                     mid_40(),
                     {AngularRay{.axis = Axis::kY, .stddev_rad = angle_rad},
                      AngularRay{.axis = Axis::kZ, .stddev_rad = angle_rad}, DistanceNoise{.stddev_m = 0.02F}}});
}

}  // namespace fathom
