// SPDX-License-Identifier: MIT
#pragma once
// The properties of a sensor that its noise models may depend on. See check_on in noise/model.hpp.

#include <cstdint>

#include <fathom/noise/surface.hpp>

namespace fathom {

struct SensorTraits {
  Optics optics;                   ///< of its camera; a baseline above 0: two cameras apart
  bool left_is_reference = false;  ///< the image is that of the left camera, and the right one stands beside it
  bool one_origin = true;          ///< all rays start at the sensor's origin
  bool rolling = false;            ///< rays are cast at times of their own
  bool in_rows = true;             ///< rays lie in rows and columns, the same ones in every frame
  std::uint32_t rows = 0, cols = 0;
  bool closes = false;        ///< the last column stands next to the first one: a full turn
  std::uint32_t returns = 1;  ///< of each ray
};

}  // namespace fathom
