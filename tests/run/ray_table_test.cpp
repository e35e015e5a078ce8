// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <fathom/fathom.hpp>

#include "core/text/formats.hpp"
#include "support/expect.hpp"

namespace fathom::test {
namespace {

TEST(RayTableTest, MayBeginWithAByteOrderMark) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_ray_table(folder.write("rays.csv", "\xef\xbb\xbfox,oy,oz,dx,dy,dz\n0,0,0,1,0,0\n"), 0, 10).cols, 1U);
}

TEST(RayTableTest, ReadsCsvWithColumnsInAnyOrder) {
  const TemporaryFolder folder;
  const auto file = folder.write("rays.csv",
                                 "# made by hand\n"
                                 "time_s, dx,dy,dz, ox,oy,oz, ring, range_m\r\n"
                                 "0.25, 3,0,4, 1,2,3, 7, 50\r\n"
                                 "\n"
                                 "0.5,0,-1e-200,0,0,0,0,65535,60.5");
  const RayPattern pattern = read_ray_table(file, 0.5F, 100.0F);
  EXPECT_EQ(pattern.rows, 1U);
  EXPECT_EQ(pattern.cols, 2U);
  EXPECT_EQ(pattern.direction_x, (std::vector<float>{0.6F, 0.0F}));
  EXPECT_EQ(pattern.direction_y, (std::vector<float>{0.0F, -1.0F})) << "tiny directions have a length too";
  EXPECT_EQ(pattern.direction_z, (std::vector<float>{0.8F, 0.0F}));
  EXPECT_EQ(pattern.origin_x, (std::vector<float>{1, 0}));
  EXPECT_EQ(pattern.origin_y, (std::vector<float>{2, 0}));
  EXPECT_EQ(pattern.origin_z, (std::vector<float>{3, 0}));
  EXPECT_EQ(pattern.min_range_m, std::vector<float>{0.5F});
  EXPECT_EQ(pattern.max_range_m, (std::vector<float>{50, 60.5F}));
  EXPECT_EQ(pattern.ring, (std::vector<std::uint16_t>{7, 65535}));
  EXPECT_EQ(pattern.time_offset_s, (std::vector<float>{0.25F, 0.5F}));
}

TEST(RayTableTest, LeavesOutWhatTheTableDoesNotSay) {
  const TemporaryFolder folder;
  const RayPattern pattern = read_ray_table(folder.write("rays.csv", "ox,oy,oz,dx,dy,dz\n0,0,0,1,0,0\n"), 0.0F, 30.0F);
  EXPECT_EQ(pattern.max_range_m, std::vector<float>{30.0F});
  EXPECT_TRUE(pattern.ring.empty());
  EXPECT_TRUE(pattern.time_offset_s.empty());
}

RC_GTEST_PROP(RayTableTest, ReadsTheSameFromCsvAndFromBothNpyTypes, ()) {
  const auto columns = *rc::gen::inRange<std::size_t>(6, 10);
  const auto rows = *rc::gen::inRange<std::size_t>(1, 20);
  std::vector<float> values;
  for (std::size_t i = 0; i < rows * columns; ++i) {
    const std::size_t column = i % columns;
    const auto integer = static_cast<float>(*rc::gen::inRange(1, 60000));
    values.push_back(column == 7 ? integer
                                 : integer / 512.0F * (column < 6 && *rc::gen::arbitrary<bool>() ? -1.0F : 1.0F));
  }
  std::string csv = "ox,oy,oz,dx,dy,dz,range_m,ring,time_s";
  csv = csv.substr(0, columns == 6 ? 17 : columns == 7 ? 25 : columns == 8 ? 30 : 37) + "\n";
  std::string narrow, wide;
  for (std::size_t i = 0; i < values.size(); ++i) {
    csv += fmt::format("{}{}", double{values[i]}, i % columns + 1 == columns ? "\n" : ",");
    const double value = values[i];
    narrow.append(reinterpret_cast<const char*>(&values[i]), 4);
    wide.append(reinterpret_cast<const char*>(&value), 8);
  }
  const std::array<std::size_t, 2> shape = {rows, columns};
  const TemporaryFolder folder;
  const RayPattern a = read_ray_table(folder.write("a.csv", csv), 0.001F, 1000.0F);
  for (const auto& [type, data] : {std::pair{npy::Type::kFloat32, narrow}, std::pair{npy::Type::kFloat64, wide}}) {
    const RayPattern b = read_ray_table(folder.write("a.npy", npy::header(type, shape) + data), 0.001F, 1000.0F);
    RC_ASSERT(a.cols == rows && b.cols == rows);
    RC_ASSERT(a.direction_x == b.direction_x && a.direction_y == b.direction_y && a.direction_z == b.direction_z);
    RC_ASSERT(a.origin_x == b.origin_x && a.origin_y == b.origin_y && a.origin_z == b.origin_z);
    RC_ASSERT(a.max_range_m == b.max_range_m && a.ring == b.ring && a.time_offset_s == b.time_offset_s);
  }
  for (std::size_t i = 0; i < rows; ++i) {
    const double x = a.direction_x[i], y = a.direction_y[i], z = a.direction_z[i];
    RC_ASSERT(std::abs(std::sqrt(x * x + y * y + z * z) - 1.0) < 1e-6);
    const double vx = values[i * columns + 3], vy = values[i * columns + 4], vz = values[i * columns + 5];
    RC_ASSERT(x * vx + y * vy + z * vz > 0.999999 * std::sqrt(vx * vx + vy * vy + vz * vz));
  }
}

TEST(RayTableTest, NamesTheLineOfWhatIsWrong) {
  const TemporaryFolder folder;
  const std::string head = "ox,oy,oz,dx,dy,dz,range_m,ring\n";
  const std::vector<std::array<std::string, 2>> cases = {
      {"# nothing\n", "rays.csv: holds no rays"},
      {head, "rays.csv: holds no rays"},
      {"ox;oy;oz;dx;dy;dz\n", "rays.csv:1: columns are separated by commas, not by semicolons"},
      {"ox,oy,oz,dx,dy\n", "rays.csv:1: column 'dz' is missing"},
      {"ox,oy,oz,dx,dy,dz,dz\n", "rays.csv:1: column 'dz' is there twice"},
      {"ox,oy,oz,dx,dy,dz,rnge_m\n",
       "column 'rnge_m' is not one of ox, oy, oz, dx, dy, dz, range_m, ring, time_s (nearest"},
      {"1,2,3,4,5,6\n", "rays.csv:1: column '1' is not one of"},
      {head + "0,0,0,1,0,0,9\n", "rays.csv:2: 7 values, the header has 8 columns"},
      {head + "0,0,0,1,0,0,9,0\n0,0,0,1,zero,0,9,0\n", "rays.csv:3: 'zero' is not a number"},
      {head + "0,0,0,1,,0,9,0\n", "rays.csv:2: '' is not a number"},
      {head + "0,0,0,0,0,-0,9,0\n", "rays.csv:2: direction (dx, dy, dz) = (0, 0, 0) has no length"},
      {head + "0,0,0,nan,0,0,9,0\n", "rays.csv:2: dx = nan is not in"},
      {head + "0,0,0,inf,0,0,9,0\n", "rays.csv:2: dx = inf is not in"},
      {head + "0,0,1e39,1,0,0,9,0\n", "rays.csv:2: oz = 1e+39 is not in"},
      {head + "0,0,0,1,0,0,0.5,0\n", "rays.csv:2: range_m = 0.5 is not above the minimum range, 1 m"},
      {head + "0,0,0,1,0,0,9,-1\n", "rays.csv:2: ring = -1 is not a whole number in [0, 65535]"},
      {head + "0,0,0,1,0,0,9,65536\n", "ring = 65536"},
      {head + "0,0,0,1,0,0,9,1.5\n", "ring = 1.5"}};
  for (const auto& [text, message] : cases) {
    const auto file = folder.write("rays.csv", text);
    EXPECT_TRUE(contains(message_of<InputError>([&] { read_ray_table(file, 1.0F, 10.0F); }), message)) << text;
  }
}

TEST(RayTableTest, ReadsTheTablesOfLivox) {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& rows) {
    return read_ray_table(folder.write("livox.csv", "Time/s,Azimuth/deg,Zenith/deg\r\n" + rows), 0.1F, 40);
  };
  const RayPattern counted = read("1,0,90\n2,90,90\n3,180,60\n4,12.5,0\n");
  EXPECT_EQ(counted.cols, 4U);
  EXPECT_TRUE(counted.time_offset_s.empty()) << "the first column counts rows";
  EXPECT_TRUE(counted.origin_x.empty());
  const std::array<std::array<double, 3>, 4> wanted = {{{1, 0, 0}, {0, 1, 0}, {-std::sqrt(0.75), 0, 0.5}, {0, 0, 1}}};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(counted.direction_x[i], wanted[i][0], 1e-7) << i;
    EXPECT_NEAR(counted.direction_y[i], wanted[i][1], 1e-7) << i;
    EXPECT_NEAR(counted.direction_z[i], wanted[i][2], 1e-7) << i;
  }
  EXPECT_EQ(read("0,0,90\n0.25,90,90\n").time_offset_s, (std::vector<float>{0, 0.25F}));
  EXPECT_EQ(read("1e8,0,90\n100000000.25,90,90\n").time_offset_s, (std::vector<float>{0, 0.25F}));
  const auto refusal = [&](const std::string& rows) { return message_of<InputError>([&] { read(rows); }); };
  EXPECT_TRUE(contains(refusal("1,0,90\n2,0\n"), "livox.csv:3: 2 values, the header has 3 columns"));
  EXPECT_TRUE(contains(refusal("1,0,181\n"), "livox.csv:2: Zenith/deg = 181 is not in [0, 180]"));
  EXPECT_TRUE(contains(refusal("1,nan,1\n"), "livox.csv:2: Azimuth/deg = nan is not in [-360, 360]"));
  EXPECT_TRUE(contains(refusal("1,x,1\n"), "livox.csv:2: 'x' is not a number"));
  EXPECT_TRUE(contains(refusal("1,0,90\n2,0,90\n4,0,90\n9,0,90\n"),
                       "livox.csv:4: Time/s = 4 is not 3: whole numbers count the rows"));
  EXPECT_TRUE(contains(refusal(""), "livox.csv: holds no rays"));
}

TEST(RayTableTest, PlaysOnInAScene) {
  const TemporaryFolder folder;
  folder.write("livox.csv", "Time/s,Azimuth/deg,Zenith/deg\n1,0,90\n2,90,90\n3,180,90\n4,270,90\n");
  const auto read = [&](const std::string& keys) {
    const auto file = folder.write("scene.yaml",
                                   "sensors:\n  - {name: livox, type: ray_table, rays: livox.csv, min_range_m: 0.1, "
                                   "max_range_m: 40, " +
                                       keys + "}\nscene: {meshes: {}, entities: []}\n");
    return std::get<RayPattern>(read_scene_file(file).sensors[0].sensor.model);
  };
  const RayPattern table = read("rays_per_frame: 3, points_per_s: 100, loop: false");
  EXPECT_EQ(table.rays_per_frame, 3U);
  EXPECT_EQ(table.points_per_s, 100);
  EXPECT_FALSE(table.loop);
  EXPECT_EQ(make_pattern(table, 1).direction_y.front(), 1.0F);
  EXPECT_TRUE(contains(message_of<InputError>([&] { read("rays_per_frame: 5"); }),
                       "ray_table.rays_per_frame = 5 is more than the 4 rays of the table"));
}

TEST(RayTableTest, RefusesArraysOfAnotherShapeOrType) {
  const TemporaryFolder folder;
  const auto refusal = [&](npy::Type type, std::vector<std::size_t> shape, std::size_t bytes) {
    const auto file = folder.write("rays.npy", npy::header(type, shape) + std::string(bytes, '\0'));
    return message_of<InputError>([&] { read_ray_table(file, 0.0F, 10.0F); });
  };
  EXPECT_TRUE(contains(refusal(npy::Type::kFloat32, {6}, 24), "rays.npy: a ray table has shape (n, 6 to 9)"));
  EXPECT_TRUE(contains(refusal(npy::Type::kFloat32, {1, 5}, 20), "a ray table has shape"));
  EXPECT_TRUE(contains(refusal(npy::Type::kFloat32, {1, 10}, 40), "a ray table has shape"));
  EXPECT_TRUE(contains(refusal(npy::Type::kUint32, {1, 6}, 24), "a ray table holds float32 or float64"));
  EXPECT_TRUE(contains(refusal(npy::Type::kFloat32, {0, 6}, 0), "rays.npy: holds no rays"));
  EXPECT_TRUE(contains(refusal(npy::Type::kFloat32, {2, 6}, 48), "rays.npy: row 0 (from 0): direction"));
}

TEST(RayTableTest, RefusesRangesAndNames) {
  const TemporaryFolder folder;
  const auto file = folder.write("rays.csv", "ox,oy,oz,dx,dy,dz\n0,0,0,1,0,0\n");
  const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
  for (const auto& limits :
       {std::pair{-1.0F, 1.0F}, {1.0F, 1.0F}, {2.0F, 1.0F}, {nan, 1.0F}, {0.0F, nan}, {0.0F, inf}}) {
    EXPECT_TRUE(contains(message_of<InputError>([&] { read_ray_table(file, limits.first, limits.second); }),
                         "rays.csv: ranges "));
  }
  const auto text = folder.write("rays.txt", "x");
  EXPECT_TRUE(contains(message_of<InputError>([&] { read_ray_table(text, 0, 1); }), "extension '.txt' is not one of"));
  EXPECT_TRUE(
      contains(message_of<InputError>([&] { read_ray_table(folder / "no.csv", 0, 1); }), "no.csv: no such file"));
}

}  // namespace
}  // namespace fathom::test
