// SPDX-License-Identifier: MIT
// The angles that edge_loss reads, against their definition (fathom/noise/edge_loss.hpp) in double precision.

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fathom/base/geometry.hpp>

#include "render/lanes.hpp"
#include "support/casters.hpp"

namespace fathom {
namespace {

/// Directions of a camera and random ranges, some of them misses.
struct Image {
  std::ptrdiff_t rows, cols;
  std::vector<float> dx, dy, dz, range_m;

  Image(std::ptrdiff_t r, std::ptrdiff_t c, std::uint32_t seed) : rows(r), cols(c) {
    std::mt19937 random(seed);
    for (std::ptrdiff_t i = 0; i < rows * cols; ++i) {
      const Vec3 d = {1, 0.01 * static_cast<double>(cols / 2 - i % cols),
                      0.01 * static_cast<double>(rows / 2 - i / cols)};
      dx.push_back(static_cast<float>(d.x / norm(d)));
      dy.push_back(static_cast<float>(d.y / norm(d)));
      dz.push_back(static_cast<float>(d.z / norm(d)));
      const auto range = 1.0F + 9.0F * static_cast<float>(random()) * 0x1p-32F;
      range_m.push_back(random() % 8 == 0 ? std::numeric_limits<float>::infinity() : range);
    }
  }
  [[nodiscard]] EdgeRow row(std::ptrdiff_t r) const {
    const std::ptrdiff_t at = r * cols;
    return {dx.data() + at, dy.data() + at, dz.data() + at, range_m.data() + at};
  }
  [[nodiscard]] Vec3 direction(std::ptrdiff_t i) const {
    const auto k = static_cast<std::size_t>(i);
    return {dx[k], dy[k], dz[k]};
  }
  [[nodiscard]] double range(std::ptrdiff_t i) const {
    return std::min(1e18, double{range_m[static_cast<std::size_t>(i)]});
  }
};

/// What the angle of pixel (r, c) may be: neighbours that are equally far all count.
std::vector<double> angles_by_definition(const Image& image, std::ptrdiff_t r, std::ptrdiff_t c) {
  std::vector<double> angles;
  double farthest = 0;
  const std::ptrdiff_t p = r * image.cols + c;
  for (std::ptrdiff_t row = std::max<std::ptrdiff_t>(r - 1, 0); row <= std::min(r + 1, image.rows - 1); ++row) {
    for (std::ptrdiff_t col = std::max<std::ptrdiff_t>(c - 1, 0); col <= std::min(c + 1, image.cols - 1); ++col) {
      const std::ptrdiff_t q = row * image.cols + col;
      if (q == p || image.range(q) < farthest) continue;
      if (image.range(q) > farthest) angles.clear();
      farthest = image.range(q);
      const Vec3 to_camera = (-1.0) * image.direction(p);
      const Vec3 to_q = image.range(q) * image.direction(q) - image.range(p) * image.direction(p);
      angles.push_back(std::atan2(norm(cross(to_camera, to_q)), dot(to_camera, to_q)));
    }
  }
  return angles.empty() ? std::vector{0.0} : angles;
}

bool is_one_of(double value, const std::vector<double>& wanted) {
  return std::any_of(wanted.begin(), wanted.end(), [&](double w) { return std::abs(value - w) < 1e-4; });
}

RC_GTEST_PROP(EdgeAngles, FollowTheirDefinitionInImagesOfAnySize, ()) {
  const Image image(*rc::gen::inRange(1, 7), *rc::gen::inRange(1, 50), *rc::gen::arbitrary<std::uint32_t>());
  const auto cols = static_cast<std::uint32_t>(image.cols);
  const std::uint32_t begin = *rc::gen::inRange<std::uint32_t>(0, cols);  // a row may be cut anywhere
  std::vector<float> angle(cols), of_baseline;
  for (std::ptrdiff_t r = 0; r < image.rows; ++r) {
    const EdgeRow row = image.row(r), above = image.row(std::max<std::ptrdiff_t>(r - 1, 0)),
                  below = image.row(std::min(r + 1, image.rows - 1));
    for (const Isa isa : test::usable_isas()) {
      const auto run = [&](std::uint32_t from, std::uint32_t count) {
        surface_kernels(isa).edge_angles(row, r > 0 ? &above : nullptr, r + 1 < image.rows ? &below : nullptr, cols,
                                         from, count, angle.data() + from);
      };
      if (begin > 0) run(0, begin);
      run(begin, cols - begin);
      if (isa == Isa::kSse2) of_baseline = angle;
      RC_ASSERT(angle == of_baseline);
    }
    for (std::ptrdiff_t c = 0; c < image.cols; ++c) {
      if (image.range(r * image.cols + c) > 1e17) continue;  // nobody asks about a miss
      RC_ASSERT(is_one_of(angle[static_cast<std::size_t>(c)], angles_by_definition(image, r, c)));
    }
  }
}

}  // namespace
}  // namespace fathom
