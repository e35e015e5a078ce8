// SPDX-License-Identifier: MIT
// Rays in rows are cast in tiles of rows, which does not change the results.

#include <rgl/api/fathom.h>

#include "parts/tracer.hpp"
#include "rgl/tests/scene.hpp"

namespace fathom::test {
namespace {

constexpr double kRadPerDegree = 0.017453292519943295;

/// Rows one below the other, `col_deg` and `row_deg` apart; or columns one beside the other.
std::vector<rgl_mat3x4f> make_grid(int rows, int cols, double row_deg, double col_deg, bool by_columns = false) {
  std::vector<rgl_mat3x4f> rays;
  for (int i = 0; i < rows * cols; ++i) {
    const int row = by_columns ? i % rows : i / cols, col = by_columns ? i / rows : i % cols;
    rays.push_back(turned(kRadPerDegree * col_deg * col, kRadPerDegree * row_deg * (row - 0.5 * rows)));
  }
  return rays;
}

RayGrid grid_of(const std::vector<rgl_mat3x4f>& rays) {
  std::vector<Matrix34> posed(rays.size());
  for (std::size_t i = 0; i < rays.size(); ++i) {
    for (std::size_t r = 0; r < 3; ++r) std::copy_n(rays[i].value[r], 4, posed[i][r].begin());
  }
  return PosedRayTable(posed).grid();
}

TEST(RayGridOf, FindsTheRowsOfScannersAndCameras) {
  const auto expect = [](const std::vector<rgl_mat3x4f>& rays, std::uint32_t row, std::uint32_t tile_rows) {
    const RayGrid grid = grid_of(rays);
    EXPECT_EQ(grid.row, row);
    EXPECT_EQ(grid.tile_rows, tile_rows);
  };
  expect(make_grid(64, 512, 0.7, 360.0 / 512), 512, 16);                 // a full turn, equal steps
  expect(make_grid(64, 1024, 0.7, 360.0 / 1024), 1024, 8);               // rows twice as far apart as columns
  expect(make_grid(16, 900, 4.0, 0.4), 900, 1);                          // rows too far apart for tiles
  expect(make_grid(32, 200, 1.0, 0.2, true), 32, 8);                     // column by column
  expect(make_grid(48, 64, 0.5, 0.5), 64, 16);                           // a camera
  expect(make_grid(50, 64, 0.5, 0.5), 64, 4);                            // no taller tiles make up its rows
  expect(make_grid(64, 4096, 0.7, 360.0 / 4096), 4096, 4);               // bands of taller tiles were too long
  expect(make_grid(1, 500, 0.0, 0.5), 0, 1);                             // one row
  EXPECT_EQ(grid_of(std::vector<rgl_mat3x4f>(500, kIdentity)).row, 0U);  // no direction but one
  EXPECT_EQ(grid_of({}).row, 0U);
}

class RglTiles : public Rgl {};

/// Casts within a cube of 10 m around the origin, whose walls are 5 m away along the axes.
rgl_node_t cast_in_cube(const std::vector<rgl_mat3x4f>& rays, const std::vector<int8_t>& mask,
                        const std::vector<rgl_vec2f>& ranges, float noise_rad) {
  place(make_cube(), {{{5, 0, 0, 0}, {0, 5, 0, 0}, {0, 0, 5, 0}}});
  rgl_node_t limits = nullptr, noise = nullptr;
  const rgl_node_t trace = make_raytrace();
  EXPECT_EQ(rgl_node_rays_set_range(&limits, ranges.data(), int32_t(ranges.size())), RGL_SUCCESS) << last_error();
  EXPECT_EQ(rgl_node_gaussian_noise_angular_ray(&noise, 0, noise_rad, RGL_AXIS_Y), RGL_SUCCESS) << last_error();
  EXPECT_EQ(rgl_node_raytrace_configure_mask(trace, mask.data(), int32_t(mask.size())), RGL_SUCCESS) << last_error();
  EXPECT_EQ(rgl_node_raytrace_configure_return_mode(trace, RGL_RETURN_FIRST_LAST), RGL_SUCCESS) << last_error();
  chain({make_rays(rays), limits, noise, trace,
         make_yield({RGL_FIELD_DISTANCE_F32, RGL_FIELD_IS_HIT_I32, RGL_FIELD_AZIMUTH_F32, RGL_FIELD_RAY_POSE_MAT3x4_F32,
                     RGL_FIELD_NORMAL_VEC3_F32})});
  EXPECT_EQ(rgl_graph_run(trace), RGL_SUCCESS) << last_error();
  return trace;
}

/// Every ray finds its own way, limit and mask, in tiles of any height, in blocks that are not full, and in the rows
/// that are left over.
TEST_F(RglTiles, EveryRayKeepsItsPlace) {
  const std::vector<std::vector<rgl_mat3x4f>> grids = {
      make_grid(41, 1024, 0.7, 360.0 / 1024), make_grid(50, 72, 0.5, 0.5), make_grid(49, 72, 1.0, 0.5),
      make_grid(32, 203, 1.0, 0.2, true),     make_grid(9, 63, 0.5, 0.5),  make_grid(3, 40, 30, 8)};
  for (const auto& rays : grids) {
    RGL_OK(rgl_cleanup());
    std::vector<int8_t> mask;
    std::vector<rgl_vec2f> ranges;
    for (std::size_t i = 0; i < rays.size(); ++i) {
      mask.push_back(i % 7 != 3);
      ranges.push_back({{0, i % 5 == 2 ? 1.0F : 100.0F}});
    }
    const rgl_node_t trace = cast_in_cube(rays, mask, ranges, 0);
    const auto distance = result<float>(trace, RGL_FIELD_DISTANCE_F32);
    const auto hit = result<int32_t>(trace, RGL_FIELD_IS_HIT_I32);
    const auto xyz = result<float>(trace, RGL_FIELD_XYZ_VEC3_F32);
    const auto pose = result<rgl_mat3x4f>(trace, RGL_FIELD_RAY_POSE_MAT3x4_F32);
    ASSERT_EQ(distance.size(), 2 * rays.size());
    for (std::size_t at = 0; at < distance.size(); ++at) {
      const std::size_t i = at / 2;
      const rgl_mat3x4f& m = rays[i];
      for (std::size_t r = 0; r < 3; ++r) {
        EXPECT_TRUE(std::equal(m.value[r], m.value[r] + 4, pose[at].value[r])) << i;
      }
      ASSERT_EQ(hit[at], i % 7 != 3 && i % 5 != 2) << i;
      if (hit[at] == 0) continue;
      const double d[3] = {m.value[0][2], m.value[1][2], m.value[2][2]};
      const double most = std::max({std::abs(d[0]), std::abs(d[1]), std::abs(d[2])});
      ASSERT_NEAR(distance[at], 5.0 / most, 2e-5) << i;
      for (std::size_t k = 0; k < 3; ++k) ASSERT_NEAR(xyz[3 * at + k], 5.0 / most * d[k], 2e-5) << i;
    }
  }
}

/// Noise belongs to the number of the ray, in tiles or not.
TEST_F(RglTiles, NoiseDoesNotKnowOfThem) {
  const std::vector<rgl_mat3x4f> grid = make_grid(48, 64, 0.5, 0.5), row(grid.begin(), grid.begin() + 64);
  ASSERT_EQ(grid_of(grid).tile_rows, 16U);
  ASSERT_EQ(grid_of(row).row, 0U);
  std::vector<std::vector<float>> azimuths;
  for (const auto& rays : {grid, row}) {
    RGL_OK(rgl_cleanup());
    RGL_OK(fathom_rgl_set_seed(9));
    const rgl_node_t trace = cast_in_cube(rays, std::vector<int8_t>(rays.size(), 1), {{{0, 100}}}, 0.01F);
    azimuths.push_back(result<float>(trace, RGL_FIELD_AZIMUTH_F32));
  }
  ASSERT_EQ(azimuths[1].size(), 128U);
  azimuths[0].resize(128);
  EXPECT_EQ(azimuths[0], azimuths[1]);
  EXPECT_NE(azimuths[0][0], azimuths[0][2]);
}

}  // namespace
}  // namespace fathom::test
