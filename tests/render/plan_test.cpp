// SPDX-License-Identifier: MIT
// What a plan of casts promises to the noise: names of quads that every block may read in whole vectors of 8.

#include <rapidcheck/gtest.h>

#include <fathom/sensor/model.hpp>

#include "render/plan.hpp"
#include "render/stereo_scenes.hpp"

namespace fathom {
namespace {

RC_GTEST_PROP(CastPlan, HasNamesOfQuadsForWholeVectors, ()) {
  const auto cols = static_cast<std::uint32_t>(*rc::gen::inRange(1, 200)),
             rows = static_cast<std::uint32_t>(*rc::gen::inRange(1, 60));
  CastPlan plan;
  make_plan(make_pattern(test::make_stereo(cols, rows, 40.0, 0.3, CameraReference::kLeft)), false, plan);
  for (std::uint32_t block = 0; block < plan.blocks(); ++block) {
    const std::uint32_t first = plan.first_lanes[block] / 4, end = plan.first_lanes[block + 1] / 4;
    RC_ASSERT(first + (end - first + 7) / 8 * 8 <= plan.quad_keys.size());
  }
}

}  // namespace
}  // namespace fathom
