// SPDX-License-Identifier: MIT
// Rays with frames in blocks and tiles: each lane holds its own, whatever the block.

#include "parts/ray_layout.hpp"
#include "rgl/tests/parts/random.hpp"
#include "support/casters.hpp"

namespace fathom::test {
namespace {

using Bits = std::array<std::uint32_t, 12>;

/// Row-major bits of the frame in a lane.
Bits frame_bits(const PosedRayBlock& b, std::uint32_t i) {
  const float parts[12] = {b.side.dx[i], b.side.ox[i], b.ray.dx[i],  b.ray.ox[i],  b.side.dy[i], b.side.oy[i],
                           b.ray.dy[i],  b.ray.oy[i],  b.side.dz[i], b.side.oz[i], b.ray.dz[i],  b.ray.oz[i]};
  Bits bits;
  for (std::size_t k = 0; k < 12; ++k) bits[k] = math::bits_of(parts[k]);
  return bits;
}

Bits bits_of_map(const Matrix34& m) {
  Bits bits;
  for (std::size_t k = 0; k < 12; ++k) bits[k] = math::bits_of(m[k / 4][k % 4]);
  return bits;
}

std::vector<Matrix34> random_maps(std::size_t count) {
  Random random(1);
  std::vector<Matrix34> maps(count);
  for (Matrix34& m : maps) {
    m = looking_along(random.unit(), random.vector(-2, 2));
  }
  return maps;
}

/// Blocks of at most `size` that hold all of a table: whole tiles of its grid, and rows for the rest.
std::vector<RayTiles> blocks_of(const PosedRayTable& table, std::uint32_t size) {
  std::vector<RayTiles> blocks;
  const auto [row, tile_rows] = table.grid();
  std::uint32_t next = 0;
  for (; tile_rows > 1 && next + tile_rows * row <= table.size(); next += tile_rows * row) {
    for (std::uint32_t col = 0; col < row; col += size / tile_rows) {
      blocks.push_back({next + col, std::min(size, (row - col) * tile_rows), tile_rows, row});
    }
  }
  for (; next < table.size(); next += size) blocks.push_back({next, std::min(size, table.size() - next), 1, 0});
  return blocks;
}

/// Every ray's frame after `change`, by its number.
template <class F>
std::map<std::uint32_t, Bits> frames_of(const PosedRayTable& table, std::uint32_t size, F change) {
  std::map<std::uint32_t, Bits> frames;
  const auto block = std::make_unique<PosedRayBlock>();
  for (const RayTiles& tiles : blocks_of(table, size)) {
    block->tiles = tiles, block->wants_sides = true;
    table.load(*block);
    change(*block);
    for (std::uint32_t i = 0; i < tiles.count; ++i) {
      EXPECT_TRUE(frames.emplace(tiles.ray_of(i), frame_bits(*block, i)).second) << "twice " << tiles.ray_of(i);
    }
  }
  EXPECT_EQ(frames.size(), table.size());
  return frames;
}

TEST(PosedRays, TilesHoldEachRayOfTheirRectangleOnce) {
  const std::pair<std::uint32_t, std::uint32_t> shapes[] = {{1, 16}, {2, 8}, {4, 4}, {8, 4}, {16, 4}};
  for (const auto& [rows, cols] : shapes) {
    const RayTiles tiles = {.first = 40, .count = 128, .rows = rows, .stride = 100};
    std::set<std::uint32_t> rays;
    for (std::uint32_t lane = 0; lane < 128; ++lane) {
      const std::uint32_t left = lane / (rows * cols) * cols, down = lane / cols % rows;
      EXPECT_EQ(tiles.ray_of(lane), 40 + left + down * 100 + lane % cols);
      rays.insert(tiles.ray_of(lane));
    }
    EXPECT_EQ(rays.size(), 128U);
  }
}

TEST(PosedRays, TheGridOfAScannerIsFound) {
  const PosedRayTable rings(make_rings(16, 360));
  EXPECT_EQ(rings.grid().row, 360U);
  EXPECT_EQ(rings.size(), 16U * 360U);
  EXPECT_EQ(PosedRayTable(make_rings(1, 360)).grid().tile_rows, 1U);
  EXPECT_EQ(PosedRayTable(random_maps(500)).grid().tile_rows, 1U);
  EXPECT_EQ(PosedRayTable().size(), 0U);
}

TEST(PosedRays, BlocksHoldWhatWasGiven) {
  // Square in angle, so that there are tiles of several rows: 30 degrees in 64 rings, 360 in 768.
  bool tiles = false;
  for (const std::vector<Matrix34>& maps : {random_maps(333), make_rings(4, 360), make_rings(65, 768)}) {
    const PosedRayTable table(maps);
    tiles |= table.grid().tile_rows > 1;
    for (const std::uint32_t size : {16U, 64U, 256U}) {
      const auto frames = frames_of(table, table.grid().tile_rows > 1 ? 256U : size, [](const PosedRayBlock&) {});
      for (const auto& [number, bits] : frames) ASSERT_EQ(bits, bits_of_map(maps[number])) << number;
    }
  }
  EXPECT_TRUE(tiles);
}

TEST(PosedRays, PaddingRepeatsTheLastRay) {
  const std::vector<Matrix34> maps = random_maps(21);
  const PosedRayTable table(maps);
  PosedRayBlock block;
  block.tiles = {.first = 16, .count = 5}, block.wants_sides = true;
  table.load(block);
  EXPECT_EQ(block.ray.count, 16U);
  for (std::uint32_t i = 0; i < 16; ++i) EXPECT_EQ(frame_bits(block, i), bits_of_map(maps[16 + std::min(i, 4U)])) << i;
  EXPECT_FALSE(block.ray.from_sensor_origin);
  const PosedRayTable rings(make_rings(1, 48));
  block.tiles = {.first = 0, .count = 48};
  rings.load(block);
  EXPECT_TRUE(block.ray.from_sensor_origin);
  for (std::uint32_t i = 0; i < 48; ++i) EXPECT_EQ(block.ray.oy[i], 0.0F);
}

TEST(PosedRays, TilesOfAnotherGridAreAnError) {
  const PosedRayTable table(make_rings(65, 768));
  PosedRayBlock block;
  block.tiles = {.first = 0, .count = 64, .rows = 2, .stride = 100};
  EXPECT_THROW(table.load(block), std::logic_error);
  block.tiles = {.first = 0, .count = 64};  // rows, where the table lies in tiles
  EXPECT_THROW(table.load(block), std::logic_error);
  block.tiles = {.first = 64 * 768, .count = 64};  // the last ring has no others to share tiles with
  EXPECT_NO_THROW(table.load(block));
}

TEST(PosedRays, AreTransformedAsMaps) {
  const std::vector<Matrix34> maps = random_maps(64);
  const PosedRayTable table(maps);
  const Affine a = affine_of({{30, -20, 10}, from_roll_pitch_yaw(0.3, 1.0, -2.0)}, 1.5);
  for (const Isa isa : usable_isas()) {
    const auto frames = frames_of(table, 64, [&](PosedRayBlock& block) { transform_rays(a, isa, block); });
    for (const auto& [number, bits] : frames) {
      const Affine expected = a * to_affine(maps[number]);
      for (std::size_t k = 0; k < 12; ++k) {
        const double v = expected.m[k / 4][k % 4];
        ASSERT_NEAR(math::float_of(bits[k]), v, 0x1p-24 * std::abs(v) + 1e-14) << number;
      }
    }
    const auto same = frames_of(table, 64, [&](PosedRayBlock& block) { transform_rays({}, isa, block); });
    for (const auto& [number, bits] : same) ASSERT_EQ(bits, bits_of_map(maps[number]));
  }
}

TEST(PosedRays, NoiseBelongsToTheNumberOfARayAndTurnsItsWholeFrame) {
  const Noise noise = AngularRay{.axis = Axis::kX, .mean_rad = 0.1F, .stddev_rad = 0.3F};
  const NoiseKey key = {3, 1, 4};
  for (const std::vector<Matrix34>& maps : {make_rings(65, 768), random_maps(1000)}) {
    const PosedRayTable table(maps);
    const auto noisy = [&](const PosedRayTable& of, std::uint32_t size, Isa isa) {
      return frames_of(of, size, [&](PosedRayBlock& block) { apply_noise(noise, key, isa, block); });
    };
    const auto expected = noisy(table, 256, Isa::kBase);
    for (const Isa isa : usable_isas()) EXPECT_EQ(noisy(table, 256, isa), expected) << to_string(isa);
    // The first of them in rows, in small blocks: without its neighbours a scanner's grid is not found.
    const PosedRayTable few({maps.data(), 28});
    for (const auto& [number, bits] : noisy(few, 16, detect_isa())) ASSERT_EQ(bits, expected.at(number)) << number;
    double sum = 0;
    for (const auto& [number, bits] : expected) {
      // Turned about x by one angle: the map is R frame, so R = after before^-1 has cos and sin in its corner.
      Affine after;
      for (std::size_t k = 0; k < 12; ++k) after.m[k / 4][k % 4] = double{math::float_of(bits[k])};
      const Affine turn = after * inverse(to_affine(maps[number])).value();
      ASSERT_NEAR(turn.m[0][0], 1, 1e-5);
      ASSERT_NEAR(turn.m[1][1], turn.m[2][2], 1e-5);
      ASSERT_NEAR(turn.m[2][1], -turn.m[1][2], 1e-5);
      for (int r = 0; r < 3; ++r) ASSERT_NEAR(turn.m[r][3], 0, 1e-5);
      sum += std::atan2(turn.m[2][1], turn.m[1][1]);
    }
    const auto n = static_cast<double>(expected.size());
    EXPECT_NEAR(sum / n, 0.1, 4 * 0.3 / std::sqrt(n));
  }
}

TEST(PosedRays, NoiseOfAnotherStageLeavesThemAlone) {
  const std::vector<Matrix34> maps = random_maps(32);
  const PosedRayTable table(maps);
  for (const Noise& noise : {Noise(DistanceNoise{.stddev_m = 1}), Noise(AngularRay{})}) {
    const auto frames = frames_of(table, 32, [&](PosedRayBlock& block) {
      apply_noise(noise, {1, 1, 1}, detect_isa(), block);
    });
    for (const auto& [number, bits] : frames) ASSERT_EQ(bits, bits_of_map(maps[number]));
  }
}

}  // namespace
}  // namespace fathom::test
