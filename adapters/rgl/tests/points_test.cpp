// SPDX-License-Identifier: MIT
// What nodes do to points, against loops that anyone can read.

#include "parts/clouds.hpp"
#include "parts/tracer.hpp"
#include "support/expect.hpp"

namespace fathom::test {
namespace {

std::vector<std::byte> random_bytes(std::size_t size) {
  const auto bytes = *rc::gen::container<std::vector<std::uint8_t>>(size, rc::gen::arbitrary<std::uint8_t>());
  std::vector<std::byte> out(size);
  std::transform(bytes.begin(), bytes.end(), out.begin(), [](std::uint8_t b) { return std::byte{b}; });
  return out;
}

/// Numbers of some of `count` points, ascending.
std::vector<std::uint32_t> random_selection(std::uint32_t count) {
  std::vector<std::uint32_t> all(count), some;
  std::iota(all.begin(), all.end(), 0U);
  const auto kept = *rc::gen::container<std::vector<bool>>(count, rc::gen::arbitrary<bool>());
  std::copy_if(all.begin(), all.end(), std::back_inserter(some), [&](std::uint32_t i) { return kept[i]; });
  return some;
}

/// Properties of all sizes, words or not, with gaps between them and without, some selected and some in order.
RC_GTEST_PROP(PackPoints, PutsEveryByteInItsPlace, ()) {
  const auto source_points = *rc::gen::inRange<std::uint32_t>(1, 1200);
  const std::vector<std::uint32_t> selection = random_selection(source_points);
  std::vector<std::vector<std::byte>> sources;
  std::vector<PackedProperty> properties;
  std::size_t step = 0;
  for (int n = *rc::gen::inRange(1, 6); n > 0; --n) {
    PackedProperty p;
    p.size = *rc::gen::element<std::size_t>(1, 2, 4, 8, 12, 36, 48);
    p.offset = step + *rc::gen::element<std::size_t>(0, 0, 4, 3);
    p.indices = *rc::gen::arbitrary<bool>() ? selection.data() : nullptr;
    step = p.offset + p.size;
    sources.push_back(random_bytes(source_points * p.size));
    p.data = sources.back().data();
    properties.push_back(p);
  }
  const std::size_t begin = *rc::gen::inRange<std::size_t>(0, selection.size() + 1);
  const std::size_t end = *rc::gen::inRange<std::size_t>(begin, selection.size() + 1);
  std::vector<std::byte> packed(selection.size() * step, std::byte{0xa5}), expected = packed;
  for (const PackedProperty& p : properties) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::byte* from = p.data + (p.indices != nullptr ? p.indices[i] : i) * p.size;
      std::copy_n(from, p.size, expected.data() + i * step + p.offset);
    }
  }
  pack_points(properties, begin, end, step, packed.data());
  RC_ASSERT(packed == expected);
}

RC_GTEST_PROP(FindNonzero, NumbersWhatIsNotZero, ()) {
  const bool mostly = *rc::gen::arbitrary<bool>();
  const auto values = *rc::gen::container<std::vector<std::int32_t>>(
      mostly ? rc::gen::weightedElement<std::int32_t>({{40, 1}, {1, 0}, {3, -7}}) : rc::gen::inRange(-1, 2));
  const auto first = *rc::gen::inRange<std::uint32_t>(0, 1000);
  std::vector<std::uint32_t> expected, found(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != 0) expected.push_back(first + static_cast<std::uint32_t>(i));
  }
  found.resize(find_nonzero(values, first, found.data()));
  RC_ASSERT(found == expected);
}

/// A sensor kilometres from the origin moves its points as one at the origin does, to the spacing of single precision
/// out there.
TEST(PointNoise, IsThatOfANearSensorFarAway) {
  constexpr double kTurn = 0.3;
  Affine near;
  near.m[0][0] = near.m[1][1] = std::cos(kTurn);
  near.m[1][0] = std::sin(kTurn), near.m[0][1] = -std::sin(kTurn);
  Affine far = near;
  far.m[0][3] = 7000.123, far.m[1][3] = -5200.7, far.m[2][3] = 310.9;
  std::vector<float> near_xyz, far_xyz;
  for (int i = 0; i < 500; ++i) {
    const Vec3 seen = {3.0 + 0.1 * i, std::sin(0.7 * i) * 20.0, std::cos(0.3 * i) * 5.0};
    for (const auto& [place, xyz] : {std::pair{&near, &near_xyz}, {&far, &far_xyz}}) {
      const Vec3 p = transform_point(*place, seen);
      for (const double c : {p.x, p.y, p.z}) xyz->push_back(static_cast<float>(c));
    }
  }
  const Noise noise = AngularHit{.axis = Axis::kZ, .mean_rad = 0.02F, .stddev_rad = 0.01F};
  for (const Isa isa : {Isa::kBase, detect_isa()}) {
    std::vector<float> near_out(near_xyz.size()), far_out(far_xyz.size());
    for (const auto& [place, xyz, out] :
         {std::tuple{&near, &near_xyz, &near_out}, std::tuple{&far, &far_xyz, &far_out}}) {
      NoisyPoints points;
      points.xyz = *xyz, points.out_xyz = out->data();
      const PointNoise model = {&noise, {5, 3, 1}, true};
      apply_noise({&model, 1}, *inverse(*place), points, isa);
    }
    double moved = 0.0;
    for (std::size_t i = 0; i < near_out.size(); ++i) {
      const double there = double{far_out[i]} - far.m[i % 3][3];
      EXPECT_NEAR(there, near_out[i], 5.5e-4) << i;  // half a step of 0.5 mm before, half a step after
      moved = std::max(moved, std::abs(double{near_out[i]} - near_xyz[i]));
    }
    EXPECT_GT(moved, 0.5);
  }
}

/// Blocks of tiles hold the rays that they name, wherever the table keeps them.
TEST(PosedRayTableOf, LoadsTheRaysThatABlockNames) {
  constexpr std::uint32_t kRows = 26, kCols = 48;  // bands of four rows, and two rows that make none
  std::vector<Matrix34> rays(kRows * kCols);
  for (std::uint32_t i = 0; i < rays.size(); ++i) {
    const double yaw = 0.01 * (i % kCols), pitch = 0.01 * (i / kCols);
    const Vec3 z = {std::sin(yaw), -std::cos(yaw) * std::sin(pitch), std::cos(yaw) * std::cos(pitch)};
    rays[i] = {{{1, 0, float(z.x), float(i)}, {0, 1, float(z.y), 2.0F}, {0, 0, float(z.z), 0.5F * float(i)}}};
  }
  const PosedRayTable table(rays);
  ASSERT_EQ(table.grid().row, kCols);
  ASSERT_EQ(table.grid().tile_rows, 4U);
  const auto expect_loads = [&](const RayTiles& tiles) {
    PosedRayBlock block;
    block.tiles = tiles;
    block.wants_sides = true;
    table.load(block);
    for (std::uint32_t lane = 0; lane < tiles.count; ++lane) {
      const std::uint32_t ray = tiles.ray_of(lane);
      ASSERT_EQ(block.ray.ox[lane], static_cast<float>(ray));
      ASSERT_EQ(block.ray.oz[lane], 0.5F * static_cast<float>(ray));
      ASSERT_EQ(block.ray.dx[lane], rays[ray][0][2]);
      ASSERT_EQ(block.side.dx[lane], 1.0F);
    }
  };
  for (const std::uint32_t band : {0U, 4 * kCols}) expect_loads({band, 4 * kCols, 4, kCols});
  expect_loads({4 * kCols + 16, 64, 4, kCols});
  expect_loads({24 * kCols, 2 * kCols, 1, 0});
  PosedRayBlock block;
  block.tiles = {0, 64, 2, kCols};
  EXPECT_THROW(table.load(block), std::logic_error);
}

}  // namespace
}  // namespace fathom::test
